import { describe, expect, test } from "@jest/globals";
import { POST_EFFECTS } from "../../../../contracts/plan-diff.contract.ts";
import { english } from "../words/english.js";
import { effectsIn, shortenedEnd } from "./plan-effect.js";
import type { PlanDiff } from "./types.ts";

const DAY_MS = 86_400_000;
const NONE: PlanDiff = { appear: 0, vanish: 0, move: 0, change: 0, more: false, compared_until: 0, posts: [] };

describe("the effect of a form on the posts", () => {
  test("names each effect with its number, and the singular for one post", () => {
    expect(effectsIn({ ...NONE, appear: 12, move: 1 })).toEqual([
      { key: "effect_appear_other", count: 12 },
      { key: "effect_move_one", count: 1 },
    ]);
    expect(effectsIn({ ...NONE, vanish: 2, change: 1 })).toEqual([
      { key: "effect_vanish_other", count: 2 },
      { key: "effect_change_one", count: 1 },
    ]);
    expect(effectsIn(NONE)).toEqual([]);
  });

  test("has words for every effect of the service", () => {
    for (const effect of POST_EFFECTS) expect(english).toHaveProperty(`effect_${effect}`);
  });

  test("ends earlier only if less than a year was compared", () => {
    expect(shortenedEnd({ ...NONE, compared_until: 366 * DAY_MS }, 1_000)).toBeUndefined();
    expect(shortenedEnd({ ...NONE, compared_until: 90 * DAY_MS }, 1_000)).toBe(90 * DAY_MS);
  });
});
