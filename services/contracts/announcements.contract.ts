import {
  type AnnouncementType,
  announcementRules,
  colorProblems,
  leadTimeProblems,
  referenceProblems,
  subscriberProblems,
} from "./announcement-fields.ts";
import { type Digest, digestProblems, type GivenDigest } from "./announcement-digests.ts";
import { missingLeadTime, offsetProblems, type PostOffset } from "./announcement-offsets.ts";
import type { Color } from "./calendar-events.contract.ts";
import {
  type ChangesSinceParams,
  type ChangesSinceResult,
  changesSinceRules,
  type CountChangesParams,
  countChangesRules,
} from "./change-feed.contract.ts";
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
import { holidayOwners, type SkipOn } from "./holidays.ts";
import { type MessageTemplate, templateRule } from "./message-template.ts";
import { changedPauseRule, type Pause, pauseRule } from "./pause.ts";
import { cleanUpRule, type MessageEditing, onChangeRule } from "./posted-messages.ts";
import { type Page, pageNarrowing, type PageParams, pageRules } from "./pages.ts";
import { type IfRevision, ifRevision, type Revised } from "./revision.ts";

/** Announcements of one guild (D26). */
export const MAX_ANNOUNCEMENTS = 1000;

export interface Announcement extends Changed, Pause, SkipOn, MessageEditing {
  readonly id: AnnouncementId;
  readonly guildId: GuildId;
  readonly channel: string;
  readonly type: AnnouncementType;
  /** The event of SPECIFIC, or the series of RECUR; "" for the other types. */
  readonly eventId: EventId | OccurrenceId | "";
  /** The color of the type COLOR, where `NONE` means events without a color; `NONE` for the other types. */
  readonly eventColor: Color;
  /** Lead time is `hours`·60 + `minutes` before the start (D25). With `offsets`, it is derived from them (`leadTimeOf`). */
  readonly hours: number;
  readonly minutes: number;
  /** When it is posted, in place of the lead time; without duplicates (D54). */
  readonly offsets?: readonly PostOffset[];
  /** Only of the type DIGEST (D65). */
  readonly digest?: Digest;
  readonly info: string;
  /** The layout of its messages, in place of the guild's (D61). */
  readonly template?: MessageTemplate;
  readonly enabled: boolean;
  readonly infoOnly: boolean;
  /** Role ids, `everyone`, `here`. */
  readonly subscribersRole: readonly string[];
  readonly subscribersUser: readonly string[];
  /** Number of writes, from 1. */
  readonly revision: number;
  /** Time since which its rule applies: created, enabled, new lead time, offsets or target (D31). Database time. */
  readonly standsSince: EpochMs;
}

/** The part of an announcement that determines events and due times, without the long texts and subscribers. */
export type AnnouncementRule = Pick<
  Announcement,
  | "id"
  | "channel"
  | "type"
  | "eventId"
  | "eventColor"
  | "hours"
  | "minutes"
  | "offsets"
  | "digest"
  | "enabled"
  | "revision"
  | "standsSince"
  | keyof (Pause & SkipOn & MessageEditing)
> & {
  /** For a former rule: time of the change that ended it. Database time. */
  readonly until?: EpochMs;
};

/** An announcement in a response. */
export type AnnouncementView = Announcement & {
  /** Set if its event does not exist any more, so that it is never posted (D42). Only for callers with a key. */
  readonly dangling?: true;
};

/** Defaults of a new announcement (D26). */
export const ANNOUNCEMENT_DEFAULTS = {
  enabled: true,
  infoOnly: false,
  subscribersRole: [],
  subscribersUser: [],
} as const satisfies Partial<Announcement>;

export interface CreateAnnouncementParams extends SkipOn, MessageEditing {
  readonly guildId: GuildId;
  readonly channel: string;
  readonly type: AnnouncementType;
  readonly eventId?: string;
  readonly eventColor?: Color;
  /** Required without `offsets`. */
  readonly hours?: number;
  readonly minutes?: number;
  readonly offsets?: readonly PostOffset[];
  readonly digest?: GivenDigest;
  readonly info: string;
  readonly template?: MessageTemplate;
  readonly pausedUntil?: EpochMs;
  readonly enabled?: boolean;
  readonly infoOnly?: boolean;
  readonly subscribersRole?: readonly string[];
  readonly subscribersUser?: readonly string[];
}

/** Entries to add to and remove from the stored lists, as sets (D36). */
export interface SubscriberChanges {
  readonly subscribersRoleAdd?: readonly string[];
  readonly subscribersRoleRemove?: readonly string[];
  readonly subscribersUserAdd?: readonly string[];
  readonly subscribersUserRemove?: readonly string[];
}

type Clearable = "info" | "template" | "cleanUp" | "pausedUntil" | "skipOn";
/** An absent field stays. A null clears a `Clearable` one. */
export type UpdateAnnouncementParams = { readonly guildId: GuildId; readonly id: string } & {
  readonly [Field in Exclude<keyof CreateAnnouncementParams, "guildId" | Clearable>]?: CreateAnnouncementParams[Field];
} & { readonly [Field in Clearable]?: CreateAnnouncementParams[Field] | null } & SubscriberChanges &
  IfRevision;

