import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { addUse, msUntilFree, NO_USE, amountUsed, currentUse, type WindowUse } from "./sliding-window.ts";

const WINDOW = 60_000;
const START = 100 * WINDOW;

describe("a sliding window", () => {
  const full: WindowUse = { window: 100, current: 10, previous: 0 };

  test("loses its uses gradually, and all of them after two windows", () => {
    const usedAt = (ms: number) => amountUsed(currentUse(full, START + ms, WINDOW), START + ms, WINDOW);
    expect([0, 1, 1.25, 1.5, 2, 3].map((windows) => usedAt(windows * WINDOW))).toEqual([10, 10, 7.5, 5, 0, 0]);
  });

  test("adds reported uses to the window in which they happened", () => {
    const now = currentUse(full, START + WINDOW, WINDOW);
    expect(addUse(now, 101, 3)).toEqual({ window: 101, current: 3, previous: 10 });
    expect(addUse(now, 100, 3)).toEqual({ window: 101, current: 0, previous: 13 });
    expect(addUse(now, 99, 3)).toEqual(now);
    expect(addUse(now, 102, 3)).toEqual(now);
  });

  test("loses no use when the clock goes back", () => {
    expect(currentUse(full, START - 5 * WINDOW, WINDOW)).toEqual(full);
    expect(amountUsed(full, START - 5 * WINDOW, WINDOW)).toBe(10);
  });

  test("reports when the limit allows one more use: it does then, and not a moment before", () => {
    const use = fc.record({ current: fc.nat(200), previous: fc.nat(200), at: fc.integer({ min: 0, max: WINDOW - 1 }) });
    fc.assert(
      fc.property(use, fc.integer({ min: 1, max: 150 }), ({ current, previous, at }, limit) => {
        const now = START + at;
        const isFree = (ms: number) =>
          amountUsed(currentUse({ window: 100, current, previous }, now + ms, WINDOW), now + ms, WINDOW) + 1 <=
          limit + 1e-6;
        const wait = msUntilFree({ window: 100, current, previous }, limit, now, WINDOW);
        expect(isFree(wait)).toBe(true);
        expect(wait === 0 || !isFree(wait - 2)).toBe(true);
      }),
    );
  });

  test("allows a use without uses before", () => {
    expect(msUntilFree(currentUse(NO_USE, START, WINDOW), 1, START, WINDOW)).toBe(0);
  });
});
