import { LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import { hasByParts } from "./by-rule-parts.ts";
import { DAY_MS } from "./civil-days.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { type Steps, stepsOf } from "./simple-rule.ts";
import { type WallPeriods, wallPeriodsOf } from "./wall-periods.ts";

/** Returns the next wall time, in order; undefined after the last one. */
export type ReadWalls = () => WallMs | undefined;

/** The dates of a rule on the wall clock, the start first; UNTIL does not apply. */
export interface RuleDates {
  /** Reads the dates from `from` to `until`, exclusive. The first ones may be earlier than `from`. */
  read(from: WallMs, until: WallMs): ReadWalls;
  /** The last date by the count of the rule; undefined without a count. */
  last(): WallMs | undefined;
}

/** The last wall time of any clock (D13). */
const LAST_WALL = LAST_EPOCH_MS + DAY_MS;

/**
 * The dates of a rule that starts at a wall time. To find the last date by a count and BYxxx parts, all dates are
 * read: at most 10 000 dates, in the months until the year 9999. A stored series has that date as `lastWall`.
 */
export function datesOf(recurrence: Recurrence, start: WallMs, lastWall?: WallMs): RuleDates {
  const known = knownDates.get(recurrence);
  if (known?.start === start) return known.dates;
  const dates = hasByParts(recurrence) ? datesByParts(recurrence, start, lastWall) : datesBySteps(recurrence, start);
  knownDates.set(recurrence, { start, dates });
  return dates;
}

/**
 * Many lookups in one series share its dates, which keep the last date by a count, and the days of each kind of month that was
 * read. To compute these again for each EXDATE of an import would take seconds.
 */
const knownDates = new WeakMap<Recurrence, { readonly start: WallMs; readonly dates: RuleDates }>();

/** Whether a rule that starts at a wall time has a date there. */
export function isDateOfRule(recurrence: Recurrence, start: WallMs): boolean {
  if (!hasByParts(recurrence)) return true;
  const periods = wallPeriodsOf(recurrence, start);
  const period = periods.periodOf(start);
  return periods.nextFrom(period) === period && periods.wallsIn(period).includes(start);
}

/** The last date of a rule with a count and BYxxx parts, which is stored with the rule; undefined for other rules. */
export function lastWallOf(recurrence: Recurrence, start: WallMs): WallMs | undefined {
  if (recurrence.count === -1 || !hasByParts(recurrence)) return undefined;
  return datesOf(recurrence, start).last() ?? start;
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

function datesByParts(recurrence: Recurrence, start: WallMs, lastWall?: WallMs): RuleDates {
  const periods = wallPeriodsOf(recurrence, start);
  const { count } = recurrence;
  let last = count === -1 ? LAST_WALL : lastWall;
  const toLast = () => {
    last ??= wallOfCount(periods, start, count);
    return last;
  };
  return {
    read: (from, until) => readWalls(periods, start, from, Math.min(until - 1, toLast())),
    last: () => (count === -1 ? undefined : toLast()),
  };
}

/**
 * Returns a function that reads the wall times of a rule from `from` to `last`, both included. The start is a date, whether or
 * not the rule chooses it.
 */
export function readWalls(periods: WallPeriods, start: WallMs, from: WallMs, last: WallMs): ReadWalls {
  const first = Math.max(from, start + 1);
  let startIsNext = from <= start;
  let period = periods.nextFrom(periods.periodOf(first));
  let walls: readonly WallMs[] = [];
  let at = 0;
  return () => {
    if (startIsNext) {
      startIsNext = false;
      return start <= last ? start : undefined;
    }
    for (;;) {
      for (; at < walls.length; at += 1) {
        const wall = walls[at] ?? Infinity;
        if (wall > last) return undefined;
        if (wall < first) continue;
        at += 1;
        return wall;
      }
      // `beginOf` is NaN after the last period, so this condition is negated.
      if (!(periods.beginOf(period) <= last)) return undefined;
      walls = periods.wallsIn(period);
      at = 0;
      period = periods.nextFrom(period + 1);
    }
  };
}

/** The wall time of the nth date, n from 1; `LAST_WALL` if there are fewer dates. */
function wallOfCount(periods: WallPeriods, start: WallMs, n: number): WallMs {
  const next = readWalls(periods, start, start, LAST_WALL);
  let nth = start;
  for (let read = 0; read < n; read += 1) {
    const wall = next();
    if (wall === undefined) return LAST_WALL;
    nth = wall;
  }
  return nth;
}
