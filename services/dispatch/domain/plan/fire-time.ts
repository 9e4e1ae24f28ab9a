import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";

/** When an announcement of an occurrence is to be posted, or why it is not. */
export type FireTime =
  | { readonly kind: "due"; readonly dueAt: EpochMs; readonly deadline: EpochMs }
  | { readonly kind: "skipped"; readonly dueAt: EpochMs; readonly reason: string };

/** An event without length counts as one minute long (D30). */
const MIN_EVENT_MS = 60_000;

/** Hours and minutes before the start, in milliseconds of elapsed time (D25). */
export function leadMs({ hours, minutes }: Pick<AnnouncementRule, "hours" | "minutes">): number {
  return (hours * 60 + minutes) * 60_000;
}

/**
 * When the announcement of this occurrence is due (D30, D31): `start − lead`, or at once if the event got its start
 * after that instant and before the start. Skipped if the announcement's rule, or the color that it requires, was set
 * after the due instant. Undefined if the occurrence had started before the rule was set: no post was ever due.
 */
export function fireTime(
  announcement: AnnouncementRule,
  occurrence: Occurrence,
  graceMs: number,
): FireTime | undefined {
  const { startsAt, endsAt, scheduledAt } = occurrence;
  if (startsAt < announcement.standsSince) return undefined;
  const dueAt = Math.max(startsAt - leadMs(announcement), scheduledAt);
  if (scheduledAt >= startsAt) {
    return { kind: "skipped", dueAt: startsAt, reason: "the event was created or moved after its own start" };
  }
  if (dueAt < announcement.standsSince) {
    return { kind: "skipped", dueAt, reason: "the announcement was created, enabled or re-timed after it was due" };
  }
  if (announcement.type === "COLOR" && occurrence.coloredAt > dueAt) {
    return { kind: "skipped", dueAt, reason: "the event got its color after it was due" };
  }
  const eventOverAt = Math.max(endsAt, startsAt + MIN_EVENT_MS);
  return { kind: "due", dueAt, deadline: Math.min(dueAt + graceMs, eventOverAt) };
}
