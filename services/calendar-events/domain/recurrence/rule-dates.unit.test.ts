import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyByRuleSeriesAndWindow, anyByRuleSeries } from "../../../../test/calendar/any-rule.ts";
import { zone } from "../../../../test/calendar/any-series.ts";
import { LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import { fullRecurrence } from "./parse-recurrence.ts";
import {
  ruleOccurrenceAt,
  occurrencesStarting,
  occurrencesOverlapping,
  type Series,
  seriesEnd,
} from "./occurrences.ts";
import { readRrule, writeRrule } from "./rrule-text.ts";
import { datesOf, isDateOfRule, lastWallOf, readWalls } from "./rule-dates.ts";
import { wallPeriodsOf } from "./wall-periods.ts";
import { overlaps } from "../event/window.ts";
import { UTC } from "../calendar/zone.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function rule(text: string): Recurrence {
  const read = readRrule(text, UTC);
  if (Array.isArray(read)) throw new Error(read[0]?.message);
  return fullRecurrence(read);
}

function series(zoneName: string, startsAt: string, recurrence: Recurrence): Series {
  const start = Date.parse(startsAt);
  return { startsAt: start, endsAt: start + HOUR, recurrence, clock: [{ zone: zone(zoneName), since: 0 }] };
}

function starts(of: Series, limit: number): string[] {
  const slots = occurrencesStarting(of, { from: 0, until: LAST_EPOCH_MS }, limit);
  return slots.map(({ startsAt }) => new Date(startsAt).toISOString().slice(0, 16));
}

/** Days of the first occurrences of a rule that starts at 09:00 in New York, as the examples of RFC 5545 do. */
function days(text: string, start: string, limit: number): string {
  const wall = Date.parse(`${start}T09:00Z`);
  expect(isDateOfRule(rule(text), wall)).toBe(true);
  const next = datesOf(rule(text), wall).read(wall, Date.UTC(9999, 0, 1));
  const walls = Array.from({ length: limit }, next).filter((at) => at !== undefined);
  return walls.map((at) => new Date(at).toISOString().slice(2, 10)).join(" ");
}

