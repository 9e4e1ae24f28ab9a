import { LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import { hasByParts } from "./by-rule-parts.ts";
import { DAY_MS } from "./civil-days.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { type Steps, stepsOf } from "./simple-rule.ts";
import { periodsOf, type RulePeriods } from "./rule-periods.ts";

/** Returns the next wall time, in order; undefined after the last one. */
export type ReadWalls = () => WallMs | undefined;

/** The dates of a rule on the wall clock, the start first; UNTIL does not apply. */
export interface RuleDates {
  /** Reads the dates from `from` to `until`, exclusive. The first ones may be earlier than `from`. */
  read(from: WallMs, until: WallMs): ReadWalls;
  /** The last date by the count of the rule; undefined without a count. */
  last(): WallMs | undefined;
}

/** The last day of any clock (D13). */
const LAST_DAY = Math.floor((LAST_EPOCH_MS + DAY_MS) / DAY_MS);

/**
 * The dates of a rule that starts at a wall time. To find the last date by a count and BYxxx parts, all dates are
 * read: at most 10 000 dates, in the months until the year 9999. A stored series has that date as `lastDay`.
 */
export function datesOf(recurrence: Recurrence, start: WallMs, lastDay?: number): RuleDates {
  return hasByParts(recurrence) ? datesByParts(recurrence, start, lastDay) : datesBySteps(recurrence, start);
}

/** Whether a rule that starts at a wall time has a date there. */
export function isDateOfRule(recurrence: Recurrence, start: WallMs): boolean {
  if (!hasByParts(recurrence)) return true;
  const day = Math.floor(start / DAY_MS);
  const periods = periodsOf(recurrence, day);
  const period = periods.periodOf(day);
  return periods.nextFrom(period) === period && periods.datesIn(period).includes(day);
}

/**
 * The day of the last date of a rule with a count and BYxxx parts, which is stored with the rule; undefined for other
 * rules.
 */
export function lastDayOf(recurrence: Recurrence, start: WallMs): number | undefined {
  if (recurrence.count === -1 || !hasByParts(recurrence)) return undefined;
  const last = datesOf(recurrence, start).last() ?? start;
  return Math.floor(last / DAY_MS);
}

function datesBySteps(recurrence: Recurrence, start: WallMs): RuleDates {
  const steps = stepsOf(recurrence, start);
  return {
    read(from, until) {
      let step = steps.stepFrom(from);
      return () => {
        while (step <= steps.last) {
          const wall = steps.wallOf(step);
          step += 1;
          if (wall !== undefined) return wall < until ? wall : undefined;
        }
        return undefined;
      };
    },
    last: () => (recurrence.count === -1 ? undefined : lastExisting(steps, start)),
  };
}

function lastExisting(steps: Steps, start: WallMs): WallMs {
  let last = steps.last;
  while (last > 0 && steps.wallOf(last) === undefined) last -= 1;
  return steps.wallOf(last) ?? start;
}

function datesByParts(recurrence: Recurrence, start: WallMs, knownLastDay?: number): RuleDates {
  const startDay = Math.floor(start / DAY_MS);
  const timeOfDay = start - startDay * DAY_MS;
  const periods = periodsOf(recurrence, startDay);
  const { count } = recurrence;
  const wallOf = (day: number) => day * DAY_MS + timeOfDay;
  let lastDay = count === -1 ? LAST_DAY : knownLastDay;
  const toLastDay = () => {
    lastDay ??= dayOfCount(periods, startDay, count);
    return lastDay;
  };
  return {
    read(from, until) {
      const fromDay = Math.ceil((from - timeOfDay) / DAY_MS);
      const untilDay = Math.ceil((until - timeOfDay) / DAY_MS) - 1;
      const next = readDays(periods, startDay, fromDay, Math.min(untilDay, toLastDay()));
      return () => {
        const day = next();
        return day === undefined ? undefined : wallOf(day);
      };
    },
    last: () => (count === -1 ? undefined : wallOf(toLastDay())),
  };
}

/**
 * Returns a function that reads the days of a rule from `from` to `last`, both included. The day of the start is a date, whether
 * or not the rule chooses it.
 */
export function readDays(periods: RulePeriods, startDay: number, from: number, last: number): () => number | undefined {
  const first = Math.max(from, startDay + 1);
  let startIsNext = from <= startDay;
  let period = periods.nextFrom(periods.periodOf(first));
  let dates: readonly number[] = [];
  let at = 0;
  return () => {
    if (startIsNext) {
      startIsNext = false;
      return startDay <= last ? startDay : undefined;
    }
    for (;;) {
      for (; at < dates.length; at += 1) {
        const date = dates[at] ?? Infinity;
        if (date > last) return undefined;
        if (date < first) continue;
        at += 1;
        return date;
      }
      // `firstDay` is NaN after the last period, so this condition is negated.
      if (!(periods.firstDay(period) <= last)) return undefined;
      dates = periods.datesIn(period);
      at = 0;
      period = periods.nextFrom(period + 1);
    }
  };
}

/** The day of the nth date, n from 1; `LAST_DAY` if there are fewer dates. */
function dayOfCount(periods: RulePeriods, startDay: number, n: number): number {
  const next = readDays(periods, startDay, startDay, LAST_DAY);
  let day = startDay;
  for (let read = 0; read < n; read += 1) {
    const date = next();
    if (date === undefined) return LAST_DAY;
    day = date;
  }
  return day;
}
