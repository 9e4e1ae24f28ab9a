import type { EpochMs } from "../../../contracts/ids.ts";
import { localToInstant, type WallMs } from "./local-to-instant.ts";
import type { Zone } from "./zone.ts";

/** A zone that a calendar has, and since when. */
interface Era {
  readonly zone: Zone;
  readonly since: EpochMs;
}

/**
 * The wall clock that a series runs on: the zone of its calendar when its times were set, and every zone that the
 * calendar got after that. A change of the zone moves what then was still to come to the same wall time in the new
 * zone; what had started stays (D22).
 */
export type CalendarClock = readonly [Era, ...Era[]];

/**
 * Where the changes of the zone put what was to be at `original`, which is the wall time in the first zone;
 * undefined when it had started before the first change.
 */
export function movedByZone(
  clock: CalendarClock,
  wall: WallMs,
  original: EpochMs,
): { readonly at: EpochMs; readonly since: EpochMs } | undefined {
  let moved: { at: EpochMs; since: EpochMs } | undefined;
  for (const { zone, since } of clock.slice(1)) {
    if ((moved?.at ?? original) < since) break;
    moved = { at: localToInstant(wall, zone), since };
  }
  return moved;
}
