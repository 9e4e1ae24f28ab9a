import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { FAULTS } from "./faults/table.ts";
import { PROTECTIONS } from "./protections.ts";
import { PROJECT } from "../../real-parts/launched.ts";

const EDITS = Object.values(PROTECTIONS).flat();

describe("the protections that the negative controls take out", () => {
  test.each(EDITS.map((edit) => [edit.text, edit] as const))("%s: stands once in its file", (_text, { file, text }) => {
    expect(readFileSync(join(PROJECT, file), "utf8").split(text)).toHaveLength(2);
  });

  test("are each taken out by a row of the table", () => {
    const used = FAULTS.flatMap(({ control }) => (typeof control === "string" ? [] : (control.setup.without ?? [])));
    expect(new Set(used)).toEqual(new Set(Object.keys(PROTECTIONS)));
  });
});

describe("the table of faults", () => {
  test("has a name for each row, another one each", () => {
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  });
});
