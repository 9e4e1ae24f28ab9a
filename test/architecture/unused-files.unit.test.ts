import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { PROJECT } from "../harness/guildcal-process.ts";
import { readSources, sourceFile } from "./source-file.ts";
import { unusedFiles } from "./unused-files.ts";

/** The programs that npm scripts and the image run, and the scripts of the docs page and the console, which a browser loads. */
function entryPoints(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
    scripts: Readonly<Record<string, string>>;
  };
  const commands = [...Object.values(scripts), readFileSync(join(PROJECT, "Dockerfile"), "utf8")];
  const programs = commands.flatMap((command) => command.match(/\bservices\/[^\s"]+\.[jt]s\b/g) ?? []);
  return [...new Set(programs), "services/api/pages/docs/start.js", "services/api/pages/console/main.js"];
}

describe("a production file", () => {
  const start = sourceFile("services/launch/start.ts", 'import "./modes.ts";');
  const modes = sourceFile("services/launch/modes.ts", 'export { x } from "../../mixins/clock.ts";');
  const clock = sourceFile("mixins/clock.ts", "");
  const clockTest = sourceFile("mixins/clock.unit.test.ts", 'import { x } from "./clock.ts";');

  test("that only its own test imports is found", () => {
    const files = [start, sourceFile(modes.path, ""), clock, clockTest];
    expect(unusedFiles(files, [start.path])).toEqual([clock.path]);
  });

  test("that only an unused file imports is found, too", () => {
    expect(unusedFiles([start, modes, clock], [])).toEqual([start.path, modes.path, clock.path]);
  });

  test("that an entry point imports through others is used", () => {
    expect(unusedFiles([start, modes, clock, clockTest], [start.path])).toEqual([]);
  });

  test("is always imported by an entry point, directly or through others", () => {
    const config = sourceFile("moleculer.config.ts", readFileSync(join(PROJECT, "moleculer.config.ts"), "utf8"));
    const files = [...readSources("services", "mixins"), config];
    expect(files.length).toBeGreaterThan(300);
    expect(entryPoints()).toContain("services/launch/start.js");
    expect(unusedFiles(files, entryPoints())).toEqual([]);
  });
});
