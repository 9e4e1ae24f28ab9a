import { LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import { hasByParts } from "./by-rule-parts.ts";
import { DAY_MS } from "./civil-days.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { type Steps, stepsOf } from "./simple-rule.ts";
import { periodsOf, type RulePeriods } from "./rule-periods.ts";
import { timedPeriods } from "./timed-periods.ts";
import { hasTimes } from "./times-of-day.ts";

/** Returns the next wall time, in order; undefined after the last one. */
export type ReadWalls = () => WallMs | undefined;

/** The dates of a rule on the wall clock, the start first; UNTIL does not apply. */
export interface RuleDates {
  /** Reads the dates from `from` to `until`, exclusive. The first ones may be earlier than `from`. */
  read(from: WallMs, until: WallMs): ReadWalls;
  /** The last date by the count of the rule; undefined without a count. */
  last(): WallMs | undefined;
}

/** The last date by the count of a rule with BYxxx parts: its day, or its wall time if the rule has times of day. */
export interface LastDate {
  readonly lastDay?: number;
  readonly lastWall?: WallMs;
}

/** The last wall time of any clock (D13), and its day. */
const LAST_WALL = LAST_EPOCH_MS + DAY_MS;
const LAST_DAY = Math.floor(LAST_WALL / DAY_MS);

/**
 * The dates of a rule that starts at a wall time. To find the last date by a count and BYxxx parts, all dates are
 * read: at most 10 000 dates, in the months until the year 9999. A stored series has that date.
 */
export function datesOf(recurrence: Recurrence, start: WallMs, last: LastDate = {}): RuleDates {
  const known = knownDates.get(recurrence);
  if (known?.start === start) return known.dates;
  const dates = newDates(recurrence, start, last);
  knownDates.set(recurrence, { start, dates });
  return dates;
}

/**
 * Many lookups in one series share its dates, which keep the last date by a count, and the days of each kind of month that was
 * read. To compute these again for each EXDATE of an import would take seconds.
 */
const knownDates = new WeakMap<Recurrence, { readonly start: WallMs; readonly dates: RuleDates }>();

function newDates(recurrence: Recurrence, start: WallMs, { lastDay, lastWall }: LastDate): RuleDates {
  if (hasTimes(recurrence)) return datesByTimes(recurrence, start, lastWall);
  return hasByParts(recurrence) ? datesByParts(recurrence, start, lastDay) : datesBySteps(recurrence, start);
}

/** Whether a rule that starts at a wall time has a date there. */
export function isDateOfRule(recurrence: Recurrence, start: WallMs): boolean {
  if (hasTimes(recurrence)) return isDateIn(timedPeriods(recurrence, start), start);
  if (!hasByParts(recurrence)) return true;
  const day = Math.floor(start / DAY_MS);
  return isDateIn(periodsOf(recurrence, day), day);
}

function isDateIn(periods: RulePeriods, date: number): boolean {
  const period = periods.periodOf(date);
  return periods.nextFrom(period) === period && periods.datesIn(period).includes(date);
}

/** The last date of a rule with a count and BYxxx parts, which is stored with the rule; none for other rules. */
export function lastDateOf(recurrence: Recurrence, start: WallMs): LastDate {
  const isTimed = hasTimes(recurrence);
  if (recurrence.count === -1 || !(isTimed || hasByParts(recurrence))) return {};
  const last = datesOf(recurrence, start).last() ?? start;
  return isTimed ? { lastWall: last } : { lastDay: Math.floor(last / DAY_MS) };
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
    lastDay ??= dateOfCount(periods, startDay, count, LAST_DAY);
    return lastDay;
  };
  return {
    read(from, until) {
      const fromDay = Math.ceil((from - timeOfDay) / DAY_MS);
      const untilDay = Math.ceil((until - timeOfDay) / DAY_MS) - 1;
      const next = readDates(periods, startDay, fromDay, Math.min(untilDay, toLastDay()));
      return () => {
        const day = next();
        return day === undefined ? undefined : wallOf(day);
      };
    },
    last: () => (count === -1 ? undefined : wallOf(toLastDay())),
  };
}

function datesByTimes(recurrence: Recurrence, start: WallMs, knownLast?: WallMs): RuleDates {
  const periods = timedPeriods(recurrence, start);
  const { count } = recurrence;
  let last = count === -1 ? LAST_WALL : knownLast;
  const toLast = () => {
    last ??= dateOfCount(periods, start, count, LAST_WALL);
    return last;
  };
  return {
    read: (from, until) => readDates(periods, start, from, Math.min(until - 1, toLast())),
    last: () => (count === -1 ? undefined : toLast()),
  };
}

/**
 * Returns a function that reads the dates of a rule, which are days or wall times, from `from` to `last`, both included. The start
 * is a date, whether or not the rule chooses it.
 */
export function readDates(periods: RulePeriods, start: number, from: number, last: number): () => number | undefined {
  const first = Math.max(from, start + 1);
  let startIsNext = from <= start;
  let period = periods.nextFrom(periods.periodOf(first));
  let dates: readonly number[] = [];
  let at = 0;
  return () => {
    if (startIsNext) {
      startIsNext = false;
      return start <= last ? start : undefined;
    }
    for (;;) {
      for (; at < dates.length; at += 1) {
        const date = dates[at] ?? Infinity;
        if (date > last) return undefined;
        if (date < first) continue;
        at += 1;
        return date;
      }
      // `firstDate` is NaN after the last period, so this condition is negated.
      if (!(periods.firstDate(period) <= last)) return undefined;
      dates = periods.datesIn(period);
      at = 0;
      period = periods.nextFrom(period + 1);
    }
  };
}

/** The nth date, n from 1; `limit` if there are fewer dates until then. */
function dateOfCount(periods: RulePeriods, start: number, n: number, limit: number): number {
  const next = readDates(periods, start, start, limit);
  let nth = start;
  for (let read = 0; read < n; read += 1) {
    const date = next();
    if (date === undefined) return limit;
    nth = date;
  }
  return nth;
}
