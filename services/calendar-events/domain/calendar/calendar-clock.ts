import type { EpochMs } from "../../../contracts/ids.ts";
import { localToInstant, type WallMs } from "./local-to-instant.ts";
import type { Zone } from "./zone.ts";

/** A time zone of a calendar, and the instant since which it applies. */
interface Era {
  readonly zone: Zone;
  readonly since: EpochMs;
}

/** Two clocks of the world differ by at most 26 hours, so a change of the zone moves an occurrence by at most that. */
export const MAX_ZONE_MOVE_MS = 26 * 3_600_000;

/**
 * The wall clock of a series: the time zone of its calendar when its times were set, and every later zone of the
 * calendar. A change of the zone moves the occurrences after it to the same wall time in the new zone; earlier ones
 * stay (D22).
 */
export type CalendarClock = readonly [Era, ...Era[]];

/**
 * Returns the start of an occurrence after all changes of the zone. `wall` is its wall time and `original` its start
 * in the first zone. Undefined if it started before the first change; otherwise with the zone that moved it.
 */
export function movedByZone(
  clock: CalendarClock,
  wall: WallMs,
  original: EpochMs,
): ({ readonly at: EpochMs } & Era) | undefined {
  let moved: ({ at: EpochMs } & Era) | undefined;
  for (const { zone, since } of clock.slice(1)) {
    if ((moved?.at ?? original) < since) break;
    moved = { at: localToInstant(wall, zone), zone, since };
  }
  return moved;
}
