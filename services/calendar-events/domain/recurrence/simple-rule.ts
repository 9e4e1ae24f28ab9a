import type { Recurrence } from "../../../contracts/recurrence.ts";
import { LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import { civilOfDays, DAY_MS, daysInMonth, daysOfCivil } from "./civil-days.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { existingSteps, monthOfStep, type MonthSteps } from "./month-steps.ts";

/**
 * The dates of a rule without BYxxx parts, on the wall clock (D16). Step 0 is the start, step n is n intervals later,
 * whether or not that date exists.
 */
export interface Steps {
  /** The wall time of a step; undefined if the date does not exist. */
  wallOf(step: number): WallMs | undefined;
  /** The first step that may be at this wall time or later. A step of months may be earlier, in the month of the wall time. */
  stepFrom(wall: WallMs): number;
  /** The last step of the rule: by its count, or the last one of any clock (D13). */
  readonly last: number;
}

/** One day after the last instant: clocks ahead of UTC show it. */
const LAST_WALL = LAST_EPOCH_MS + DAY_MS;
const LAST_MONTH = monthOf(LAST_WALL);

/** The steps of a rule that starts at a wall time. */
export function stepsOf({ frequency, interval, count }: Recurrence, start: WallMs): Steps {
  switch (frequency) {
    case "DAILY":
      return daySteps(start, interval, count);
    case "WEEKLY":
      return daySteps(start, 7 * interval, count);
    case "MONTHLY":
      return monthSteps(start, interval, count);
    case "YEARLY":
      return monthSteps(start, 12 * interval, count);
  }
}

function daySteps(start: WallMs, days: number, count: number): Steps {
  const every = days * DAY_MS;
  const end = Math.floor((LAST_WALL - start) / every);
  return {
    wallOf: (step) => start + step * every,
    stepFrom: (wall) => Math.max(0, Math.ceil((wall - start) / every)),
    last: count === -1 ? end : Math.min(count - 1, end),
  };
}

function monthSteps(start: WallMs, every: number, count: number): Steps {
  const startDay = Math.floor(start / DAY_MS);
  const { year, month, day } = civilOfDays(startDay);
  const days: MonthSteps = { firstMonth: year * 12 + month - 1, dayOfMonth: day, every };
  const timeOfDay = start - startDay * DAY_MS;
  const end = Math.floor((LAST_MONTH - days.firstMonth) / every);
  return {
    wallOf(step) {
      const at = monthOfStep(days, step);
      if (day > 28 && day > daysInMonth(at.year, at.month)) return undefined;
      return daysOfCivil({ ...at, day }) * DAY_MS + timeOfDay;
    },
    stepFrom: (wall) => Math.max(0, Math.ceil((monthOf(wall) - days.firstMonth) / every)),
    last: count === -1 ? end : Math.min(end, stepOfExisting(days, count, end)),
  };
}

/** The number of a wall time's month, counted from the year 0. */
function monthOf(wall: WallMs): number {
  const { year, month } = civilOfDays(Math.floor(wall / DAY_MS));
  return year * 12 + month - 1;
}

/** The step of the nth existing date, n from 1, by bisection; `end` if there are fewer dates until then. */
function stepOfExisting(days: MonthSteps, n: number, end: number): number {
  if (days.dayOfMonth <= 28) return n - 1;
  const existing = existingSteps(days);
  let [low, high] = [0, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (existing(middle + 1) >= n) high = middle;
    else low = middle + 1;
  }
  return low;
}
