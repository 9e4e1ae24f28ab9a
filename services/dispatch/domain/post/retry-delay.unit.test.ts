import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { retryDelay } from "./retry-delay.ts";

describe("the delay before the next attempt", () => {
  test("doubles from half a second to 15 s", () => {
    expect([1, 2, 3, 5, 6, 50].map((attempts) => retryDelay(attempts, 0))).toEqual([
      250, 500, 1_000, 4_000, 7_500, 7_500,
    ]);
  });

  test("is never shorter than the receiver requires, with jitter over half its length", () => {
    const fraction = fc.double({ min: 0, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.nat(60_000), fraction, (attempts, minimumMs, chance) => {
        const delay = retryDelay(attempts, chance, { minimumMs });
        expect(delay).toBeGreaterThanOrEqual(minimumMs);
        expect(delay).toBeLessThanOrEqual(Math.max(minimumMs, 7_500) + 7_500);
      }),
    );
  });
});
