import {
  type AnnouncementType,
  announcementRules,
  colorProblems,
  leadTimeProblems,
  requiredReference,
  subscriberProblems,
} from "./announcement-fields.ts";
import type { Color } from "./calendar-events.contract.ts";
import { type ChangesSinceParams, type ChangesSinceResult, changesSinceRules } from "./change-feed.contract.ts";
import { action, broadcastEvent, type Changed } from "./contract.ts";
import { clearable, flag, guildId, integer, optional, reference, revisionNumber, textOf } from "./field-rules.ts";
import {
  ANNOUNCEMENT_ID,
  type AnnouncementId,
  type EpochMs,
  type EventId,
  type GuildId,
  type OccurrenceId,
} from "./ids.ts";
import { type IfRevision, ifRevision, type Revised } from "./revision.ts";

/** D26. */
export const MAX_ANNOUNCEMENTS = 1000;

export interface Announcement extends Changed {
  readonly id: AnnouncementId;
  readonly guildId: GuildId;
  readonly channel: string;
  readonly type: AnnouncementType;
  /** The event of SPECIFIC or the series of RECUR; "" for the other types. */
  readonly eventId: EventId | OccurrenceId | "";
  /** The colour of COLOR, where `NONE` means events without one; `NONE` for the other types. */
  readonly eventColor: Color;
  /** Lead time is `hours`·60 + `minutes` before the start (D25). */
  readonly hours: number;
  readonly minutes: number;
  readonly info: string;
  readonly enabled: boolean;
  readonly infoOnly: boolean;
  /** Role ids, `everyone`, `here`. */
  readonly subscribersRole: readonly string[];
  readonly subscribersUser: readonly string[];
  /** Counts the writes, from 1. */
  readonly revision: number;
  /** Since when its rule has stood as it is: created, enabled, re-timed or re-aimed (D31). Database time. */
  readonly standsSince: EpochMs;
}

/** The part of an announcement that selects events and the due time; without texts and subscribers, which may be long. */
export type AnnouncementRule = Pick<
  Announcement,
  "id" | "channel" | "type" | "eventId" | "eventColor" | "hours" | "minutes" | "enabled" | "revision" | "standsSince"
> & {
  /** Of a rule that is in force no more: when the change was stored that ended it. Database time. */
  readonly until?: EpochMs;
};

/** An announcement as a client sees it. */
export type ShownAnnouncement = Announcement & {
  /** Its event is gone, so it is never posted (D42). Only set for callers with a key. */
  readonly dangling?: true;
};

/** Defaults of a new announcement (D26). */
export const ANNOUNCEMENT_DEFAULTS = {
  enabled: true,
  infoOnly: false,
  subscribersRole: [],
  subscribersUser: [],
} as const satisfies Partial<Announcement>;

export interface CreateAnnouncementParams {
  readonly guildId: GuildId;
  readonly channel: string;
  readonly type: AnnouncementType;
  readonly eventId?: string;
  readonly eventColor?: Color;
  readonly hours: number;
  readonly minutes: number;
  readonly info: string;
  readonly enabled?: boolean;
  readonly infoOnly?: boolean;
  readonly subscribersRole?: readonly string[];
  readonly subscribersUser?: readonly string[];
}

/** Entries to add to and to remove from the stored lists, as sets (D36). */
export interface SubscriberChanges {
  readonly subscribersRoleAdd?: readonly string[];
  readonly subscribersRoleRemove?: readonly string[];
  readonly subscribersUserAdd?: readonly string[];
  readonly subscribersUserRemove?: readonly string[];
}

/** Absent: stays. Null info: cleared. */
export type UpdateAnnouncementParams = { readonly guildId: GuildId; readonly id: string } & {
  readonly [Field in Exclude<keyof CreateAnnouncementParams, "guildId" | "info">]?: CreateAnnouncementParams[Field];
} & { readonly info?: string | null } & SubscriberChanges &
  IfRevision;

export const createAnnouncement = action<CreateAnnouncementParams, { readonly id: AnnouncementId } & Revised>({
  name: "announcements.create",
  keys: "guild write",
  params: {
    guildId,
    channel: announcementRules.channel,
    type: announcementRules.type,
    eventId: optional(reference),
    eventColor: announcementRules.eventColor,
    hours: announcementRules.hours,
    minutes: announcementRules.minutes,
    info: announcementRules.info,
    enabled: optional(flag, ANNOUNCEMENT_DEFAULTS.enabled),
    infoOnly: optional(flag, ANNOUNCEMENT_DEFAULTS.infoOnly),
    subscribersRole: optional(announcementRules.subscribersRole, ANNOUNCEMENT_DEFAULTS.subscribersRole),
    subscribersUser: optional(announcementRules.subscribersUser, ANNOUNCEMENT_DEFAULTS.subscribersUser),
  },
  crossFieldProblems: (fields) => [
    ...requiredReference(fields),
    ...colorProblems(fields),
    ...leadTimeProblems(fields.hours, fields.minutes),
  ],
  dependsOn: ({ type }) => (type === "SPECIFIC" || type === "RECUR" ? ["calendar-events"] : []),
  idempotent: true,
});

