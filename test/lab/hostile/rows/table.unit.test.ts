import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { ROWS } from "./table.ts";

/** The row names in the README's table of figures. */
function namesInReadme(): string[] {
  const lines = readFileSync(join(import.meta.dirname, "../README.md"), "utf8").split("\n");
  const head = lines.findIndex((line) => /^\| row +\|/.test(line));
  const end = lines.findIndex((line, at) => at > head && !line.startsWith("|"));
  // The line of dashes follows the head.
  return lines.slice(head + 2, end).map((line) => line.split("|")[1]!.trim());
}

describe("the rows of the hostile load", () => {
  test("have different names and an attack of at most two minutes", () => {
    expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
    expect(ROWS.filter(({ attackMs }) => attackMs > 120_000)).toEqual([]);
  });

  test("have the names and the order of the README's table of figures", () => {
    expect(namesInReadme()).toEqual(ROWS.map(({ name }) => name));
  });
});
