import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";

/** An event that moves by less is still the same announced start (D31). */
const MIN_MOVE_MS = 60_000;

/**
 * Whether a post of this occurrence would repeat an earlier announcement (D31). An occurrence that was announced at
 * another start counts as new only if it moved by a minute or more and its new due instant was ahead at the move.
 */
export function isReannounced(occurrence: Occurrence, leadMs: number, announcedStarts: readonly EpochMs[]): boolean {
  const others = announcedStarts.filter((start) => start !== occurrence.startsAt);
  if (others.length === 0) return false;
  const dueWasAhead = occurrence.startsAt - leadMs > occurrence.scheduledAt;
  return !dueWasAhead || others.some((start) => Math.abs(start - occurrence.startsAt) < MIN_MOVE_MS);
}