describe("rules of RFC 5545, section 3.8.5.3", () => {
  test.each([
    ["every other week", "FREQ=WEEKLY;INTERVAL=2;WKST=SU", "1997-09-02", "97-09-02 97-09-16 97-09-30 97-10-14"],
    [
      "Tuesday and Thursday for five weeks",
      "FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH",
      "1997-09-02",
      "97-09-02 97-09-04 97-09-09 97-09-11 97-09-16 97-09-18 97-09-23 97-09-25 97-09-30 97-10-02",
    ],
    [
      "every other week on Monday, Wednesday and Friday",
      "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO,WE,FR",
      "1997-09-01",
      "97-09-01 97-09-03 97-09-05 97-09-15 97-09-17",
    ],
    ["the first Friday", "FREQ=MONTHLY;COUNT=4;BYDAY=1FR", "1997-09-05", "97-09-05 97-10-03 97-11-07 97-12-05"],
    [
      "every other month on the first and last Sunday",
      "FREQ=MONTHLY;INTERVAL=2;COUNT=5;BYDAY=1SU,-1SU",
      "1997-09-07",
      "97-09-07 97-09-28 97-11-02 97-11-30 98-01-04",
    ],
    ["the second-to-last Monday", "FREQ=MONTHLY;BYDAY=-2MO", "1997-09-22", "97-09-22 97-10-20 97-11-17 97-12-22"],
    ["the third-to-last day", "FREQ=MONTHLY;BYMONTHDAY=-3", "1997-09-28", "97-09-28 97-10-29 97-11-28 97-12-29"],
    [
      "the first and last day",
      "FREQ=MONTHLY;COUNT=4;BYMONTHDAY=1,-1",
      "1997-09-30",
      "97-09-30 97-10-01 97-10-31 97-11-01",
    ],
    [
      "the 10th to 15th every 18 months",
      "FREQ=MONTHLY;INTERVAL=18;COUNT=8;BYMONTHDAY=10,11,12,13,14,15",
      "1997-09-10",
      "97-09-10 97-09-11 97-09-12 97-09-13 97-09-14 97-09-15 99-03-10 99-03-11",
    ],
    [
      "every Tuesday, every other month",
      "FREQ=MONTHLY;INTERVAL=2;BYDAY=TU",
      "1997-09-02",
      "97-09-02 97-09-09 97-09-16 97-09-23 97-09-30 97-11-04",
    ],
    ["June and July", "FREQ=YEARLY;COUNT=4;BYMONTH=6,7", "1997-06-10", "97-06-10 97-07-10 98-06-10 98-07-10"],
    ["the 20th Monday of the year", "FREQ=YEARLY;BYDAY=20MO", "1997-05-19", "97-05-19 98-05-18 99-05-17"],
    ["every Thursday in March", "FREQ=YEARLY;BYMONTH=3;BYDAY=TH", "1997-03-13", "97-03-13 97-03-20 97-03-27 98-03-05"],
    [
      "Friday the 13th",
      "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
      "1998-02-13",
      "98-02-13 98-03-13 98-11-13 99-08-13 00-10-13",
    ],
    [
      "the Saturday after the first Sunday",
      "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
      "1997-09-13",
      "97-09-13 97-10-11 97-11-08",
    ],
    [
      "US presidential election day",
      "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
      "1996-11-05",
      "96-11-05 00-11-07 04-11-02",
    ],
    [
      "the third of Tuesday, Wednesday, Thursday",
      "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
      "1997-09-04",
      "97-09-04 97-10-07 97-11-06",
    ],
    [
      "the second-to-last weekday",
      "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
      "1997-09-29",
      "97-09-29 97-10-30 97-11-27 97-12-30",
    ],
    [
      "an invalid date is ignored",
      "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
      "2007-01-15",
      "07-01-15 07-01-30 07-02-15 07-03-15 07-03-30",
    ],
    [
      "weeks that begin on Monday",
      "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
      "1997-08-05",
      "97-08-05 97-08-10 97-08-19 97-08-24",
    ],
    [
      "weeks that begin on Sunday",
      "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
      "1997-08-05",
      "97-08-05 97-08-17 97-08-19 97-08-31",
    ],
    ["daily in January", "FREQ=DAILY;BYMONTH=1", "1998-01-30", "98-01-30 98-01-31 99-01-01"],
    [
      "each date of a day is its first and its last",
      "FREQ=DAILY;BYDAY=MO;BYSETPOS=1,-1,2",
      "1997-09-01",
      "97-09-01 97-09-08",
    ],
    ["the last day of a set of a year", "FREQ=YEARLY;BYDAY=MO;BYSETPOS=-1", "1997-12-29", "97-12-29 98-12-28 99-12-27"],
    [
      "the first of a set of a week that begins on Sunday",
      "FREQ=WEEKLY;BYDAY=SU,MO;WKST=SU;BYSETPOS=1",
      "1997-09-07",
      "97-09-07 97-09-14",
    ],
    [
      "29 February on a Monday",
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO",
      "1988-02-29",
      "88-02-29 16-02-29 44-02-29 72-02-29 12-02-29",
    ],
  ])("%s", (_name, text, start, expected) => {
    expect(days(text, start, expected.split(" ").length)).toBe(expected);
  });

  test("a count ends the rule", () => {
    expect(days("FREQ=WEEKLY;COUNT=3;BYDAY=TU,TH", "1997-09-02", 9)).toBe("97-09-02 97-09-04 97-09-09");
  });

  test.each([
    ["FREQ=WEEKLY;BYDAY=TU", "1997-09-03"],
    ["FREQ=MONTHLY;BYDAY=-1FR", "1997-09-19"],
    ["FREQ=YEARLY;BYMONTH=9;INTERVAL=2;BYMONTHDAY=4", "1997-09-03"],
    ["FREQ=MONTHLY;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-03"],
    ["FREQ=DAILY;BYDAY=WE;BYSETPOS=2", "1997-09-03"],
    ["FREQ=MONTHLY;BYMONTH=8;BYMONTHDAY=3", "1997-09-03"],
  ])("%s has no date on %s", (text, start) => {
    expect(isDateOfRule(rule(text), Date.parse(`${start}T09:00Z`))).toBe(false);
  });
});

