import { type CivilDate, civilOfDays, DAY_MS } from "../domain/recurrence/civil-days.ts";
import type { WallMs } from "../domain/calendar/local-to-instant.ts";

/** The date that a wall clock shows. */
export function dateOf(wall: WallMs): CivilDate {
  return civilOfDays(Math.floor(wall / DAY_MS));
}

/** How far a wall time is into its day, week or other stretch of one length, all of which begin with one at 0. */
export function timeInto(length: number, wall: WallMs): number {
  return ((wall % length) + length) % length;
}
