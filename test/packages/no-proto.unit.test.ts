import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { SERVICE_NAMES } from "../../services/contracts/health.contract.ts";

const ROOT = dirname(dirname(import.meta.dirname));
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const FLAG = "--disable-proto=delete";
const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };

describe("every process that runs the service has no __proto__ (D8)", () => {
  test("for the flag takes it out of every object", () => {
    const has = (...flags: string[]) =>
      execFileSync(process.execPath, [...flags, "-p", "'__proto__' in {}"], { encoding: "utf8" }).trim();
    expect([has(), has(FLAG)]).toEqual(["true", "false"]);
  });

  test("by each npm script that starts it", () => {
    const starting = Object.entries(scripts).filter(([, line]) => line.includes("services/launch/start.js"));
    expect(starting.map(([name]) => name).toSorted()).toEqual(["demo", "keys", "start", "start:nats"]);
    expect(starting.filter(([, line]) => !line.startsWith(`exec node ${FLAG} `))).toEqual([]);
  });

  test("by the image, whose entry point nothing replaces", () => {
    expect(read("Dockerfile")).toContain(`ENTRYPOINT ["node", "${FLAG}", "services/launch/start.js"]`);
    const { services } = parse(read("docker-compose.yml")) as { services: Record<string, { entrypoint?: unknown }> };
    for (const name of ["api", ...SERVICE_NAMES]) expect(services[name]).not.toHaveProperty("entrypoint");
    const base = readdirSync(join(ROOT, "k8s/base")).map((file) => read(join("k8s/base", file)));
    expect(base.filter((text) => text.includes("image: guildcal")).length).toBe(1);
    expect(base.filter((text) => /^\s*command:/m.test(text))).toEqual([]);
  });
});
