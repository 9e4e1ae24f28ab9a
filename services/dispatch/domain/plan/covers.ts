import { unhandled } from "../../../../mixins/objects/unhandled.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { formerIds } from "./former-ids.ts";

/** Whether the announcement applies to this occurrence (D23, D24); a disabled announcement applies to none. */
export function covers(announcement: AnnouncementRule, occurrence: Occurrence): boolean {
  if (!announcement.enabled) return false;
  switch (announcement.type) {
    case "UNIVERSAL":
      return true;
    case "COLOR":
      return occurrence.color === announcement.eventColor;
    case "RECUR":
      return isOfSeries(announcement.eventId, occurrence);
    case "SPECIFIC":
      return namesOccurrence(announcement.eventId, occurrence);
    default:
      unhandled(announcement.type);
      return false;
  }
}

/** An announcement of a series also covers the series that were split from it (D51). */
function isOfSeries(reference: string, { eventId, follows = [] }: Occurrence): boolean {
  return eventId === reference || follows.some((id) => id === reference);
}

/** A SPECIFIC announcement that names a series applies to its first occurrence (D24), which stays in it at every split. */
function namesOccurrence(reference: string, occurrence: Occurrence): boolean {
  const { occurrenceId, eventId, isFirst } = occurrence;
  if (occurrenceId === reference || (eventId === reference && isFirst)) return true;
  return formerIds(occurrence).some((id) => id === reference);
}
