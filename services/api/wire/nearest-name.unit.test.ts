import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { nearestName } from "./nearest-name.ts";

const NAMES = ["epoch_start", "epoch_end", "name", "hours"];

describe("the suggested name", () => {
  test.each([
    ["epoch_stat", "epoch_start"],
    ["epochStart", "epoch_start"],
    ["EPOCH-END", "epoch_end"],
    ["nmae", "name"],
    ["hour", "hours"],
    ["minutes", undefined],
    ["", undefined],
    ["epoch_start".repeat(1_000), undefined],
  ])("for %.30p is %p", (text, meant) => {
    expect(nearestName(text, NAMES, 2)).toBe(meant);
  });

  test("is undefined if the distance exceeds the limit, and the first of equally near names", () => {
    expect([nearestName("nam", NAMES, 1), nearestName("na", NAMES, 1), nearestName("name", NAMES, 0)]).toEqual([
      "name",
      undefined,
      "name",
    ]);
    expect(nearestName("b", ["a", "c"], 1)).toBe("a");
  });

  test("is found after any edits up to the limit", () => {
    const edits = fc.array(fc.tuple(fc.nat(), fc.constantFrom("insert", "delete", "replace")), { maxLength: 3 });
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{8,20}$/), edits, (name, made) => {
        let text = name;
        for (const [place, edit] of made) {
          const at = place % (text.length + (edit === "insert" ? 1 : 0));
          text = text.slice(0, at) + (edit === "delete" ? "" : "x") + text.slice(at + (edit === "insert" ? 0 : 1));
        }
        expect(nearestName(text, [name], made.length)).toBe(name);
      }),
    );
  });
});
