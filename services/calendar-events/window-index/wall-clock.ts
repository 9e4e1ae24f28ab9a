import { type CivilDate, civilOfDays, DAY_MS } from "../domain/recurrence/civil-days.ts";
import type { WallMs } from "../domain/calendar/local-to-instant.ts";

/** The date that a wall clock shows. */
export function dateOf(wall: WallMs): CivilDate {
  return civilOfDays(Math.floor(wall / DAY_MS));
}

/**
 * The time from the start of a period, such as a day or a week, to a wall time within it. Periods of this length are
 * counted from wall time 0.
 */
export function timeInto(length: number, wall: WallMs): number {
  return ((wall % length) + length) % length;
}
