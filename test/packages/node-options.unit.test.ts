import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { OWNERS } from "../../services/contracts/service-names.ts";

const ROOT = dirname(dirname(import.meta.dirname));
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const NO_PROTO = "--disable-proto=delete";
/** The options of Node; services/launch/README.md has the reasons. */
const OPTIONS = [NO_PROTO, "--max-semi-space-size=8", "--heap-growing-percent=100"];
const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };

describe("every process of the service has the same options of Node", () => {
  test("of which one removes __proto__ from every object (D8)", () => {
    const has = (...flags: string[]) =>
      execFileSync(process.execPath, [...flags, "-p", "'__proto__' in {}"], { encoding: "utf8" }).trim();
    expect([has(), has(NO_PROTO)]).toEqual(["true", "false"]);
  });

  test("in each npm script that starts it", () => {
    const starting = Object.entries(scripts).filter(([, line]) => line.includes("services/launch/start.js"));
    expect(starting.map(([name]) => name).toSorted()).toEqual([
      "backup",
      "bus-users",
      "demo",
      "import",
      "keys",
      "restore",
      "schema",
      "start",
      "start:nats",
    ]);
    expect(starting.filter(([, line]) => !line.startsWith(`exec node ${OPTIONS.join(" ")} services/`))).toEqual([]);
  });

  test("which are those that the image compiles its code with, since Node ignores code that was compiled with others", () => {
    const compile = ["node", ...OPTIONS, "--import", "./services/launch/compile-cache.js", "services/launch/main.ts"];
    expect(read("Dockerfile")).toContain(`RUN ${JSON.stringify(compile).replaceAll(",", ", ")}\n`);
    const script = "require('node:module').getCompileCacheDir()";
    const options = ["--import", "./services/launch/compile-cache.js", "-p", script];
    const folder = execFileSync(process.execPath, options, { cwd: ROOT, encoding: "utf8" });
    expect(dirname(folder.trim())).toBe(join(ROOT, "node_modules/.cache/guildcal"));
  });

  test("in the image, whose entry point nothing replaces", () => {
    expect(read("Dockerfile")).toContain(
      `ENTRYPOINT ${JSON.stringify(["node", ...OPTIONS, "services/launch/start.js"]).replaceAll(",", ", ")}`,
    );
    const { services } = parse(read("docker-compose.yml")) as { services: Record<string, { entrypoint?: unknown }> };
    for (const name of ["api", ...OWNERS]) expect(services[name]).not.toHaveProperty("entrypoint");
    const base = readdirSync(join(ROOT, "k8s/base")).map((file) => read(join("k8s/base", file)));
    expect(base.filter((text) => text.includes("image: guildcal")).length).toBe(1);
    expect(base.filter((text) => /^\s*command:/m.test(text))).toEqual([]);
  });
});
