import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { DAY, zone } from "../../../../test/calendar/any-series.ts";
import { anyTimedSeries, anyTimedSeriesAndWindow } from "../../../../test/calendar/any-timed-rule.ts";
import { enumerated, enumeratedStarts } from "../../../../test/calendar/enumerate-timed-rule.ts";
import { LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import type { Window } from "../../../contracts/window.ts";
import { localToInstant } from "../calendar/local-to-instant.ts";
import { UTC } from "../calendar/zone.ts";
import { overlaps } from "../event/window.ts";
import { occurrenceNumber } from "./occurrence-number.ts";
import {
  hasSecondOccurrence,
  occurrencesOverlapping,
  occurrencesStarting,
  ruleOccurrenceAt,
  type Series,
  seriesEnd,
} from "./occurrences.ts";
import { originalUnderNewRules } from "./original-under-new-rules.ts";
import { fullRecurrence } from "./parse-recurrence.ts";
import { readRrule, writeRrule } from "./rrule-text.ts";
import { datesOf, isDateOfRule, lastWallOf } from "./rule-dates.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;

function rule(text: string): Recurrence {
  const read = readRrule(text, UTC);
  if (Array.isArray(read)) throw new Error(read[0]?.message);
  return fullRecurrence(read);
}

function series(zoneName: string, wall: string, text: string, minutes = 30): Series {
  const startsAt = localToInstant(Date.parse(`${wall}Z`), zone(zoneName));
  const clock = [{ zone: zone(zoneName), since: 0 }] as const;
  return { startsAt, endsAt: startsAt + minutes * MINUTE, recurrence: rule(text), clock };
}

/** The first wall times of a rule, in UTC. */
function walls(text: string, start: string, limit: number): string[] {
  const wall = Date.parse(`${start}Z`);
  expect(isDateOfRule(rule(text), wall)).toBe(true);
  const next = datesOf(rule(text), wall).read(wall, Date.UTC(9999, 0, 1));
  const all = Array.from({ length: limit }, next).filter((at) => at !== undefined);
  return all.map((at) => new Date(at).toISOString().slice(5, 16));
}

function starts(of: Series, limit: number): string[] {
  const all = occurrencesStarting(of, { from: 0, until: LAST_EPOCH_MS }, limit);
  return all.map(({ startsAt }) => new Date(startsAt).toISOString().slice(5, 16));
}

describe("rules with times of day (D45)", () => {
  test.each([
    [
      "every 20 minutes from 9:00 to 16:40 (RFC 5545, section 3.8.5.3)",
      "FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40",
      "1997-09-02T09:00",
      "09-02T09:00 09-02T09:20 09-02T09:40 09-02T10:00",
    ],
    [
      "8:30 and 9:30 on Sundays of January in every other year (RFC 5545, section 3.3.10)",
      "FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYDAY=SU;BYHOUR=8,9;BYMINUTE=30",
      "1997-01-05T08:30",
      "01-05T08:30 01-05T09:30 01-12T08:30 01-12T09:30",
    ],
    [
      "two hours with the minute of the start",
      "FREQ=DAILY;BYHOUR=9,21",
      "2030-01-01T09:15",
      "01-01T09:15 01-01T21:15 01-02T09:15",
    ],
    ["a start in the middle of a day", "FREQ=DAILY;BYHOUR=9,21", "2030-01-01T21:15", "01-01T21:15 01-02T09:15"],
    ["a count of times", "FREQ=DAILY;COUNT=3;BYHOUR=9,21", "2030-01-01T09:00", "01-01T09:00 01-01T21:00 01-02T09:00"],
    [
      "the last time of the month",
      "FREQ=MONTHLY;BYDAY=FR;BYHOUR=9,21;BYSETPOS=-1",
      "2030-01-25T21:00",
      "01-25T21:00 02-22T21:00",
    ],
    [
      "the third time of the week",
      "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9,21;BYSETPOS=3",
      "2030-01-02T09:00",
      "01-02T09:00 01-09T09:00",
    ],
    ["the second time of the day", "FREQ=DAILY;BYHOUR=9,21;BYSETPOS=2", "2030-01-01T21:00", "01-01T21:00 01-02T21:00"],
    [
      "the last time of the year",
      "FREQ=YEARLY;BYDAY=MO;BYHOUR=9,21;BYSETPOS=-1",
      "2029-12-31T21:00",
      "12-31T21:00 12-30T21:00",
    ],
    ["seconds", "FREQ=WEEKLY;BYSECOND=0,30", "2030-01-01T09:15", "01-01T09:15 01-01T09:15 01-08T09:15"],
  ])("%s", (_name, text, start, expected) => {
    expect(walls(text, start, expected.split(" ").length).join(" ")).toBe(expected);
  });

  test("a count ends within a day", () => {
    expect(walls("FREQ=DAILY;COUNT=3;BYHOUR=9,21", "2030-01-01T09:00", 9)).toHaveLength(3);
  });

  test.each([
    ["FREQ=DAILY;BYHOUR=9,21", "2030-01-01T10:00"],
    ["FREQ=DAILY;BYMINUTE=0", "2030-01-01T10:30"],
    ["FREQ=WEEKLY;BYDAY=MO;BYHOUR=10", "2030-01-01T10:00"],
    ["FREQ=DAILY;BYHOUR=9,21;BYSETPOS=1", "2030-01-01T21:00"],
    ["FREQ=DAILY;BYHOUR=9,21;BYSETPOS=3", "2030-01-01T21:00"],
  ])("%s has no date at %s", (text, start) => {
    expect(isDateOfRule(rule(text), Date.parse(`${start}Z`))).toBe(false);
  });

  test("times that a clock change moves past each other are in the order of their instants, an instant once", () => {
    const night = series("America/New_York", "2024-03-09T02:30", "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=15,30");
    expect(starts(night, 7)).toEqual([
      "03-09T07:30",
      "03-09T08:15",
      "03-09T08:30",
      "03-10T07:15",
      "03-10T07:30",
      "03-11T06:15",
      "03-11T06:30",
    ]);
    const swapped = series("America/New_York", "2024-03-09T02:30", "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=30,0");
    expect(starts(swapped, 6).slice(3)).toEqual(["03-10T07:00", "03-10T07:30", "03-11T06:00"]);
  });

  test("UNTIL ends a rule after the last instant that it includes, whatever the order of wall times", () => {
    const night = series("America/New_York", "2024-03-09T02:30", "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=15,30");
    const until = Date.parse("2024-03-10T07:20Z");
    expect(starts({ ...night, recurrence: { ...night.recurrence, until } }, 9)).toHaveLength(4);
  });

  test("the later times of day in an hour that occurs twice follow a start that was given as the later one", () => {
    const startsAt = Date.parse("2024-11-03T06:30Z");
    const clock = [{ zone: zone("America/New_York"), since: 0 }] as const;
    const recurrence = rule("FREQ=DAILY;BYHOUR=1;BYMINUTE=15,30,45");
    expect(starts({ startsAt, endsAt: startsAt + MINUTE, recurrence, clock }, 3)).toEqual([
      "11-03T06:30",
      "11-03T06:45",
      "11-04T06:15",
    ]);
  });

  test("a series ends with its latest occurrence, which a clock change has moved past the last date of the rule", () => {
    // On the last day 02:30 moves to 03:30, past 03:00.
    const night = series("America/New_York", "2024-03-09T02:00", "FREQ=DAILY;COUNT=7;BYHOUR=2,3;BYMINUTE=0,30");
    expect(starts(night, 9).slice(4)).toEqual(["03-10T07:00", "03-10T07:30"]);
    expect(seriesEnd(night)).toBe(Date.parse("2024-03-10T08:00Z"));
  });

  test("a window has all occurrences of a day that overlap it", () => {
    const day = series("UTC", "2030-01-01T08:00", "FREQ=DAILY;BYHOUR=8,9,10,11", 150);
    const at = Date.parse("2030-01-05T10:15Z");
    const found = occurrencesOverlapping(day, { from: at, until: at + 1 }, 9).map(
      ({ startsAt }) => (startsAt % DAY) / HOUR,
    );
    expect(found).toEqual([8, 9, 10]);
  });

  test("a rule whose only two dates are at one instant has no second occurrence", () => {
    const start = localToInstant(Date.parse("2024-03-10T02:30Z"), zone("America/New_York"));
    const clock = [{ zone: zone("America/New_York"), since: 0 }] as const;
    const recurrence = rule("FREQ=DAILY;COUNT=2;BYHOUR=2,3");
    const startWall = Date.parse("2024-03-10T02:30Z");
    expect(hasSecondOccurrence({ startsAt: start, endsAt: start, startWall, recurrence, clock })).toBe(false);
  });

  test("an occurrence stays at its instant after new rules of its zone if another time of day is as near", () => {
    const of = series("UTC", "2030-01-01T09:00", "FREQ=DAILY;BYHOUR=9,11");
    expect(originalUnderNewRules(of, of.startsAt + 5 * DAY + HOUR)).toBeUndefined();
    const apart = series("UTC", "2030-01-01T09:00", "FREQ=DAILY;BYHOUR=9,21");
    expect(originalUnderNewRules(apart, apart.startsAt + 5 * DAY + HOUR)).toBe(apart.startsAt + 5 * DAY);
  });
});

describe("laws of rules with times of day", () => {
  const RUNS = { numRuns: 150 };
  const whole = ({ startsAt }: Series, { until }: Window): Window => ({ from: startsAt, until });

  test("a window has exactly the starts of an enumeration of all days, in order, each once", () => {
    fc.assert(
      fc.property(anyTimedSeriesAndWindow, ({ series: of, wall, window }) => {
        fc.pre(window.until - of.startsAt < 700 * DAY);
        const expected = enumeratedStarts(of, wall, window.until).filter((at) => at >= window.from);
        expect(occurrencesStarting(of, window, 1e6).map(({ original }) => original)).toEqual(expected);
        expect(occurrencesStarting(of, window, 3).map(({ original }) => original)).toEqual(expected.slice(0, 3));
      }),
      RUNS,
    );
  });

  test("UNTIL at an occurrence leaves exactly the occurrences up to it", () => {
    fc.assert(
      fc.property(anyTimedSeriesAndWindow, fc.nat(40), ({ series: of, wall, window }, nth) => {
        const all = occurrencesStarting(of, whole(of, window), 60);
        const last = all[nth % Math.max(1, all.length)];
        fc.pre(last !== undefined && window.until - of.startsAt < 700 * DAY);
        const until = last?.original ?? 0;
        const ended = { ...of, recurrence: { ...of.recurrence, count: -1, until } };
        const found = occurrencesStarting(ended, whole(of, window), 1e6).map(({ original }) => original);
        expect(found).toEqual(enumeratedStarts(ended, wall, window.until));
        expect(seriesEnd(ended)).toBeGreaterThanOrEqual(Math.max(...found) + of.endsAt - of.startsAt);
      }),
      RUNS,
    );
  });

  test("a window has exactly the occurrences that overlap it, and each is found by its original start", () => {
    fc.assert(
      fc.property(anyTimedSeriesAndWindow, ({ series: of, window }) => {
        const all = occurrencesStarting(of, whole(of, window), 1e6).filter((each) => overlaps(each, window));
        expect(occurrencesOverlapping(of, window, 1e6)).toEqual(all);
        for (const each of all.slice(0, 30)) {
          expect(ruleOccurrenceAt(of, each.original)).toEqual(each);
          expect(ruleOccurrenceAt(of, each.original + 1)).toBeUndefined();
        }
      }),
      RUNS,
    );
  });

  test("the stored last date of a count changes only the time of a computation, and is the end of the series", () => {
    fc.assert(
      fc.property(anyTimedSeries, fc.integer({ min: 2, max: 60 }), ({ series: any, wall }, count) => {
        const of = { ...any, recurrence: { ...any.recurrence, count } };
        // Another object: series with the same one share their dates.
        const recurrence = { ...of.recurrence };
        const known = { ...of, recurrence, lastWall: lastWallOf(recurrence, wall) ?? 0 };
        const window = { from: 0, until: Date.UTC(2600, 0, 1) };
        const all = occurrencesStarting(of, window, 100);
        expect(occurrencesStarting(known, window, 100)).toEqual(all);
        expect(seriesEnd(known)).toBe(seriesEnd(of));
        fc.pre(new Set(all.map(({ wall: each }) => each)).size === count);
        expect(seriesEnd(of)).toBe(all.at(-1)?.endsAt);
      }),
      RUNS,
    );
  });

  test("an occurrence has the number of its wall time among the dates of the rule", () => {
    fc.assert(
      fc.property(anyTimedSeriesAndWindow, ({ series: of, wall, window }) => {
        fc.pre(window.until - of.startsAt < 400 * DAY);
        const numbers = new Map(
          enumerated(of, wall, Math.ceil(window.until / DAY) + 1).map((each, at) => [each, at + 1]),
        );
        for (const each of occurrencesStarting(of, window, 30)) {
          expect(occurrenceNumber(of, each)).toBe(numbers.get(each.wall));
        }
      }),
      { numRuns: 80 },
    );
  });

  test("text and members convert to each other", () => {
    fc.assert(
      fc.property(anyTimedSeries, ({ series: { recurrence } }) => {
        expect(rule(writeRrule(recurrence))).toEqual(recurrence);
      }),
      RUNS,
    );
  });
});
