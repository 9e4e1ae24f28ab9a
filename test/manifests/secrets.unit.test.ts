import { execFile, type ExecFileException } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { join } from "node:path";
import { asManifest, IN_KUBERNETES, makeSecrets, randomSecret } from "../../k8s/make-secrets.ts";
import { rotate, ROTATIONS, RotationError, type StoredSecret } from "../../k8s/rotate-secret.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";
import { KubernetesDouble } from "./kubernetes-double.ts";
import { K8S } from "./overlays.ts";
import { findProgram } from "./program.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const plain = (text = "") => Buffer.from(text, "base64").toString();

/** The secrets of an installation, as the output of `kubectl get secrets -o json`. */
function stored(annotations: Record<string, string> = {}): StoredSecret[] {
  return Object.entries(makeSecrets(IN_KUBERNETES, randomSecret)).map(([name, values]) => ({
    metadata: { name, resourceVersion: "7", annotations },
    data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, base64(value)])),
  }));
}

const valueIn = (secrets: readonly object[], secret: string, key: string) =>
  plain((secrets as StoredSecret[]).find(({ metadata }) => metadata.name === secret)?.data?.[key]);

/** The values that a rotation changes, as `secret/key`. */
function changed(before: readonly StoredSecret[], what: string, whose = ""): string[] {
  const { items } = rotate(before, what, whose, () => "new");
  return items.flatMap(({ metadata: { name }, data = {} }) =>
    Object.keys(data)
      .filter((key) => plain(data[key]) !== valueIn(before, name, key))
      .map((key) => `${name}/${key}`),
  );
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, args: readonly string[], input = "", env: Record<string, string> = {}): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const ended = (error: ExecFileException | null, stdout: string, stderr: string) =>
    resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
  const child = execFile(
    program,
    [...args],
    { env: { PATH: process.env["PATH"], HOME: "/nonexistent", ...env } },
    ended,
  );
  child.stdin?.end(input);
  return promise;
}

const runScript = (script: string, args: readonly string[], input?: string, env?: Record<string, string>) =>
  run(process.execPath, [join(K8S, script), ...args], input, env);

describe("make-secrets", () => {
  test("writes no namespace and no annotations", () => {
    const { items } = asManifest(makeSecrets(IN_KUBERNETES, randomSecret));
    expect(items.map(({ metadata }) => Object.keys(metadata))).toEqual(items.map(() => ["name", "labels"]));
    expect(items).toHaveLength(SERVICES.length + 3);
  });

  test("generates new values in each run, so that a second run must not replace the first one's secrets", async () => {
    const [one, other] = await Promise.all([runScript("make-secrets.ts", []), runScript("make-secrets.ts", [])]);
    expect([one.code, other.code]).toEqual([0, 0]);
    expect(one.stdout).not.toBe(other.stdout);
  });
});

