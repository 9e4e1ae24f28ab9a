import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { daysInMonth } from "./civil-days.ts";
import { existingSteps, monthOfStep } from "./month-steps.ts";

describe("months that lack the day", () => {
  test("the arithmetic count of steps equals a count one by one", () => {
    const anySteps = fc.record({
      firstMonth: fc.integer({ min: 1970 * 12, max: 2400 * 12 }),
      dayOfMonth: fc.integer({ min: 28, max: 31 }),
      every: fc.oneof(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 1000 }).map((years) => years * 12),
      ),
    });
    fc.assert(
      fc.property(anySteps, fc.integer({ min: 0, max: 1500 }), (days, steps) => {
        let counted = 0;
        for (let step = 0; step < steps; step += 1) {
          const { year, month } = monthOfStep(days, step);
          if (days.dayOfMonth <= daysInMonth(year, month)) counted += 1;
        }
        expect(existingSteps(days)(steps)).toBe(counted);
      }),
      { numRuns: 500 },
    );
  });
});
