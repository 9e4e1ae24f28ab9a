import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyByRuleSeries } from "../../../test/calendar/any-rule.ts";
import { anyTimedSeries } from "../../../test/calendar/any-timed-rule.ts";
import { anySeriesAndWindow, anySeries, DAY, zone } from "../../../test/calendar/any-series.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { unwrittenCalendar } from "../domain/calendar/calendar.ts";
import { occurrencesOverlapping, type Series, seriesEnd } from "../domain/recurrence/occurrences.ts";
import { fullRecurrence } from "../domain/recurrence/parse-recurrence.ts";
import { readRrule, type RuleInput } from "../domain/recurrence/rrule-text.ts";
import { UTC } from "../domain/calendar/zone.ts";
import type { Window } from "../../contracts/window.ts";
import { cycleEntries, entryNumbersBetween } from "./cycles.ts";
import { windowQuery } from "./query.ts";
import { type IndexedInterval, indexedIntervalOf } from "./indexed-interval.ts";

const HOUR = DAY / 24;
const guildId = "1" as GuildId;

/** The calendar of a series with one zone. */
function calendarOf({ clock: [{ zone: own }] }: Series) {
  const calendar = unwrittenCalendar(guildId, 1);
  return own === UTC ? calendar : { ...calendar, zoneChanges: [{ version: 1, timezone: own.name, since: -DAY }] };
}

/** A condition of a query for a series. */
interface Place {
  readonly entries: { readonly $in: readonly number[] } | { readonly $elemMatch: { $gte: number; $lte: number } };
  readonly lastAt: { readonly $gte: number };
  readonly startsAt: { readonly $lt: number };
  readonly $expr: object;
}

/** Whether the query of a window finds the series. */
function isFound(series: Series, window: Window): boolean {
  const { $or: places } = windowQuery(guildId, [calendarOf(series)], window, { which: "recurring" }) as {
    readonly $or: readonly Place[];
  };
  const own = cycleEntries(series);
  const repeats = indexedIntervalOf(series);
  return places.some(({ entries, lastAt, startsAt, $expr }) => {
    const hasEntry = own.some((entry) =>
      "$in" in entries
        ? entries.$in.includes(entry)
        : entry >= entries.$elemMatch.$gte && entry <= entries.$elemMatch.$lte,
    );
    const isActive = (seriesEnd(series) ?? Infinity) >= lastAt.$gte && series.startsAt < startsAt.$lt;
    return hasEntry && isActive && valueOf($expr, { repeats }) === true;
  });
}

/** Evaluates the aggregation expressions that the query uses. */
function valueOf(expression: unknown, row: { readonly repeats: IndexedInterval }): unknown {
  if (typeof expression === "string" && expression.startsWith("$repeats.")) {
    return row.repeats[expression.slice("$repeats.".length) as keyof IndexedInterval];
  }
  if (typeof expression !== "object" || expression === null) return expression;
  const [[operator, args]] = Object.entries(expression) as [[string, unknown[]]];
  const values = args.map((each) => valueOf(each, row));
  const [a, b] = values as [number, number];
  switch (operator) {
    case "$lte":
      return a <= b;
    case "$mod":
      return a % b;
    case "$subtract":
      return a - b;
    case "$add":
      return a + b;
    case "$eq":
      return values[0] === values[1];
    case "$cond":
      return values[0] === true ? values[1] : values[2];
    default:
      throw new Error(`no ${operator} here`);
  }
}

function seriesFrom(startsAt: number, longMs: number, frequency: Series["recurrence"]["frequency"]): Series {
  const recurrence = { frequency, interval: 1, count: -1 };
  return { startsAt, endsAt: startsAt + longMs, recurrence, clock: [{ zone: UTC, since: 0 }] };
}

