import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import ICAL from "ical.js";
import { RRule } from "rrule";
import { RRuleTemporal } from "rrule-temporal";
import { anyByRuleSeriesAndWindow, isNthOfYearAmongOthers, isSetOfWeeks, ruleText } from "./any-rule.ts";
import { anyTimedSeriesAndWindow } from "./any-timed-rule.ts";
import { type SeriesAndWindow, anySeriesAndWindow, type AnySeries } from "./any-series.ts";
import {
  instantToLocal,
  localToInstant,
  type WallMs,
} from "../../services/calendar-events/domain/calendar/local-to-instant.ts";
import { occurrencesStarting } from "../../services/calendar-events/domain/recurrence/occurrences.ts";
import { timesOfDay } from "../../services/calendar-events/domain/recurrence/times-of-day.ts";
import type { Window } from "../../services/contracts/window.ts";

const RUNS = { numRuns: 300 };
const DAY = 86_400_000;

/** The starts in a window, by the domain. */
function ours({ series }: AnySeries, window: Window): number[] {
  return occurrencesStarting(series, window, 10_000).map(({ startsAt }) => startsAt);
}

function stamp(wall: WallMs): string {
  return new Date(wall).toISOString().replaceAll(/[-:]|\.\d+Z/g, "");
}

/** Whether a start is in a gap: its time of day is then none of the rule's. */
function isMovedByGap({ wall, zone, series }: AnySeries, at: number): boolean {
  const shown = instantToLocal(at, zone);
  return timesOfDay(series.recurrence, wall).every((time) => (shown - time) % 86_400_000 !== 0);
}

describe("occurrences, compared with other libraries", () => {
  /**
   * A time that does not exist: RFC 5545, 3.3.5, "the local time … is interpreted using the UTC offset before the
   * gap". rrule-temporal omits such an occurrence instead, and adds one at the end of a rule with a count.
   * In Casablanca, where summer time pauses for Ramadan, it continues with the offset from before the pause. On
   * 2012-07-22 the offset was 0, which every-zone.contract.test.ts compares with `Intl`.
   */
  test("are those of rrule-temporal, except for times in a gap", () => {
    fc.assert(
      fc.property(anySeriesAndWindow, (look) => {
        const { mine, theirs } = besideTemporal(look);
        expect(mine).toEqual(theirs);
      }),
      RUNS,
    );
  });

  /**
   * RFC 5545, 3.3.10: each set of BYSETPOS in WEEKLY begins at WKST, also the first; a number in BYDAY counts within the year
   * if a YEARLY rule has no BYMONTH. rrule-temporal begins the first week at the start, counts within the month if the rule
   * has a BYMONTHDAY, and loses dates of a year if it has a BYSETPOS or a weekday without a number.
   */
  test("of rules with BYxxx parts are those of rrule-temporal, except for BYSETPOS in WEEKLY and nth weekdays of years with other parts", () => {
    fc.assert(
      fc.property(anyByRuleSeriesAndWindow, (look) => {
        const { recurrence } = look.series;
        fc.pre(!isSetOfWeeks(recurrence) && !isNthOfYearAmongOthers(recurrence));
        const { mine, theirs } = besideTemporal(look);
        expect(mine).toEqual(theirs);
      }),
      RUNS,
    );
  });

  /** rrule has wrong dates if BYDAY has numbers and other parts select among its dates. */
  test.each([
    ["BYxxx parts", anyByRuleSeriesAndWindow],
    ["times of day", anyTimedSeriesAndWindow],
  ])(
    "of rules with %s are those of rrule on the wall clock, except for numbers in BYDAY and for BYSETPOS",
    (_parts, any) => {
      fc.assert(
        fc.property(any, (look) => {
          const { byDay = [], bySetPos } = look.series.recurrence;
          fc.pre(bySetPos === undefined && byDay.every((day) => day.length === 2));
          const theirs = RRule.fromString(`DTSTART:${stamp(look.wall)}Z\nRRULE:${ruleText(look)}`);
          const { from, until } = look.window;
          const expected = theirs.between(new Date(from), new Date(until - 1), true).map((date) => date.getTime());
          expect(wallStarts(look)).toEqual(expected);
        }),
        RUNS,
      );
    },
  );

  test("of rules with times of day are those of rrule-temporal, except for times in a gap, BYSETPOS, and nth weekdays of years", () => {
    fc.assert(
      fc.property(anyTimedSeriesAndWindow, (look) => {
        const { recurrence, startsAt } = look.series;
        fc.pre(recurrence.bySetPos === undefined && !isNthOfYearAmongOthers(recurrence));
        fc.pre(startsAt === localToInstant(look.wall, look.zone));
        const { mine, theirs } = besideTemporal(look);
        expect(mine).toEqual(theirs);
      }),
      RUNS,
    );
  });

  test("are those of rrule on the wall clock", () => {
    fc.assert(
      fc.property(anySeriesAndWindow, (look) => {
        const { wall, series } = look;
        const { frequency, interval, count } = series.recurrence;
        const theirs = new RRule({
          freq: RRule[frequency],
          interval,
          dtstart: new Date(wall),
          ...(count === -1 ? {} : { count }),
        });
        const { from, until } = look.window;
        const expected = theirs.between(new Date(from), new Date(until - 1), true).map((date) => date.getTime());
        expect(wallStarts(look)).toEqual(expected);
      }),
      RUNS,
    );
  });

  /**
   * 29 February in a year that has none: RFC 5545, 3.3.10, "Recurrence rules may generate recurrence instances with
   * an invalid date … such recurrence instances MUST be ignored". ical.js uses 1 March instead, and has wrong dates in YEARLY
   * with an interval.
   */
  test("are those of ical.js on the wall clock, except for YEARLY on 29 February or with an interval", () => {
    fc.assert(
      fc.property(anySeriesAndWindow, (look) => {
        const { frequency, interval } = look.series.recurrence;
        const isLeapDay = new Date(look.wall).toISOString().includes("-02-29");
        fc.pre(frequency !== "YEARLY" || (interval === 1 && !isLeapDay));
        expect(wallStarts(look)).toEqual(icalStarts(look));
      }),
      { numRuns: 300 },
    );
  });
});

