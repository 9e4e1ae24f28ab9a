import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { PROJECT } from "../harness/guildcal-process.ts";

const ROW = /^\| `(?<file>[^`]+\.ts)`\s*\|(?<functions>[^|]*)\|/;

/** The rows of the tables: a file and its functions. */
const rows = readFileSync(join(PROJECT, "docs/code-paths.md"), "utf8")
  .split("\n")
  .flatMap((line) => {
    const { file = "", functions = "" } = ROW.exec(line)?.groups ?? {};
    return file === "" ? [] : [[file, [...functions.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)] as const];
  });

describe("the paths through the code", () => {
  test("are not empty", () => {
    expect(rows.length).toBeGreaterThan(40);
  });

  test.each(rows)("%s declares %p", (file, functions) => {
    const source = readFileSync(join(PROJECT, file), "utf8");
    expect(functions.length).toBeGreaterThan(0);
    expect(functions.filter((name) => !new RegExp(`\\b${name}\\b\\s*[(:<=,{]`).test(source))).toEqual([]);
  });
});
