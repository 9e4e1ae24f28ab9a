import type { Recurrence } from "../../../contracts/recurrence.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { DAY_MS } from "./civil-days.ts";
import { type DayPeriods, dayPeriodsOf } from "./day-periods.ts";
import { timesOfDay } from "./times-of-day.ts";

/** The periods of a rule with BYxxx parts, and the wall times of each. */
export interface WallPeriods {
  /** The number of the period of a wall time. */
  periodOf(wall: WallMs): number;
  /** The first period with possible dates, from a number on; Infinity if there is none. */
  nextFrom(period: number): number;
  /** The begin of a period; NaN for Infinity. */
  beginOf(period: number): WallMs;
  /** The wall times of a period, in order, including those before the start of the rule. */
  wallsIn(period: number): readonly WallMs[];
}

/** The periods of a rule that starts at a wall time: each day of the rule at each of its times, of which BYSETPOS selects some. */
export function wallPeriodsOf(recurrence: Recurrence, start: WallMs): WallPeriods {
  const { frequency, bySetPos } = recurrence;
  const times = timesOfDay(recurrence, start);
  const periods = dayPeriodsOf(recurrence, Math.floor(start / DAY_MS));
  if (bySetPos === undefined) return atWalls(periods, (days) => everyWall(days, times));
  if (frequency !== "DAILY") return atWalls(periods, (days) => wallsAtPositions(days, times, bySetPos));
  // The periods of a DAILY rule are days, and each has the same times.
  const taken = wallsAtPositions([0], times, bySetPos);
  return atWalls(periods, (days) => everyWall(days, taken));
}

function atWalls(periods: DayPeriods, wallsOf: (days: readonly number[]) => readonly WallMs[]): WallPeriods {
  return {
    nextFrom: (period) => periods.nextFrom(period),
    periodOf: (wall) => periods.periodOf(Math.floor(wall / DAY_MS)),
    beginOf: (period) => periods.firstDay(period) * DAY_MS,
    wallsIn: (period) => wallsOf(periods.daysIn(period)),
  };
}

function everyWall(days: readonly number[], times: readonly number[]): WallMs[] {
  const [only = 0] = times;
  if (times.length === 1) return days.map((day) => day * DAY_MS + only);
  return days.flatMap((day) => times.map((time) => day * DAY_MS + time));
}

/** The walls at some positions, found by arithmetic: a year has up to 8 784 walls, and a rule at most 50 positions. */
function wallsAtPositions(
  days: readonly number[],
  times: readonly number[],
  positions: readonly number[],
): readonly WallMs[] {
  const size = days.length * times.length;
  const walls = positions.flatMap((position) => {
    const at = position > 0 ? position - 1 : size + position;
    const day = days[Math.floor(at / times.length)];
    const time = times[at % times.length];
    return day === undefined || time === undefined ? [] : [day * DAY_MS + time];
  });
  return [...new Set(walls)].sort((a, b) => a - b);
}
