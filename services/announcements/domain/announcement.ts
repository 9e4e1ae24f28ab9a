import { complete } from "../../../mixins/objects/complete.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import { type AnnouncementType, leadTimeProblems, referenceProblems } from "../../contracts/announcement-fields.ts";
import { completeDigest, type Digest, digestProblems, scheduleText } from "../../contracts/announcement-digests.ts";
import { isSameOffset, leadTimeOf, type PostOffset } from "../../contracts/announcement-offsets.ts";
import {
  type Announcement,
  ANNOUNCEMENT_DEFAULTS,
  type CreateAnnouncementParams,
  type UpdateAnnouncementParams,
} from "../../contracts/announcements.contract.ts";
import { givenParts } from "../../contracts/message-template.ts";
import { storedOnChange } from "../../contracts/posted-messages.ts";
import { changedPause } from "../../contracts/pause.ts";
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
    case "DIGEST":
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
    ...newTimes(params),
    ...definedFields({ digest: params.digest && completeDigest(params.digest) }),
    info: params.info,
    ...definedFields({ template: givenParts(params.template) }),
    ...storedOnChange(params.onChange),
    ...definedFields({ cleanUp: params.cleanUp }),
    ...changedPause({}, params.pausedUntil),
    ...definedFields({ skipOn: params.skipOn }),
    enabled: params.enabled ?? ANNOUNCEMENT_DEFAULTS.enabled,
    infoOnly: params.infoOnly ?? ANNOUNCEMENT_DEFAULTS.infoOnly,
    subscribersRole: params.subscribersRole ?? ANNOUNCEMENT_DEFAULTS.subscribersRole,
    subscribersUser: params.subscribersUser ?? ANNOUNCEMENT_DEFAULTS.subscribersUser,
    revision: 1,
  });
}

type AnnouncementTimes = Pick<Announcement, "hours" | "minutes" | "offsets">;

function newTimes({ hours = 0, minutes = 0, offsets }: CreateAnnouncementParams): AnnouncementTimes {
  return offsets === undefined ? { hours, minutes } : { ...leadTimeOf(offsets), offsets };
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
  const problems = [
    ...missingReference(stored, changes),
    ...leadTooLong(stored, changes),
    ...digestProblems({
      ...changes,
      type: changes.type ?? stored.type,
      digest: changes.digest ?? keptDigest(stored, changes),
    }),
  ];
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
    ...(type === "DIGEST" ? DIGEST_TIMES : changedTimes(stored, changes)),
    ...definedFields({
      digest: changes.digest === undefined ? keptDigest(stored, changes) : completeDigest(changes.digest),
    }),
    info: changes.info === undefined ? stored.info : (changes.info ?? ""),
    ...definedFields({ template: type === "DIGEST" ? undefined : changedTemplate(stored, changes) }),
    ...storedOnChange(type === "DIGEST" ? undefined : (changes.onChange ?? stored.onChange)),
    ...definedFields({ cleanUp: type === "DIGEST" ? undefined : changedCleanUp(stored, changes) }),
    ...changedPause(stored, changes.pausedUntil),
    ...definedFields({ skipOn: type === "DIGEST" ? undefined : changedSkipOn(stored, changes) }),
    enabled: changes.enabled ?? stored.enabled,
    infoOnly: type !== "DIGEST" && (changes.infoOnly ?? stored.infoOnly),
    ...subscribers,
    revision: stored.revision + 1,
  });
  return { next, restartsRule: restartsRule(stored, next), isUnchanged: false };
}

/** A digest is posted at its own instants (D65). */
const DIGEST_TIMES: AnnouncementTimes = { hours: 0, minutes: 0 };

/** The stored digest, if the announcement stays one. A new type clears it (D27). */
function keptDigest(stored: Announcement, { type = stored.type }: UpdateAnnouncementParams): Digest | undefined {
  return type === "DIGEST" ? stored.digest : undefined;
}

function changedTemplate(stored: Announcement, { template }: UpdateAnnouncementParams) {
  return template === undefined ? stored.template : givenParts(template);
}

function changedCleanUp(stored: Announcement, { cleanUp }: UpdateAnnouncementParams): number | undefined {
  return cleanUp === undefined ? stored.cleanUp : (cleanUp ?? undefined);
}

function changedSkipOn(stored: Announcement, { skipOn }: UpdateAnnouncementParams): number | undefined {
  return skipOn === undefined ? stored.skipOn : (skipOn ?? undefined);
}

/** A new type needs its reference in the same request (api.md 4.1, D27); an unchanged type cannot lose its reference. */
function missingReference(stored: Announcement, changes: UpdateAnnouncementParams) {
  const { type = stored.type, eventId = stored.eventId, eventColor = stored.eventColor } = changes;
  return referenceProblems(type === stored.type ? { type, eventId, eventColor } : changes);
}

/** The problems of the lead time after the update, for the given fields alone: the other part may be a stored one (D25). */
function leadTooLong(stored: Announcement, changes: UpdateAnnouncementParams) {
  const given = (field: string) => changes[field as "hours" | "minutes"] !== undefined;
  return leadTimeProblems(changes.hours ?? stored.hours, changes.minutes ?? stored.minutes).filter(({ field }) =>
    given(field),
  );
}

/**
 * A lead time replaces the offsets, and the reverse. The lead time that a response has beside offsets changes nothing, so that a
 * client that does not know offsets can send it back (D54).
 */
function changedTimes(stored: Announcement, { offsets, ...changes }: UpdateAnnouncementParams): AnnouncementTimes {
  if (offsets !== undefined) return { ...leadTimeOf(offsets), offsets };
  const { hours = stored.hours, minutes = stored.minutes } = changes;
  const isSame = hours === stored.hours && minutes === stored.minutes;
  return { hours, minutes, ...(isSame ? definedFields({ offsets: stored.offsets }) : {}) };
}

/** Whether both are posted at the same times; the order of offsets is of no importance. */
function isSameTimes(one: AnnouncementTimes, other: AnnouncementTimes): boolean {
  const [offsets, others] = [one.offsets, other.offsets];
  if (offsets === undefined || others === undefined) {
    return offsets === others && one.hours * 60 + one.minutes === other.hours * 60 + other.minutes;
  }
  const isAmongOthers = (offset: PostOffset) => others.some((each) => isSameOffset(each, offset));
  return offsets.length === others.length && offsets.every(isAmongOthers);
}

/** Whether both are posted at the same instants, as far as they are digests. */
function isSameSchedule(
  { digest: one }: Pick<Announcement, "digest">,
  { digest: other }: Pick<Announcement, "digest">,
): boolean {
  return (one && scheduleText(one)) === (other && scheduleText(other));
}

/**
 * Whether an update enables the announcement, or changes its lead time, offsets, schedule or target. Disabling starts no new
 * rule.
 */
function restartsRule(before: Announcement, after: AnnouncementDraft): boolean {
  return (
    (after.enabled && !before.enabled) ||
    !isSameTimes(before, after) ||
    !isSameSchedule(before, after) ||
    before.type !== after.type ||
    before.eventId !== after.eventId ||
    before.eventColor !== after.eventColor
  );
}