export const updateAnnouncement = action<UpdateAnnouncementParams, Revised>({
  name: "announcements.update",
  keys: "guild write",
  params: {
    guildId,
    id: reference,
    channel: optional(announcementRules.channel),
    type: optional(announcementRules.type),
    eventId: optional(reference),
    eventColor: announcementRules.eventColor,
    hours: optional(announcementRules.hours),
    minutes: optional(announcementRules.minutes),
    info: clearable(announcementRules.info),
    enabled: optional(flag),
    infoOnly: optional(flag),
    subscribersRole: optional(announcementRules.subscribersRole),
    subscribersUser: optional(announcementRules.subscribersUser),
    subscribersRoleAdd: optional(announcementRules.subscribersRole),
    subscribersRoleRemove: optional(announcementRules.subscribersRole),
    subscribersUserAdd: optional(announcementRules.subscribersUser),
    subscribersUserRemove: optional(announcementRules.subscribersUser),
    ifRevision,
  },
  crossFieldProblems: (fields) => [
    ...colorProblems(fields),
    ...leadTimeProblems(fields.hours, fields.minutes),
    ...subscriberProblems(fields),
  ],
  dependsOn: ({ eventId = "" }) => (eventId === "" ? [] : ["calendar-events"]),
  idempotent: true,
});

export interface AnnouncementReference {
  readonly guildId: GuildId;
  readonly id: string;
}

export const getAnnouncement = action<AnnouncementReference, ShownAnnouncement>({
  name: "announcements.get",
  keys: "guild read",
  params: { guildId, id: reference },
  idempotent: true,
});

export const removeAnnouncement = action<AnnouncementReference & IfRevision, void>({
  name: "announcements.remove",
  keys: "guild write",
  params: { guildId, id: reference, ifRevision },
  idempotent: true,
});

const FEWER = { field: "amount", advice: "must be a smaller number, from 0 on" } as const;

/**
 * Removes a guild's announcements of one event, of a series and its occurrences, or of one occurrence (D42). Those of the
 * types UNIVERSAL and COLOR name no event.
 */
export const removeAnnouncementsOfEvent = action<{ guildId: GuildId; eventId: string }, void>({
  name: "announcements.removeOfEvent",
  keys: "guild write",
  params: { guildId, eventId: reference },
  idempotent: true,
});

/** In creation order (D29). A key is refused with TOO_MANY_ENTRIES what is larger than MAX_ANSWER_BYTES. */
export const listAnnouncements = action<{ guildId: GuildId; amount: number }, ShownAnnouncement[]>({
  name: "announcements.list",
  keys: "guild read",
  params: { guildId, amount: integer(-1, 2_147_483_647) },
  narrowing: FEWER,
  idempotent: true,
});

/**
 * For dispatch: the rules of all of the guild's announcements, in creation order. Where `formerAfter` is given, there follow,
 * with their `until`, those that were in force until later than that: of each announcement the last that was disabled, removed,
 * re-timed or aimed anew; 1000 at most, the latest first. Of a removed announcement it is known for 7 days.
 */
export const listAnnouncementRules = action<{ guildId: GuildId; formerAfter?: EpochMs }, AnnouncementRule[]>({
  name: "announcements.listRules",
  keys: "none",
  params: { guildId, formerAfter: optional(integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)) },
  idempotent: true,
});

/** Guilds in one question. */
export const MAX_GUILDS_PER_CALL = 1000;

/** For dispatch: those of these guilds that have an announcement which is enabled, or had one lately, in no order. */
export const listAnnouncingGuilds = action<{ guildIds: readonly GuildId[] }, GuildId[]>({
  name: "announcements.listAnnouncingGuilds",
  keys: "none",
  params: { guildIds: { type: "array", max: MAX_GUILDS_PER_CALL, items: guildId } },
  idempotent: true,
});

export const announcementsChangesSince = action<ChangesSinceParams, ChangesSinceResult>({
  name: "announcements.changesSince",
  keys: "none",
  params: changesSinceRules,
  idempotent: true,
});

export interface AnnouncementChanged {
  readonly guildId: GuildId;
  readonly id: AnnouncementId;
  readonly revision: number;
}
/** Broadcast after an announcement was stored or removed; a hint, which may be lost, doubled or late. */
export const announcementChanged = broadcastEvent<AnnouncementChanged>({
  name: "announcement.changed",
  payload: { guildId, id: textOf("an announcement's id", ANNOUNCEMENT_ID, 36), revision: revisionNumber },
});
