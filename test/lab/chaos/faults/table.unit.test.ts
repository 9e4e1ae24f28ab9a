import { describe, expect, test } from "@jest/globals";
import { FAULTS } from "./table.ts";

describe("the table of faults", () => {
  test("has a name for each row, another one each", () => {
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  });
});
