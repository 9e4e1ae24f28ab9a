import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { PROJECT } from "../../real-parts/launched.ts";
import { FAULTS } from "../chaos/faults/table.ts";
import { ROWS } from "../hostile/rows/table.ts";
import { GUARDS, guardsNamed, TESTED_GUARDS } from "./guards.ts";
import { LAB_GUARDS } from "./lab-guards.ts";
import { namesOfFunctions } from "./names.ts";
import { editFor } from "./take-out.ts";

const CONTROLS = [
  ...FAULTS.flatMap(({ control }) => (typeof control === "string" ? [] : (control.setup.without ?? []))),
  ...ROWS.flatMap(({ control }) => control.without),
];

describe("the guards that the lab takes out", () => {
  test("have a name each, and a test at least a hundred of them", () => {
    expect(new Set(GUARDS.map(({ guard }) => guard)).size).toBe(GUARDS.length);
    expect(TESTED_GUARDS.length).toBeGreaterThanOrEqual(100);
  });

  test("are shown by test files that exist", () => {
    const files = new Set(TESTED_GUARDS.map(({ testFile }) => testFile));
    expect([...files].filter((file) => !existsSync(join(PROJECT, file)))).toEqual([]);
  });

  test("are each taken out by a test's run, or by a control of chaos or hostile", () => {
    expect(guardsNamed(CONTROLS)).toHaveLength(CONTROLS.length);
    expect(LAB_GUARDS.map(({ guard }) => guard).filter((guard) => !CONTROLS.includes(guard))).toEqual([]);
  });

  test.each(GUARDS.map((each) => [each.guard, each] as const))("%s: stands in one place", (_guard, place) => {
    expect(editFor(place).file).toBe(place.file);
  });

  test.each(GUARDS.map((each) => [each.guard, each] as const))(
    "%s: is found by no name of a function's own",
    (_guard, place) => {
      expect(namesOfFunctions(place)).toEqual([]);
    },
  );
});
