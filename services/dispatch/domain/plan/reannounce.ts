import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";

/** A start that moves by less is the same appointment (D31). */
const SMALLEST_MOVE_MS = 60_000;

/**
 * Whether posting this occurrence would be announcing it a second time (D31): it was announced at another start, and
 * did not move from there by a minute or more to a time whose due instant was still ahead when it moved.
 */
export function isReannounced(occurrence: Occurrence, leadMs: number, announcedStarts: readonly EpochMs[]): boolean {
  const others = announcedStarts.filter((start) => start !== occurrence.startsAt);
  if (others.length === 0) return false;
  const dueWasAhead = occurrence.startsAt - leadMs > occurrence.scheduledAt;
  return !dueWasAhead || others.some((start) => Math.abs(start - occurrence.startsAt) < SMALLEST_MOVE_MS);
}
