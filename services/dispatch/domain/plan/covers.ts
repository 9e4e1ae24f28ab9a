import { unhandled } from "../../../../mixins/objects/unhandled.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";

/** Whether the announcement applies to this occurrence (D23, D24); a disabled announcement applies to none. */
export function covers(announcement: AnnouncementRule, occurrence: Occurrence): boolean {
  if (!announcement.enabled) return false;
  switch (announcement.type) {
    case "UNIVERSAL":
      return true;
    case "COLOR":
      return occurrence.color === announcement.eventColor;
    case "RECUR":
      return occurrence.eventId === announcement.eventId;
    case "SPECIFIC":
      return namesOccurrence(announcement.eventId, occurrence);
    default:
      unhandled(announcement.type);
      return false;
  }
}

/** A SPECIFIC announcement that names a series applies to the first occurrence (D24). */
function namesOccurrence(reference: string, { occurrenceId, eventId, isFirst }: Occurrence): boolean {
  return occurrenceId === reference || (eventId === reference && isFirst);
}
