import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { sourceFile } from "../../architecture/source-file.ts";
import { PROJECT } from "../../harness/guildcal-process.ts";
import { CHANGES_ROWS } from "../chaos/changes/changes-row.ts";
import { DEMANDS_ROWS } from "../chaos/demands/demands-rows.ts";
import { FAULTS } from "../chaos/faults/table.ts";
import { ROWS } from "../hostile/rows/table.ts";
import type { ShownBy, TestedGuard } from "./guard.ts";
import { GUARDS, guardsNamed, TESTED_GUARDS } from "./guards.ts";
import { LAB_GUARDS } from "./lab-guards.ts";
import { localNames } from "./names.ts";
import { editFor } from "./remove-guard.ts";
import { testTitles, titleContains } from "./test-titles.ts";

const CONTROLS = [
  ...FAULTS.flatMap(({ control }) => (typeof control === "string" ? [] : (control.setup.without ?? []))),
  ...CHANGES_ROWS.flatMap(({ controls }) => controls.flatMap(({ without }) => without)),
  ...DEMANDS_ROWS.flatMap(({ controls }) => controls.flatMap(({ setup }) => setup.without ?? [])),
  ...ROWS.flatMap(({ control }) => control.without),
];

/** The text of a test file, with the conformance suites that it runs. */
function testSources(path: string): string {
  const file = sourceFile(path, readFileSync(join(PROJECT, path), "utf8"));
  return [file.text, ...file.imports.filter((target) => target.endsWith("-suite.ts")).map(testSources)].join("\n");
}

describe("the guards of the lab", () => {
  test("have unique descriptions, and at least a hundred have a test", () => {
    expect(new Set(GUARDS.map(({ guard }) => guard)).size).toBe(GUARDS.length);
    expect(TESTED_GUARDS.length).toBeGreaterThanOrEqual(100);
  });

  test("have test files that exist", () => {
    const files = new Set(TESTED_GUARDS.map(({ testFile }) => testFile));
    expect([...files].filter((file) => !existsSync(join(PROJECT, file)))).toEqual([]);
  });

  const sources = [...new Set(TESTED_GUARDS.map(({ testFile }) => testFile))].map((file) => [file, testSources(file)]);
  const sourceOf = new Map(sources as [string, string][]);
  const titlesOf = new Map([...sourceOf].map(([file, source]) => [file, testTitles(source)]));
  const isTested = ({ testFile, test: title }: ShownBy) =>
    titlesOf.get(testFile)!.some((each) => titleContains(each, title, sourceOf.get(testFile)!));

  test("have tests that exist", () => {
    const [guard] = TESTED_GUARDS as [TestedGuard];
    expect(isTested(guard)).toBe(true);
    expect(isTested({ ...guard, test: "is a test that does not exist" })).toBe(false);
    expect(
      TESTED_GUARDS.filter((each) => !isTested(each)).map(({ testFile, test: title }) => `${testFile}: ${title}`),
    ).toEqual([]);
  });

  test("are removed by `npm run mutations`, or by a control of chaos or hostile", () => {
    expect(guardsNamed(CONTROLS)).toHaveLength(CONTROLS.length);
    expect(LAB_GUARDS.map(({ guard }) => guard).filter((guard) => !CONTROLS.includes(guard))).toEqual([]);
  });

  test.each(GUARDS.map((each) => [each.guard, each] as const))("%s: matches one place", (_guard, place) => {
    expect(editFor(place).file).toBe(place.file);
  });

  test.each(GUARDS.map((each) => [each.guard, each] as const))(
    "%s: contains no local name of a function",
    (_guard, place) => {
      expect(localNames(place)).toEqual([]);
    },
  );
});