describe("occurrences of rules with BYxxx parts", () => {
  test("keep their wall time across clock changes; a time in the gap moves forward only on that day", () => {
    const weekly = series("America/New_York", "2024-03-05T07:30Z", rule("FREQ=WEEKLY;BYDAY=TU,SU"));
    expect(starts(weekly, 4)).toEqual(["2024-03-05T07:30", "2024-03-10T07:30", "2024-03-12T06:30", "2024-03-17T06:30"]);
  });

  test("UNTIL is the last start, to the second, by the original start", () => {
    const until = Date.parse("2024-05-08T12:00:00.000Z");
    const withUntil = (at: number) => series("UTC", "2024-05-06T12:00:00.400Z", { ...rule("FREQ=DAILY"), until: at });
    expect(starts(withUntil(until), 9)).toHaveLength(3);
    expect(starts(withUntil(until - 1), 9)).toHaveLength(2);
    expect(seriesEnd(withUntil(until))).toBeGreaterThanOrEqual(Date.parse("2024-05-08T13:00:00.400Z"));
  });

  test("EXDATEs are excluded, RDATEs are included once and in order, and both have ids", () => {
    const first = Date.parse("2024-05-06T12:00Z");
    const recurrence = {
      ...rule("FREQ=WEEKLY;COUNT=3"),
      exDates: [first + 7 * DAY, first + 9 * DAY],
      rDates: [first, first + DAY, first + 9 * DAY, first + 14 * DAY, first + 30 * DAY],
    };
    const of = series("UTC", "2024-05-06T12:00Z", recurrence);
    expect(starts(of, 9).map((at) => at.slice(5, 10))).toEqual(["05-06", "05-07", "05-20", "06-05"]);
    const at = (days_: number) => ruleOccurrenceAt(of, first + days_ * DAY);
    expect([at(0)?.isFirst, at(1)?.isFirst, at(7), at(9), at(14)?.startsAt]).toEqual([
      true,
      false,
      undefined,
      undefined,
      first + 14 * DAY,
    ]);
    expect(seriesEnd(of)).toBe(first + 30 * DAY + HOUR);
  });

  test("an RDATE moves with the zone of its calendar as the occurrences of the rule do", () => {
    const start = Date.parse("2024-05-06T12:00Z");
    const recurrence = { ...rule("FREQ=WEEKLY;COUNT=2"), rDates: [start + DAY] };
    const clock = [
      { zone: zone("Pacific/Kiritimati"), since: 0 },
      { zone: zone("Pacific/Pago_Pago"), since: start - DAY },
    ] as const;
    const moved = { ...series("UTC", "2024-05-06T12:00Z", recurrence), clock };
    const shown = occurrencesOverlapping(moved, { from: start + 2 * DAY, until: start + 2 * DAY + 2 * HOUR }, 9);
    expect(shown.map(({ original, startsAt }) => [original, startsAt])).toEqual([
      [start + DAY, start + 2 * DAY + HOUR],
    ]);
  });

  test("a window has exactly the occurrences that overlap it, out of all occurrences", () => {
    fc.assert(
      fc.property(anyByRuleSeriesAndWindow, ({ series: any, window }) => {
        const before = { from: any.startsAt, until: window.until };
        const all = occurrencesStarting(any, before, 1e6).filter((slot) => overlaps(slot, window));
        expect(occurrencesOverlapping(any, window, 1e6)).toEqual(all);
        for (const slot of all.slice(0, 20)) {
          expect(ruleOccurrenceAt(any, slot.original)).toEqual(slot);
          expect(ruleOccurrenceAt(any, slot.original + 1)).toBeUndefined();
        }
      }),
      { numRuns: 300 },
    );
  });

  test("the stored last date of a count changes only the time of a computation", () => {
    fc.assert(
      fc.property(anyByRuleSeries, ({ series: any, wall }) => {
        const lastWall = lastWallOf({ ...any.recurrence }, wall);
        expect(lastWall === undefined).toBe(any.recurrence.count === -1);
        fc.pre(lastWall !== undefined);
        const all = occurrencesStarting(any, { from: 0, until: Date.UTC(2600, 0, 1) }, 100);
        // Another object: series with the same one share its dates.
        const known = { ...any, recurrence: { ...any.recurrence }, lastWall: lastWall ?? 0 };
        expect(occurrencesStarting(known, { from: 0, until: Date.UTC(2600, 0, 1) }, 100)).toEqual(all);
        expect(seriesEnd(known)).toBe(seriesEnd(any));
      }),
      { numRuns: 300 },
    );
  });

  test("text and members convert to each other", () => {
    fc.assert(
      fc.property(anyByRuleSeries, ({ series: { recurrence } }) => {
        expect(rule(writeRrule(recurrence))).toEqual(recurrence);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the steps of a window", () => {
  test.each([
    ["FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "1970-01-01", 22, 2],
    ["FREQ=MONTHLY;BYDAY=-1FR", "1970-01-30", 1, 2],
    ["FREQ=YEARLY;BYDAY=MO;BYSETPOS=-1", "1970-12-28", 0, 1],
    ["FREQ=WEEKLY;BYDAY=MO,SU;BYSETPOS=1", "1970-01-05", 5, 6],
    ["FREQ=YEARLY;INTERVAL=1000;BYMONTH=1;BYMONTHDAY=1", "1970-01-01", 0, 0],
  ])("%s of 1970 reads January 2101 only", (text, start, limit, periodsRead) => {
    const [startWall, from] = [start, "2101-01-01"].map((date) => Date.parse(date)) as [number, number];
    const periods = wallPeriodsOf(rule(text), startWall);
    const read: number[] = [];
    const wallsIn = (period: number) => {
      read.push(period);
      return periods.wallsIn(period);
    };
    const next = readWalls({ ...periods, wallsIn }, startWall, from, from + 30 * DAY);
    expect(Array.from({ length: 40 }, next).filter((wall) => wall !== undefined).length).toBeLessThanOrEqual(limit);
    expect(read.length).toBeLessThanOrEqual(periodsRead);
  });
});
