import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyLook, anySeries, zone } from "../../../test/calendar/any-series.ts";
import { forkOf, forksAround } from "./interval-tree.ts";
import { finestOf, type Lane, laneOf, nameOfLane, phaseOf, phasesIn, readLane } from "./lanes.ts";
import { occurrencesTouching, type Series, seriesEnd } from "./occurrences.ts";
import { endOfNode, nodesAround, nodesOf } from "./span-tree.ts";
import type { Window } from "./window.ts";
import { UTC } from "./zone.ts";

const DAY = 86_400_000;
const YEAR = 365 * DAY;
const FINEST_LEVELS = 17;
const anyInstant = fc.oneof(
  fc.integer({ min: 0, max: 253_402_300_799_999 }),
  fc.integer({ min: 1.6e12, max: 1.6e12 + 1e7 }),
);
const anyFinest = fc.integer({ min: 0, max: FINEST_LEVELS - 1 });

/** Whether the index finds something filed under a fork, as `window-query.ts` asks for it. */
function isFound(fork: number, startsAt: number, lastAt: number, window: Window): boolean {
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
      fc.property(anyInstant, anyInstant, anyInstant, anyInstant, (a, b, c, d) => {
        const [startsAt, lastAt] = [Math.min(a, b), Math.max(a, b)];
        const window = { from: Math.min(c, d), until: Math.max(c, d) + 1 };
        const found = isFound(forkOf(startsAt, lastAt), startsAt, lastAt, window);
        expect(found).toBe(startsAt < window.until && lastAt >= window.from);
      }),
      { numRuns: 5_000 },
    );
  });

  test("looks at no more than 34 forks around an instant", () => {
    fc.assert(
      fc.property(anyInstant, (from) => {
        const { before, after } = forksAround({ from, until: from + 1 });
        expect(before.length + after.length).toBeLessThanOrEqual(34);
      }),
    );
  });
});

describe("the span tree", () => {
  test("what goes on at an instant, its ends rounded outwards, is filed under one node around it, and nothing else is", () => {
    fc.assert(
      fc.property(anyInstant, anyInstant, anyInstant, anyFinest, (a, b, at, finest) => {
        const [startsAt, lastAt] = [Math.min(a, b), Math.max(a, b)];
        const around = new Set(nodesAround(at, finest));
        const shared = nodesOf(startsAt, lastAt, finest).filter((node) => around.has(node));
        const goesOn = startsAt < endOfNode(at, finest) && at < endOfNode(lastAt, finest);
        expect(shared).toHaveLength(goesOn ? 1 : 0);
      }),
      { numRuns: 5_000 },
    );
  });

  test("what has no end is filed under few nodes, and found until time ends", () => {
    fc.assert(
      fc.property(anyInstant, fc.nat(253_402_300_799_999), anyFinest, (startsAt, later, finest) => {
        const nodes = nodesOf(startsAt, undefined, finest);
        expect(nodes.length).toBeLessThanOrEqual(3 * FINEST_LEVELS);
        const at = Math.min(startsAt + later, 253_402_300_799_999);
        expect(nodesAround(at, finest).some((node) => nodes.includes(node))).toBe(true);
      }),
    );
  });

  test("looks at 13 nodes for a daily rule, and at 4 for one of every 1000 years", () => {
    const looks = (period: Omit<Lane, "lengthClass">) =>
      nodesAround(Date.UTC(2024, 4, 6), finestOf({ ...period, lengthClass: 0 })).length;
    expect([looks({ unit: "d", period: 1 }), looks({ unit: "m", period: 12_000 })]).toEqual([13, 4]);
  });
});

/** In how many places of the index a series is found for a window, as `window-query.ts` asks for it. */
function placesOf(series: Series, window: Window): number {
  const lane = laneOf(series);
  const finest = finestOf(lane);
  const end = seriesEnd(series);
  const nodes = nodesOf(series.startsAt, end === undefined ? undefined : Math.max(series.startsAt, end - 1), finest);
  const around = nodesAround(window.from, finest);
  const phases = phasesIn(lane, window, [series.clock[0].zone]);
  const phase = phaseOf(series);
  const isInPhase = phases?.some(({ first, last }) => first <= phase && phase <= last) ?? true;
  const goesOn = nodes.some((node) => around.includes(node)) && isInPhase;
  const begins = series.startsAt >= endOfNode(window.from, finest) && series.startsAt < window.until;
  return Number(goesOn) + Number(begins);
}

describe("lanes and phases", () => {
  test("a series with an occurrence in a window is found, in one place", () => {
    fc.assert(
      fc.property(anyLook, fc.constantFrom(3 / 24, 3, 800), ({ series, window }, days) => {
        const narrow = { ...window, until: Math.min(window.until, window.from + days * DAY) };
        fc.pre(occurrencesTouching(series, narrow, 1).length > 0);
        expect(placesOf(series, narrow)).toBe(1);
      }),
      { numRuns: 300 },
    );
  });

  test("so is one of any interval and length, in a window beside one of its first occurrences", () => {
    const anyShift = fc.integer({ min: -3 * DAY, max: 3 * DAY });
    fc.assert(
      fc.property(anySeries, fc.integer({ min: 1, max: 1000 }), fc.nat(9), anyShift, (any, interval, nth, shift) => {
        const rule = { ...any.series.recurrence, interval };
        const series = { ...any.series, endsAt: any.series.endsAt + (nth % 3) * nth * YEAR, recurrence: rule };
        const slots = occurrencesTouching(series, { from: 0, until: Date.UTC(9999, 0, 1) }, 10);
        const at = Math.max(0, (slots[nth % slots.length]?.startsAt ?? 0) + shift);
        const window = { from: at, until: at + DAY };
        const least = occurrencesTouching(series, window, 1).length;
        expect([least, 1]).toContain(placesOf(series, window));
      }),
      { numRuns: 2000 },
    );
  });

  test("a series of every 1000 weeks is found on its date, and in no place on the same weekday before it", () => {
    const startsAt = Date.UTC(2000, 0, 1);
    const recurrence = { frequency: "WEEKLY", interval: 1000, count: -1 } as const;
    const series = { startsAt, endsAt: startsAt + 1, recurrence, clock: [{ zone: UTC, since: 0 }] } as const;
    const date = (weeks: number) => ({ from: startsAt + weeks * 7 * DAY, until: startsAt + (weeks * 7 + 1) * DAY });
    expect([0, 1, 500, 999, 1000].map((weeks) => placesOf(series, date(weeks)))).toEqual([1, 0, 0, 0, 1]);
  });

  test("a lane's name reads back", () => {
    fc.assert(
      fc.property(anyLook, ({ series }) => expect(readLane(nameOfLane(laneOf(series)))).toEqual(laneOf(series))),
    );
    expect(["one", "moved"].map(readLane)).toEqual([undefined, undefined]);
  });

  test("a date takes in a date and an hour of a year's phases, on any clock 32 hours more", () => {
    const from = Date.UTC(2024, 4, 6);
    const lane = { unit: "m", period: 12, lengthClass: 0 } as const;
    const hours = (zones: Parameters<typeof phasesIn>[2]) =>
      phasesIn(lane, { from, until: from + DAY }, zones)?.map(({ first, last }) => Math.round((last - first) / 3.6e6));
    expect([hours([UTC]), hours([zone("Asia/Kathmandu")]), hours(undefined)]).toEqual([[25], [25], [57]]);
  });
});