describe("a rotation", () => {
  test.each([
    ["operator-key", "", ["api/API_KEY"]],
    ["key-pepper", "", ["api/API_KEY_PEPPER"]],
    ["webhooks-key", "", ["webhooks/WEBHOOKS_KEY"]],
    ["discord-token", "", ["dispatch/DISCORD_TOKEN"]],
    ["webhook-secret", "", ["dispatch/WEBHOOK_SECRET"]],
    ["database", "calendar-events", ["mongodb/passwords.json", "calendar-events/MONGO_URL"]],
    ["database", "exporter", ["mongodb/exporter-password"]],
    ["database", "backup", ["mongodb/passwords.json", "backup/MONGO_URL"]],
    ["database", "admin", ["mongodb/passwords.json"]],
    ["bus", "guild-settings", ["nats/passwords.conf", "guild-settings/NATS_URL"]],
    ["bus-peers", "", ["nats/cluster.conf"]],
    ["keyfile", "", ["mongodb/keyfile"]],
  ])("of %s %s changes exactly the secrets with the value", (what, whose, places) => {
    expect(changed(stored(), what, whose)).toEqual(places);
  });

  test("exists for every secret value of an installation", () => {
    const whose: Readonly<Record<string, readonly string[]>> = {
      database: [...SERVICES, "backup", "exporter", "admin"],
      bus: SERVICES,
    };
    const whats = Object.keys(ROTATIONS).filter((what) => what !== "keyfile-end");
    const rotated = whats.flatMap((what) => (whose[what] ?? [""]).flatMap((one) => changed(stored(), what, one)));
    const all = stored().flatMap(({ metadata: { name }, data = {} }) =>
      Object.keys(data).map((key) => `${name}/${key}`),
    );
    expect([...new Set(rotated)].toSorted()).toEqual(all.toSorted());
  });

  test("of a service's password changes it for the server and the service, and for no other", () => {
    const before = stored();
    const { items } = rotate(before, "database", "dispatch", () => "new");
    const passwords = (secrets: readonly object[]) =>
      JSON.parse(valueIn(secrets, "mongodb", "passwords.json")) as Record<string, string>;
    expect(passwords(items)).toEqual({ ...passwords(before), dispatch: "new" });
    const url = valueIn(before, "dispatch", "MONGO_URL");
    expect(valueIn(items, "dispatch", "MONGO_URL")).toBe(url.replace(/:[0-9a-f]{64}@/, ":new@"));
    const onTheBus = rotate(before, "bus", "api", () => "new").items;
    expect(valueIn(onTheBus, "nats", "passwords.conf")).toContain('API_PASSWORD: "new"\n');
    expect(valueIn(onTheBus, "nats", "passwords.conf").match(/"[0-9a-f]{64}"/g)).toHaveLength(SERVICES.length - 1);
    expect(valueIn(onTheBus, "api", "NATS_URL")).toBe("nats://api:new@nats:4222");
  });

  test("of the bus password of a service that is newer than the installation adds it", () => {
    const all = stored();
    const olderConf = valueIn(all, "nats", "passwords.conf").replace(/^WEBHOOKS_PASSWORD.*\n/m, "");
    const older = { metadata: { name: "nats" }, data: { "passwords.conf": base64(olderConf) } };
    const before = [...all.filter(({ metadata }) => metadata.name !== "nats"), older];
    const { items } = rotate(before, "bus", "webhooks", () => "new");
    const conf = valueIn(items, "nats", "passwords.conf");
    expect(conf).toBe(`${olderConf}WEBHOOKS_PASSWORD: "new"\n`);
    expect(valueIn(items, "webhooks", "NATS_URL")).toBe("nats://webhooks:new@nats:4222");
  });

  test("of the administrator's password keeps the former one, with which the set-up job changes it", () => {
    const before = stored();
    const [{ adminBefore, admin }, was] = [rotate(before, "database", "admin", () => "new").items, before].map(
      (secrets) => JSON.parse(valueIn(secrets, "mongodb", "passwords.json")) as Record<string, string>,
    ) as [Record<string, string>, Record<string, string>];
    expect([admin, adminBefore]).toEqual(["new", was["admin"]]);
  });

  test("of the peers' password changes it in each route and in the authorization of routes", () => {
    const conf = valueIn(rotate(stored(), "bus-peers", "", () => "new").items, "nats", "cluster.conf");
    expect(conf.match(/peer:new@/g)).toHaveLength(3);
    expect(conf).toContain('password: "new"');
    expect(conf).not.toMatch(/[0-9a-f]{64}/);
  });

  test("of the keyfile keeps the former key until its end, and cannot be started twice", () => {
    const before = stored();
    const former = valueIn(before, "mongodb", "keyfile");
    const begun = rotate(before, "keyfile", "", () => "new").items;
    expect(valueIn(begun, "mongodb", "keyfile")).toBe(`- ${former}\n- new\n`);
    expect(() => rotate(begun, "keyfile", "", () => "newer")).toThrow("keyfile-end");
    expect(valueIn(rotate(begun, "keyfile-end", "", () => "").items, "mongodb", "keyfile")).toBe("new");
    expect(() => rotate(before, "keyfile-end", "", () => "")).toThrow(RotationError);
  });

  test("keeps the version that was read, and removes kubectl's last-applied annotation", () => {
    const applied = { "kubectl.kubernetes.io/last-applied-configuration": "all values", "kept.example/by": "us" };
    const { items } = rotate(stored(applied), "operator-key", "", () => "new");
    expect(items.map(({ metadata }) => metadata)).toEqual([
      { name: "api", resourceVersion: "7", annotations: { "kept.example/by": "us" } },
    ]);
  });

  test.each([
    ["nothing-known", "", stored(), '"nothing-known" is none of'],
    ["database", "", stored(), "No service was given"],
    ["bus", "admin", stored(), "admin is none of"],
    ["database", "api", [], "The secret mongodb with the key passwords.json"],
    ["operator-key", "", [], "The secret api is not among those read"],
  ])("of %s %s is refused with a message if it is not possible", (what, whose, secrets, problem) => {
    expect(() => rotate(secrets, what, whose, () => "new")).toThrow(problem);
  });

  test("that is refused writes no secret", async () => {
    const input = JSON.stringify({ items: stored() });
    const token = await runScript("rotate-secret.ts", ["discord-token"], input);
    expect(token).toEqual({ code: 1, stdout: "", stderr: "The variable VALUE must hold the new discord-token\n" });
    const none = await runScript("rotate-secret.ts", ["operator-key"], "");
    expect(none).toEqual({ code: 1, stdout: "", stderr: "The input is not a list of secrets\n" });
    const given = await runScript("rotate-secret.ts", ["discord-token"], input, { VALUE: "theirs" });
    expect(valueIn((JSON.parse(given.stdout) as { items: object[] }).items, "dispatch", "DISCORD_TOKEN")).toBe(
      "theirs",
    );
  });
});