export const createAnnouncement = action<CreateAnnouncementParams, { readonly id: AnnouncementId } & Revised>({
  name: "announcements.create",
  keys: "guild write",
  refusals: ["CALENDAR_NOT_FOUND", "EVENT_NOT_FOUND", "TOO_MANY_ANNOUNCEMENTS"],
  params: {
    guildId,
    channel: announcementRules.channel,
    type: announcementRules.type,
    eventId: optional(reference),
    eventColor: announcementRules.eventColor,
    hours: optional(announcementRules.hours),
    minutes: optional(announcementRules.minutes),
    offsets: optional(announcementRules.offsets),
    digest: optional(announcementRules.digest),
    info: announcementRules.info,
    template: optional(templateRule),
    onChange: optional(onChangeRule),
    cleanUp: optional(cleanUpRule),
    pausedUntil: pauseRule,
    skipOn: optional(announcementRules.skipOn),
    enabled: optional(flag, ANNOUNCEMENT_DEFAULTS.enabled),
    infoOnly: optional(flag, ANNOUNCEMENT_DEFAULTS.infoOnly),
    subscribersRole: optional(announcementRules.subscribersRole, ANNOUNCEMENT_DEFAULTS.subscribersRole),
    subscribersUser: optional(announcementRules.subscribersUser, ANNOUNCEMENT_DEFAULTS.subscribersUser),
  },
  crossFieldProblems: (fields) => [
    ...referenceProblems(fields),
    ...colorProblems(fields),
    ...leadTimeProblems(fields.hours, fields.minutes),
    ...missingLeadTime(fields),
    ...offsetProblems(fields),
    ...digestProblems(fields),
  ],
  dependsOn: ({ type, skipOn }) =>
    type === "UNIVERSAL" || type === "COLOR" ? holidayOwners(skipOn) : ["calendar-events"],
  idempotent: true,
});

export const updateAnnouncement = action<UpdateAnnouncementParams, Revised>({
  name: "announcements.update",
  keys: "guild write",
  refusals: ["ANNOUNCEMENT_NOT_FOUND", "CALENDAR_NOT_FOUND", "EVENT_NOT_FOUND", "TOO_MANY_SUBSCRIBERS"],
  params: {
    guildId,
    id: reference,
    channel: optional(announcementRules.channel),
    type: optional(announcementRules.type),
    eventId: optional(reference),
    eventColor: announcementRules.eventColor,
    hours: optional(announcementRules.hours),
    minutes: optional(announcementRules.minutes),
    offsets: optional(announcementRules.offsets),
    digest: optional(announcementRules.digest),
    info: clearable(announcementRules.info),
    template: clearable(templateRule),
    onChange: optional(onChangeRule),
    cleanUp: clearable(cleanUpRule),
    pausedUntil: changedPauseRule,
    skipOn: clearable(announcementRules.skipOn),
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
    ...offsetProblems(fields),
    ...subscriberProblems(fields),
  ],
  dependsOn: ({ eventId = "", digest, skipOn }) =>
    eventId === "" && digest === undefined ? holidayOwners(skipOn) : ["calendar-events"],
  idempotent: true,
});

export interface AnnouncementReference {
  readonly guildId: GuildId;
  readonly id: string;
}

export const getAnnouncement = action<AnnouncementReference, AnnouncementView>({
  name: "announcements.get",
  keys: "guild read",
  refusals: ["ANNOUNCEMENT_NOT_FOUND"],
  params: { guildId, id: reference },
  idempotent: true,
});

export const removeAnnouncement = action<AnnouncementReference & IfRevision, void>({
  name: "announcements.remove",
  keys: "guild write",
  refusals: ["ANNOUNCEMENT_NOT_FOUND"],
  params: { guildId, id: reference, ifRevision },
  idempotent: true,
});

const FEWER_ENTRIES = { field: "amount", advice: "must be a smaller number, from 0 on" } as const;

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

/** Lists announcements in the order of creation (D29). For a caller with a key, MAX_RESPONSE_BYTES limits the list. */
export const listAnnouncements = action<{ guildId: GuildId; amount: number }, AnnouncementView[]>({
  name: "announcements.list",
  keys: "guild read",
  params: { guildId, amount: integer(-1, 2_147_483_647) },
  narrowing: FEWER_ENTRIES,
  idempotent: true,
});

/** A page of the same list, for callers with a key (D49). */
export const listAnnouncementsPage = action<{ guildId: GuildId } & PageParams, Page<AnnouncementView>>({
  name: "announcements.listPage",
  keys: "guild read",
  params: { guildId, ...pageRules },
  narrowing: pageNarrowing,
  idempotent: true,
});

export const announcementsChangesSince = action<ChangesSinceParams, ChangesSinceResult>({
  name: "announcements.changesSince",
  keys: "none",
  params: changesSinceRules,
  idempotent: true,
});

export const announcementsCountChanges = action<CountChangesParams, number>({
  name: "announcements.countChanges",
  keys: "none",
  params: countChangesRules,
  idempotent: true,
});

export interface AnnouncementChanged {
  readonly guildId: GuildId;
  readonly id: AnnouncementId;
  readonly revision: number;
}
/** Broadcast after an announcement was stored or removed. A broadcast may be lost, duplicated or late. */
export const announcementChanged = broadcastEvent<AnnouncementChanged>({
  name: "announcement.changed",
  payload: { guildId, id: textOf("an announcement's id", ANNOUNCEMENT_ID, 36), revision: revisionNumber },
});
