import type { EpochMs } from "../../../contracts/ids.ts";
import type { Zone } from "./zone.ts";

/** A wall time: milliseconds since 1970-01-01T00:00 on the wall clock, as if every day had 24 hours. */
export type WallMs = number;

/** Largest difference between a wall clock and UTC, with a margin. */
export const MAX_UTC_OFFSET_MS = 16 * 3_600_000;

/** The wall time in a zone at an instant. */
export function instantToLocal(at: EpochMs, zone: Zone): WallMs {
  const { first, changes } = zone.spanAround(at);
  let offset = first;
  for (const change of changes) if (at >= change.at) offset = change.after;
  return at + offset;
}

/**
 * The instant of a wall time; no other function converts wall times to instants (D16). A wall time that does not
 * exist moves forward by the gap. Of a wall time that occurs twice the earlier instant is meant. Both follow from the
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
 * The range of wall times that can belong to an instant: with each of the offsets in force in the two days before and
 * after it. The wall time of every occurrence at that instant is in the range.
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
