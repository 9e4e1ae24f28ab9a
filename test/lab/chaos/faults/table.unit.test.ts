import { describe, expect, test } from "@jest/globals";
import { FAULTS } from "./table.ts";

describe("the table of faults", () => {
  test("has a different name for each row", () => {
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  });
});
