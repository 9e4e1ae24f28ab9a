import type { EpochMs } from "../../../contracts/ids.ts";
import type { Zone } from "./zone.ts";

/** A wall time: milliseconds since 1970-01-01T00:00 on the wall clock, as if every day had 24 hours. */
export type WallMs = number;

/** No wall clock is further from UTC. */
export const MAX_UTC_OFFSET_MS = 16 * 3_600_000;

/** The wall time of a zone at an instant. */
export function instantToLocal(at: EpochMs, zone: Zone): WallMs {
  const { first, changes } = zone.spanAround(at);
  let offset = first;
  for (const change of changes) if (at >= change.at) offset = change.after;
  return at + offset;
}

/**
 * The instant of a wall time; the one place where a wall time becomes an instant (D16). One that doesn't exist
 * moves forward by the gap, and of one that occurs twice the earlier is meant: both are the reading with the
 * offset in force before the change.
 */
export function localToInstant(wall: WallMs, zone: Zone): EpochMs {
  const { first, changes } = zone.spanAround(wall);
  let offset = first;
  for (const { at, before, after } of changes) if (wall >= at + Math.max(before, after)) offset = after;
  return wall - offset;
}

const DAYS_AROUND_MS = 2 * 86_400_000;

/**
 * Between which wall times lies what the clock shows at an instant, whichever of the offsets in force in the two
 * days before and after it is used: so the wall time of every recurrence that comes to lie there.
 */
export function wallsAround(at: EpochMs, zone: Zone): { readonly earliest: WallMs; readonly latest: WallMs } {
  const { first, changes } = zone.spanAround(at);
  let current = first;
  const around: number[] = [];
  for (const change of changes) {
    if (change.at > at + DAYS_AROUND_MS) break;
    if (change.at > at - DAYS_AROUND_MS) around.push(change.before);
    current = change.after;
  }
  around.push(current);
  return { earliest: at + Math.min(...around), latest: at + Math.max(...around) };
}
