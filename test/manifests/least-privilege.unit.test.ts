import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { SERVICES } from "../../services/launch/service-factories.ts";
import { K8S } from "./overlays.ts";

const ROOT = dirname(K8S);
const CONTEXTS = join(ROOT, "services");

/** A service's own sources, as one text. */
function sourceOf(service: string): string {
  const files = readdirSync(join(CONTEXTS, service), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(CONTEXTS, service, file), "utf8"))
    .join("\n");
}

describe("each service's user of the database", () => {
  const granted = JSON.parse(readFileSync(join(K8S, "components/mongodb/collections.json"), "utf8")) as Record<
    string,
    string[]
  >;

  test.each(SERVICES)("that of %s has the collections that the service has, and no other", (service) => {
    const own = [...sourceOf(service).matchAll(/\bcollection: "([a-z_]+)"/g)].map(([, name]) => name);
    expect(own.length).toBeGreaterThan(0);
    expect(new Set(granted[service])).toEqual(new Set(own));
  });

  test("no collection is shared", () => {
    const all = Object.values(granted).flat();
    expect(all).toEqual([...new Set(all)]);
  });
});

describe("each service's user of the bus", () => {
  const conf = readFileSync(join(K8S, "components/nats/nats.conf"), "utf8");
  const users = new Map(
    conf
      .split(/\buser: /)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf(",")), text] as const),
  );
  const subjects = (user: string, verb: string) => {
    const list = new RegExp(`${verb}: \\[([^\\]]*)\\]`).exec(users.get(user) ?? "")?.[1] ?? "";
    return [...list.matchAll(/"MOL-guildcal\.([^"]+)"/g)].map(([, subject = ""]) => subject);
  };

  test("is there for each", () => {
    expect([...users.keys()].toSorted()).toEqual(SERVICES.toSorted());
  });

  test.each(SERVICES)("that of %s may call what the service's sources speak to, and nothing else", (service) => {
    const contracts = new Set(
      [...sourceOf(service).matchAll(/contracts\/([a-z-]+)\.contract\.ts"/g)].map(([, name]) => name),
    );
    const spokenTo = SERVICES.filter((other) => other !== service && contracts.has(other));
    const called = subjects(service, "publish").filter((subject) => subject.startsWith("REQB."));
    expect(called.filter((subject) => !spokenTo.some((other) => subject === `REQB.${other}.*`))).toEqual([]);
  });

  test.each(SERVICES)("that of %s hears what is addressed to the service alone", (service) => {
    const heard = subjects(service, "subscribe").filter((subject) => subject.includes("*") || subject.includes(">"));
    expect(heard).toEqual([`*.${service}.>`, "REQB.$node.*"]);
  });

  test("nobody may ask another's process for what Moleculer knows", () => {
    const published = SERVICES.flatMap((service) => subjects(service, "publish"));
    expect(published.filter((subject) => subject.includes("$node") || /^(?:REQ\.|>|\*)/.test(subject))).toEqual([]);
  });
});