// kubectl is no dependency of this project. If it is installed, it must behave as in the README.
const kubectl = findProgram("kubectl");
const whereKubectlIs = kubectl === undefined ? describe.skip : describe;

whereKubectlIs(`with kubectl${kubectl === undefined ? ", which is not on the PATH," : ""}`, () => {
  const cluster = new KubernetesDouble();
  let server: string;

  beforeAll(async () => void (server = await cluster.start()));
  afterAll(() => cluster.stop());

  const ask = (verb: "create" | "replace", input: string) =>
    run(kubectl ?? "", [verb, "--server", server, "-n", "trial", "--validate=false", "-f", "-"], input);
  const read = () => JSON.stringify({ items: [...cluster.secrets.values()] });

  test("a second run of make-secrets is refused for each secret, and replaces none", async () => {
    const first = await ask("create", (await runScript("make-secrets.ts", [])).stdout);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    const before = structuredClone([...cluster.secrets]);
    expect(before).toHaveLength(SERVICES.length + 3);
    const second = await ask("create", (await runScript("make-secrets.ts", [])).stdout);
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr.match(/\(AlreadyExists\)/g)).toHaveLength(SERVICES.length + 3);
    expect([...cluster.secrets]).toEqual(before);
    expect(before.map(([, { metadata }]) => metadata.annotations).filter(Boolean)).toEqual([]);
  });

  test("a rotation replaces its secrets, and is refused after a concurrent change", async () => {
    const rotation = await runScript("rotate-secret.ts", ["operator-key"], read());
    const before = plain(cluster.secrets.get("api")?.data["API_KEY"]);
    expect(await ask("replace", rotation.stdout)).toMatchObject({ code: 0 });
    const after = plain(cluster.secrets.get("api")?.data["API_KEY"]);
    expect(after).not.toBe(before);
    const again = await ask("replace", rotation.stdout);
    expect(again.code).toBe(1);
    expect(plain(cluster.secrets.get("api")?.data["API_KEY"])).toBe(after);
  });
});
