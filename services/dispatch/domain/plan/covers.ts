import { unhandled } from "../../../../mixins/objects/unhandled.ts";
import { type OccurrenceDigest, scheduleText } from "../../../contracts/announcement-digests.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { formerIds } from "./former-ids.ts";

/** Whether the announcement applies to this occurrence (D23, D24); a disabled announcement applies to none. */
export function covers(announcement: AnnouncementRule, occurrence: Occurrence): boolean {
  if (!announcement.enabled) return false;
  if (occurrence.digest !== undefined) return isItsDigest(announcement, occurrence.digest);
  switch (announcement.type) {
    case "UNIVERSAL":
      return true;
    case "COLOR":
      return occurrence.color === announcement.eventColor;
    case "RECUR":
      return isOfSeries(announcement.eventId, occurrence);
    case "SPECIFIC":
      return namesOccurrence(announcement.eventId, occurrence);
    case "DIGEST":
      return false;
    default:
      unhandled(announcement.type);
      return false;
  }
}

/** Whether the digest was computed by the present schedule of the announcement (D65). */
function isItsDigest({ id, digest }: AnnouncementRule, { announcementId, schedule }: OccurrenceDigest): boolean {
  return id === announcementId && digest !== undefined && scheduleText(digest) === schedule;
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
