import type { AnnouncementId, EpochMs, OccurrenceId } from "../../../contracts/ids.ts";

/** A place in the order in which a guild's posts are planned: by time, then by announcement, then by occurrence. */
export interface Position {
  readonly at: EpochMs;
  readonly announcementId: AnnouncementId | "";
  readonly occurrenceId: OccurrenceId | "";
}

/** The first place of all that have this time. */
export function startOf(at: EpochMs): Position {
  return { at, announcementId: "", occurrenceId: "" };
}

export function comparePositions(one: Position, other: Position): number {
  return (
    one.at - other.at ||
    compareIds(one.announcementId, other.announcementId) ||
    compareIds(one.occurrenceId, other.occurrenceId)
  );
}

/** By code units, as MongoDB orders them. */
function compareIds(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
