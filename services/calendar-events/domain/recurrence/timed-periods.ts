import type { Recurrence } from "../../../contracts/recurrence.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { DAY_MS } from "./civil-days.ts";
import { atPositions, periodsOf, type RulePeriods, type Select, setPeriodsOf } from "./rule-periods.ts";
import { timesOfDay } from "./times-of-day.ts";

/**
 * The periods of a rule with times of day. Their dates are wall times: each day of the rule at each of its times. BYSETPOS counts
 * these within the periods of the rule.
 */
export function timedPeriods({ bySetPos, ...rule }: Recurrence, start: WallMs): RulePeriods {
  const times = timesOfDay(rule, start);
  const startDay = Math.floor(start / DAY_MS);
  if (bySetPos === undefined) return ofWalls(periodsOf(rule, startDay), (days) => everyWall(days, times));
  if (rule.frequency === "DAILY") {
    const taken = atPositions(times, bySetPos);
    return ofWalls(periodsOf(rule, startDay), (days) => everyWall(days, taken));
  }
  const periods = setPeriodsOf(rule, startDay, (days) => days);
  return ofWalls(periods, (days) => wallsAtPositions(days, times, bySetPos));
}

function ofWalls(periods: RulePeriods, wallsOf: Select): RulePeriods {
  return {
    periodOf: (wall) => periods.periodOf(Math.floor(wall / DAY_MS)),
    nextFrom: (period) => periods.nextFrom(period),
    firstDate: (period) => periods.firstDate(period) * DAY_MS,
    datesIn: (period) => wallsOf(periods.datesIn(period)),
  };
}

function everyWall(days: readonly number[], times: readonly number[]): WallMs[] {
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
