import { complete } from "../../../mixins/objects/complete.ts";
import { type AnnouncementType, leadTimeProblems, referenceProblems } from "../../contracts/announcement-fields.ts";
import {
  type Announcement,
  ANNOUNCEMENT_DEFAULTS,
  type CreateAnnouncementParams,
  type UpdateAnnouncementParams,
} from "../../contracts/announcements.contract.ts";
import type { Color } from "../../contracts/calendar-events.contract.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import type { AnnouncementId } from "../../contracts/ids.ts";
import { changedSubscribers, changesOnlySubscribers, isSameSubscribers } from "./subscribers.ts";

/** An announcement before its write; the database sets `standsSince` and `changedBy`. */
export type AnnouncementDraft = Omit<Announcement, "standsSince" | "changedBy">;

const NO_EVENT = "";
const NO_COLOR: Color = "NONE";

/** Keeps the reference that the type uses and clears the other one (D27). `eventId` is resolved already (D24). */
function referenceFields(
  type: AnnouncementType,
  eventId: Announcement["eventId"],
  eventColor: Color,
): Pick<Announcement, "eventId" | "eventColor"> {
  switch (type) {
    case "SPECIFIC":
    case "RECUR":
      return { eventId, eventColor: NO_COLOR };
    case "COLOR":
      return { eventId: NO_EVENT, eventColor };
    case "UNIVERSAL":
      return { eventId: NO_EVENT, eventColor: NO_COLOR };
  }
}

/** Returns a new announcement with the defaults of D26. */
export function newAnnouncement(
  id: AnnouncementId,
  params: CreateAnnouncementParams,
  eventId: Announcement["eventId"],
): AnnouncementDraft {
  return complete<AnnouncementDraft>()({
    id,
    guildId: params.guildId,
    channel: params.channel,
    type: params.type,
    ...referenceFields(params.type, eventId, params.eventColor ?? NO_COLOR),
    hours: params.hours,
    minutes: params.minutes,
    info: params.info,
    enabled: params.enabled ?? ANNOUNCEMENT_DEFAULTS.enabled,
    infoOnly: params.infoOnly ?? ANNOUNCEMENT_DEFAULTS.infoOnly,
    subscribersRole: params.subscribersRole ?? ANNOUNCEMENT_DEFAULTS.subscribersRole,
    subscribersUser: params.subscribersUser ?? ANNOUNCEMENT_DEFAULTS.subscribersUser,
    revision: 1,
  });
}

/** The result of an update: the next state, and whether the rule starts again from now (D31). */
export interface ChangedAnnouncement {
  readonly next: AnnouncementDraft;
  readonly restartsRule: boolean;
  /** The update only added existing entries or removed missing ones, so nothing is written (D36). */
  readonly isUnchanged: boolean;
}

/**
 * Applies an update. `eventId` is the resolved reference of the update; undefined if the update has none that the
 * type uses.
 */
export function changeAnnouncement(
  stored: Announcement,
  changes: UpdateAnnouncementParams,
  eventId: Announcement["eventId"] | undefined,
): ChangedAnnouncement | Refusal {
  const problems = [...missingReference(stored, changes), ...leadTooLong(stored, changes)];
  if (problems.length > 0) return refuse("INVALID_REQUEST", problems);
  const subscribers = changedSubscribers(stored, changes);
  if (isRefusal(subscribers)) return subscribers;
  if (changesOnlySubscribers(changes) && isSameSubscribers(stored, subscribers)) {
    return { next: stored, restartsRule: false, isUnchanged: true };
  }
  const type = changes.type ?? stored.type;
  const next = complete<AnnouncementDraft>()({
    id: stored.id,
    guildId: stored.guildId,
    channel: changes.channel ?? stored.channel,
    type,
    ...referenceFields(type, eventId ?? stored.eventId, changes.eventColor ?? stored.eventColor),
    hours: changes.hours ?? stored.hours,
    minutes: changes.minutes ?? stored.minutes,
    info: changes.info === undefined ? stored.info : (changes.info ?? ""),
    enabled: changes.enabled ?? stored.enabled,
    infoOnly: changes.infoOnly ?? stored.infoOnly,
    ...subscribers,
    revision: stored.revision + 1,
  });
  return { next, restartsRule: restartsRule(stored, next), isUnchanged: false };
}

/** A new type needs its reference in the same request (api.md 4.1, D27); an unchanged type cannot lose its reference. */
function missingReference(stored: Announcement, changes: UpdateAnnouncementParams) {
  const { type = stored.type, eventId = stored.eventId, eventColor = stored.eventColor } = changes;
  return referenceProblems(type === stored.type ? { type, eventId, eventColor } : changes);
}

/** Checks the lead time; one of its parts may be a stored one (D25). */
function leadTooLong(stored: Announcement, changes: UpdateAnnouncementParams) {
  const given = (field: string) => changes[field as "hours" | "minutes"] !== undefined;
  return leadTimeProblems(changes.hours ?? stored.hours, changes.minutes ?? stored.minutes).filter(({ field }) =>
    given(field),
  );
}

/** Whether an update enables the announcement, or changes its lead time or target. Disabling starts no new rule. */
function restartsRule(before: Announcement, after: AnnouncementDraft): boolean {
  return (
    (after.enabled && !before.enabled) ||
    before.hours * 60 + before.minutes !== after.hours * 60 + after.minutes ||
    before.type !== after.type ||
    before.eventId !== after.eventId ||
    before.eventColor !== after.eventColor
  );
}