describe("the cycles of series", () => {
  test("the query of a window finds every series with an occurrence in it", () => {
    fc.assert(
      fc.property(anySeriesAndWindow, fc.constantFrom(1 / DAY, 3 / 24, 3, 800), ({ series, window }, days) => {
        const narrow = { ...window, until: Math.min(window.until, window.from + days * DAY) };
        fc.pre(occurrencesOverlapping(series, narrow, 1).length > 0);
        expect(isFound(series, narrow)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("the query of a window finds series with BYxxx parts, EXDATEs and RDATEs, of any duration", () => {
    const anyLength = fc.oneof(fc.integer({ min: 0, max: 4 * DAY }), fc.integer({ min: 0, max: 400 * DAY }));
    const anyBySeries = fc.oneof(anyByRuleSeries, anyTimedSeries);
    const anyAddition = fc.option(fc.integer({ min: 0, max: 4000 * DAY }), { nil: undefined });
    fc.assert(
      fc.property(anyBySeries, anyLength, anyAddition, fc.nat(29), fc.nat(DAY), (any, length, after, nth, part) => {
        const { startsAt, recurrence } = any.series;
        const added = after === undefined ? {} : { rDates: [startsAt + after] };
        const series = { ...any.series, endsAt: startsAt + length, recurrence: { ...recurrence, ...added } };
        const slots = occurrencesOverlapping(series, { from: 0, until: Date.UTC(2500, 0, 1) }, 30);
        const slot = slots[nth % slots.length] as { readonly startsAt: number };
        const at = slot.startsAt + Math.floor((part / DAY) * Math.max(0, length - 1));
        expect(isFound(series, { from: at, until: at + 1 })).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("an occurrence at the latest time of day continues into a day that the interval skips", () => {
    const start = Date.UTC(2023, 5, 6, 8);
    const recurrence = fullRecurrence(readRrule("FREQ=DAILY;INTERVAL=3;BYHOUR=8,23", UTC) as RuleInput);
    const series = { ...seriesFrom(start, 2 * HOUR, "DAILY"), recurrence };
    const midnight = Date.UTC(2023, 5, 10);
    expect(isFound(series, { from: midnight, until: midnight + 1 })).toBe(true);
  });

  test("a rule with times of day is searched only at its times", () => {
    const start = Date.UTC(2023, 5, 6, 20);
    const recurrence = fullRecurrence(readRrule("FREQ=DAILY;BYHOUR=8,20", UTC) as RuleInput);
    const series = { ...seriesFrom(start, HOUR, "DAILY"), recurrence };
    const hours = Array.from({ length: 24 }, (_, hour) => start + DAY + hour * HOUR + HOUR / 2);
    const seen = hours.filter((at) => isFound(series, { from: at, until: at + 1 })).map((at) => (at % DAY) / HOUR);
    expect(seen).toEqual([20.5, 8.5]);
  });

  test.each([
    ["FREQ=WEEKLY;BYDAY=TU,TH", 2 / 7],
    ["FREQ=MONTHLY;BYDAY=-1FR", 1 / 7],
    ["FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=8,20", 2 / 7],
    ["FREQ=MONTHLY;BYMONTHDAY=1,15", 2 / 28],
    ["FREQ=MONTHLY;BYMONTHDAY=-1", 5 / 31],
    ["FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=6", 2 / 365],
  ])("%s is searched only on its days", (text, share) => {
    const start = Date.UTC(2023, 5, 6, 20);
    const recurrence = fullRecurrence(readRrule(text, UTC) as RuleInput);
    const series = { ...seriesFrom(start, HOUR, "DAILY"), recurrence };
    const days = Array.from({ length: 365 }, (_, day) => start + day * DAY);
    const seen = days.filter((at) => isFound(series, { from: at, until: at + 1 }));
    expect(seen.length).toBeLessThanOrEqual(Math.ceil(365 * share) + 1);
    expect(seen.length).toBeGreaterThan(0);
  });

  test("the query of a window finds series of any duration and interval, at every instant of their occurrences", () => {
    const anyLength = fc.oneof(fc.integer({ min: 0, max: 4 * DAY }), fc.integer({ min: 0, max: 400 * DAY }));
    fc.assert(
      fc.property(
        anySeries,
        anyLength,
        fc.nat(9),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (any, length, nth, part) => {
          const series = { ...any.series, endsAt: any.series.startsAt + length };
          const slots = occurrencesOverlapping(series, { from: 0, until: Date.UTC(9999, 0, 1) }, 10);
          const { startsAt } = slots[nth % slots.length] as { readonly startsAt: number };
          const at = startsAt + Math.floor(part * Math.max(0, length - 1));
          expect(isFound(series, { from: at, until: at + 1 })).toBe(true);
        },
      ),
      { numRuns: 4_000 },
    );
  });

  test.each([
    ["DAILY", 3, 24],
    ["WEEKLY", 2, 56],
    ["MONTHLY", 2, 62],
    ["YEARLY", 2, 365],
  ] as const)(
    "%s series of an hour: an instant searches few of the series that start at all times",
    (frequency, limit, of) => {
      const cycle = { DAILY: DAY, WEEKLY: 7 * DAY, MONTHLY: 31 * DAY, YEARLY: 365 * DAY }[frequency];
      const starts = Array.from({ length: of }, (_, at) => Date.UTC(2023, 0, 1) + Math.floor((at * cycle) / of));
      const at = Date.UTC(2024, 4, 9, 12);
      const seen = starts.filter((start) => isFound(seriesFrom(start, HOUR, frequency), { from: at, until: at + 1 }));
      expect(seen.length).toBeLessThanOrEqual(limit);
    },
  );

  test("a series longer than two days, or as long as its cycle, is searched by every window", () => {
    const entries = (longMs: number, frequency: "DAILY" | "WEEKLY") =>
      cycleEntries(seriesFrom(Date.UTC(2024, 4, 6), longMs, frequency)).length;
    expect([entries(23 * HOUR, "DAILY"), entries(2 * DAY + 1, "WEEKLY"), entries(2 * DAY, "WEEKLY")]).toEqual([
      1, 1, 17,
    ]);
  });

  test("an occurrence at the end of a month continues into the next one, however long the month is", () => {
    const entries = cycleEntries(seriesFrom(Date.UTC(2024, 0, 29, 18), 12 * HOUR, "MONTHLY"));
    const zero = Math.min(...entries) + 1;
    const days = entries.slice(1).map((entry) => 1 + Math.floor((entry - zero) / 2));
    expect(days).toEqual([1, 29, 30]);
  });

  test("no window has more than two ranges of a cycle, and a whole cycle has none", () => {
    const wall = Date.UTC(2024, 1, 27, 23);
    const counts = [1, HOUR, DAY, 8 * DAY, 32 * DAY, 366 * DAY].map(
      (ms) => entryNumbersBetween(wall, wall + ms).ranges.length,
    );
    expect(counts).toEqual([4, 5, 3, 3, 1, 0]);
    expect(entryNumbersBetween(Date.UTC(2024, 11, 31, 23), Date.UTC(2025, 0, 1, 1)).ranges).toHaveLength(7);
  });

  test("a window of several clocks searches as far as any of them", () => {
    const kathmandu = zone("Asia/Kathmandu");
    const at = Date.UTC(2024, 4, 6);
    const series = { ...seriesFrom(at, HOUR, "WEEKLY"), clock: [{ zone: kathmandu, since: 0 }] as const };
    expect(isFound(series, { from: at, until: at + 1 })).toBe(true);
    const inUtc = { ...series, clock: [{ zone: UTC, since: 0 }] as const };
    expect(cycleEntries(series)).not.toEqual(cycleEntries(inUtc));
  });
});
