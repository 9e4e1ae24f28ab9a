import type { AnnouncementId, EpochMs, OccurrenceId } from "../../../contracts/ids.ts";

/** A position in the order in which a guild's posts are planned: by time, then announcement, then occurrence, then offset. */
export interface Position {
  readonly at: EpochMs;
  readonly announcementId: AnnouncementId | "";
  readonly occurrenceId: OccurrenceId | "";
  /** As `offsetText`; absent for a lead time. */
  readonly offset?: string;
}

/** The first of all positions with this time. */
export function firstPositionAt(at: EpochMs): Position {
  return { at, announcementId: "", occurrenceId: "" };
}

export function comparePositions(one: Position, other: Position): number {
  return (
    one.at - other.at ||
    compareIds(one.announcementId, other.announcementId) ||
    compareIds(one.occurrenceId, other.occurrenceId) ||
    compareIds(one.offset ?? "", other.offset ?? "")
  );
}

/** Compares by code units, as MongoDB does. */
export function compareIds(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