/** Whether rrule-temporal may omit a time in a gap, so that a count ends later, or a position is that of another date. */
function isShiftedByGaps(look: SeriesAndWindow): boolean {
  const { series, window } = look;
  const { bySetPos, count, ...recurrence } = series.recurrence;
  if (bySetPos === undefined && count === -1) return false;
  // The last period may end after the window.
  const whole = { from: series.startsAt, until: window.until + 366 * DAY };
  const every = {
    ...look,
    series: { ...series, recurrence: { ...recurrence, count: bySetPos === undefined ? count : -1 } },
  };
  return ours(every, whole).some((at) => isMovedByGap(look, at));
}

/** The starts in the window, by the domain and by rrule-temporal, without those in a gap. */
function besideTemporal(look: SeriesAndWindow): { readonly mine: number[]; readonly theirs: number[] } {
  const { series, wall, zone, window } = look;
  fc.pre(!isShiftedByGaps(look) && window.from >= series.startsAt && zone.name !== "Africa/Casablanca");
  const theirs = new RRuleTemporal({
    rruleString: `DTSTART;TZID=${zone.name}:${stamp(wall)}\nRRULE:${ruleText(look)}`,
    maxIterations: 100_000,
  });
  const starts = theirs.between(new Date(window.from), new Date(window.until - 1), true);
  return {
    mine: ours(look, window).filter((at) => !isMovedByGap(look, at)),
    theirs: starts.map(({ epochMilliseconds }) => epochMilliseconds),
  };
}

/** The starts in the window in a zone without clock changes, in which the wall time is the instant. */
function wallStarts({ series, wall, window }: AnySeries & { window: Window }): number[] {
  const clock = [{ zone: { name: "wall", spanAround: () => ({ first: 0, changes: [] }) }, since: 0 }] as const;
  const onWall = { ...series, startsAt: wall, endsAt: wall, clock };
  return occurrencesStarting(onWall, window, 10_000).map(({ startsAt }) => startsAt);
}

function icalStarts(look: AnySeries & { window: Window }): number[] {
  const { wall, window } = look;
  const iterator = ICAL.Recur.fromString(ruleText(look)).iterator(ICAL.Time.fromData(fieldsOf(wall)));
  const starts: number[] = [];
  for (let next = iterator.next() as ICAL.Time | null; next !== null; next = iterator.next() as ICAL.Time | null) {
    const at = Date.parse(`${next.toString()}Z`);
    if (at >= window.until) break;
    if (at >= window.from) starts.push(at);
  }
  return starts;
}

function fieldsOf(wall: number) {
  const date = new Date(wall);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  return { year, month, day, hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: 0 };
}
