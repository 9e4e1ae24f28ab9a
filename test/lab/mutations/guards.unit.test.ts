import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { GUARDS } from "./guards.ts";
import { PROJECT } from "../../real-parts/launched.ts";

const read = (file: string) => readFileSync(join(PROJECT, file), "utf8");

describe("the guards that `npm run mutations` takes out", () => {
  test("are at least fifty, each another one", () => {
    expect(GUARDS.length).toBeGreaterThanOrEqual(50);
    expect(new Set(GUARDS.map(({ guard }) => guard)).size).toBe(GUARDS.length);
  });

  test("are shown by test files that exist", () => {
    const files = new Set(GUARDS.map(({ testFile }) => testFile));
    expect([...files].filter((file) => !existsSync(join(PROJECT, file)))).toEqual([]);
  });

  test.each(GUARDS.map((each) => [each.guard, each] as const))(
    "%s: stands where the table says",
    (_guard, { file, text }) => {
      expect(read(file).split(text)).toHaveLength(2);
    },
  );
});
