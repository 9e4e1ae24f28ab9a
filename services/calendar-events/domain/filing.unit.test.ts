import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyLook } from "../../../test/calendar/any-series.ts";
import { forkOf, forksAround } from "./interval-tree.ts";
import { laneOf, phaseOf, phasesIn, readLane } from "./lanes.ts";
import { occurrencesTouching } from "./occurrences.ts";
import { UTC } from "./zone.ts";

const FOR_EVER = Number.MAX_SAFE_INTEGER;
const anyInstant = fc.oneof(
  fc.integer({ min: 0, max: 253_402_300_799_999 }),
  fc.integer({ min: 1.6e12, max: 1.6e12 + 1e7 }),
);

/** Whether the index finds something filed under a fork, as `window-query.ts` asks for it. */
function isFound(fork: number, startsAt: number, lastAt: number, window: { from: number; until: number }): boolean {
  const { before, within, after } = forksAround(window);
  const places = [
    before.includes(fork) && lastAt >= window.from,
    fork >= within.first && fork <= within.last && startsAt < window.until && lastAt >= window.from,
    after.includes(fork) && startsAt < window.until,
  ];
  expect(places.filter(Boolean).length).toBeLessThan(2);
  return places.some(Boolean);
}

describe("the interval tree", () => {
  test("finds what touches a window and nothing else, in one place", () => {
    fc.assert(
      fc.property(anyInstant, anyInstant, anyInstant, anyInstant, fc.boolean(), (a, b, c, d, endless) => {
        const [startsAt, end] = [Math.min(a, b), Math.max(a, b)];
        const lastAt = endless ? FOR_EVER : end;
        const window = { from: Math.min(c, d), until: Math.max(c, d) + 1 };
        const fork = forkOf(startsAt, endless ? undefined : end);
        expect(isFound(fork, startsAt, lastAt, window)).toBe(startsAt < window.until && lastAt >= window.from);
      }),
      { numRuns: 5_000 },
    );
  });

  test("looks at no more than 32 forks to each side", () => {
    fc.assert(
      fc.property(anyInstant, (from) => {
        const { before, after } = forksAround({ from, until: from + 1 });
        expect(before.length).toBeLessThanOrEqual(32);
        expect(after.length).toBeLessThanOrEqual(32);
      }),
    );
  });
});

describe("lanes and phases", () => {
  test("a series with an occurrence in a window has its phase among the window's", () => {
    fc.assert(
      fc.property(anyLook, ({ series, zone, window }) => {
        const narrow = { ...window, until: Math.min(window.until, window.from + 3 * 86_400_000) };
        fc.pre(occurrencesTouching(series, narrow, 1).length > 0);
        const phases = phasesIn(readLane(laneOf(series)), narrow, [zone]);
        const phase = phaseOf(series);
        expect(phases?.some(({ first, last }) => first <= phase && phase <= last) ?? true).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("a date takes in a fraction of a year's phases", () => {
    const from = Date.UTC(2024, 4, 6);
    const phases = phasesIn(readLane("m12/0"), { from, until: from + 86_400_000 }, [UTC]) ?? [];
    expect(phases.map(({ first, last }) => last - first + 1)).toEqual([25]);
  });
});
