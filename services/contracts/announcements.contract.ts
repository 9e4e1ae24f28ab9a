import { COLORS, type Color } from "./calendar-events.contract.ts";
import { type ChangesSinceParams, type ChangesSinceResult, changesSinceRules } from "./change-feed.contract.ts";
import { action, broadcastEvent, type Changed, type FieldProblem } from "./contract.ts";
import {
  clearable,
  flag,
  guildId,
  integer,
  listOf,
  oneOf,
  optional,
  reference,
  revisionNumber,
  snowflake,
  snowflakeOr,
  text,
  textOf,
} from "./field-rules.ts";
import {
  ANNOUNCEMENT_ID,
  type AnnouncementId,
  type EpochMs,
  type EventId,
  type GuildId,
  type OccurrenceId,
} from "./ids.ts";
import { type IfRevision, ifRevision, type Revised } from "./revision.ts";

/** What an announcement is for (D23). */
export const ANNOUNCEMENT_TYPES = ["UNIVERSAL", "SPECIFIC", "COLOR", "RECUR"] as const;
export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number];

/** 366 days, the longest lead time (D25). */
const MOST_LEAD_MINUTES = 527_040;
/** D26. */
export const MOST_ANNOUNCEMENTS = 1000;
/** The most entries of each list of subscribers (D26). */
export const MOST_SUBSCRIBERS = 1000;
/** As long as an event's description (D21). */
const MOST_INFO_CHARACTERS = 4000;

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

/** What decides for which events an announcement is, and when: without its texts and subscribers, which may be long. */
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

/** What a new one has where nothing is said (D26). */
export const ANNOUNCEMENT_DEFAULTS = {
  enabled: true,
  infoOnly: false,
  subscribersRole: [],
  subscribersUser: [],
} as const satisfies Partial<Announcement>;

const rules = {
  channel: snowflake,
  type: oneOf(ANNOUNCEMENT_TYPES),
  hours: integer(0, MOST_LEAD_MINUTES / 60),
  minutes: integer(0, MOST_LEAD_MINUTES),
  info: text(MOST_INFO_CHARACTERS),
  // Checked in `together`: one that the type does not use is ignored, whatever it holds (D27).
  eventColor: { type: "string", optional: true, documented: COLORS },
  subscribersRole: listOf(snowflakeOr("everyone", "here"), MOST_SUBSCRIBERS),
  subscribersUser: listOf(snowflake, MOST_SUBSCRIBERS),
};

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

interface ReferenceFields {
  readonly type?: unknown;
  readonly eventId?: unknown;
  readonly eventColor?: unknown;
}

/** The reference that the type needs and that is not there (api.md 4.1). */
export function requiredReference({ type, eventId, eventColor }: ReferenceFields): FieldProblem[] {
  if ((type === "SPECIFIC" || type === "RECUR") && (eventId === undefined || eventId === "")) {
    return [{ field: "eventId", code: "REQUIRED", message: `is required when the type is ${type}` }];
  }
  if (type === "COLOR" && eventColor === undefined) {
    const message = "is required when the type is COLOR";
    return [{ field: "eventColor", code: "REQUIRED", message, allowed: COLORS }];
  }
  return [];
}

/** A colour that counts must be one (D14); where the type does not use it, it is ignored whatever it holds (D27). */
function colorProblems({ type, eventColor }: ReferenceFields): FieldProblem[] {
  const counts = type === "COLOR" || !ANNOUNCEMENT_TYPES.includes(type as AnnouncementType);
  if (!counts || typeof eventColor !== "string" || COLORS.includes(eventColor as Color)) return [];
  return [
    { field: "eventColor", code: "NOT_ALLOWED", message: `must be one of ${COLORS.join(", ")}`, allowed: COLORS },
  ];
}

/** Both parts are legal alone and too much together (D25). */
export function leadTimeProblems(hours: unknown, minutes: unknown): FieldProblem[] {
  if (typeof hours !== "number" || typeof minutes !== "number") return [];
  if (hours > MOST_LEAD_MINUTES / 60 || minutes > MOST_LEAD_MINUTES) return [];
  if (hours * 60 + minutes <= MOST_LEAD_MINUTES) return [];
  const tooMuchWith = (other: string) => `must not be more than ${MOST_LEAD_MINUTES} minutes together with ${other}`;
  return [
    { field: "hours", code: "OUT_OF_RANGE", message: tooMuchWith("minutes") },
    { field: "minutes", code: "OUT_OF_RANGE", message: tooMuchWith("hours") },
  ];
}

/** The two lists of subscribers: the param of each, and how requests spell it. */
const SUBSCRIBER_LISTS = [
  { list: "subscribersRole", spelt: "subscribers_role" },
  { list: "subscribersUser", spelt: "subscribers_user" },
] as const;

/** A list is given whole or changed by entries, and an entry is added or removed (D36). */
function subscriberProblems(fields: Partial<Record<string, unknown>>): FieldProblem[] {
  return SUBSCRIBER_LISTS.flatMap(({ list, spelt }): FieldProblem[] => {
    const [add, remove] = [`${list}Add`, `${list}Remove`];
    const given = [add, remove].filter((field) => fields[field] !== undefined);
    if (fields[list] !== undefined) {
      const message = `must not be given together with the whole list ${spelt}`;
      return given.map((field) => ({ field, code: "CONFLICTING", message }));
    }
    const [added, removed] = [fields[add], fields[remove]];
    if (!Array.isArray(added) || !Array.isArray(removed) || Math.max(added.length, removed.length) > MOST_SUBSCRIBERS) {
      return [];
    }
    const isRemoved = new Set<unknown>(removed);
    const message = `must not be in ${spelt}_remove as well`;
    return added.flatMap((entry, at) =>
      isRemoved.has(entry) ? [{ field: `${add}[${at}]`, code: "CONFLICTING" as const, message }] : [],
    );
  });
}

export const createAnnouncement = action<CreateAnnouncementParams, { readonly id: AnnouncementId } & Revised>({
  name: "announcements.create",
  keys: "guild write",
  params: {
    guildId,
    channel: rules.channel,
    type: rules.type,
    eventId: optional(reference),
    eventColor: rules.eventColor,
    hours: rules.hours,
    minutes: rules.minutes,
    info: rules.info,
    enabled: optional(flag, ANNOUNCEMENT_DEFAULTS.enabled),
    infoOnly: optional(flag, ANNOUNCEMENT_DEFAULTS.infoOnly),
    subscribersRole: optional(rules.subscribersRole, ANNOUNCEMENT_DEFAULTS.subscribersRole),
    subscribersUser: optional(rules.subscribersUser, ANNOUNCEMENT_DEFAULTS.subscribersUser),
  },
  together: (fields) => [
    ...requiredReference(fields),
    ...colorProblems(fields),
    ...leadTimeProblems(fields.hours, fields.minutes),
  ],
  asks: ({ type }) => (type === "SPECIFIC" || type === "RECUR" ? ["calendar-events"] : []),
  idempotent: true,
});

export const updateAnnouncement = action<UpdateAnnouncementParams, Revised>({
  name: "announcements.update",
  keys: "guild write",
  params: {
    guildId,
    id: reference,
    channel: optional(rules.channel),
    type: optional(rules.type),
    eventId: optional(reference),
    eventColor: rules.eventColor,
    hours: optional(rules.hours),
    minutes: optional(rules.minutes),
    info: clearable(rules.info),
    enabled: optional(flag),
    infoOnly: optional(flag),
    subscribersRole: optional(rules.subscribersRole),
    subscribersUser: optional(rules.subscribersUser),
    subscribersRoleAdd: optional(rules.subscribersRole),
    subscribersRoleRemove: optional(rules.subscribersRole),
    subscribersUserAdd: optional(rules.subscribersUser),
    subscribersUserRemove: optional(rules.subscribersUser),
    ifRevision,
  },
  together: (fields) => [
    ...colorProblems(fields),
    ...leadTimeProblems(fields.hours, fields.minutes),
    ...subscriberProblems(fields),
  ],
  asks: ({ eventId = "" }) => (eventId === "" ? [] : ["calendar-events"]),
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
  params: { guildId, formerAfter: { type: "number", integer: true, optional: true } },
  idempotent: true,
});

/** Guilds in one question. */
export const MAX_GUILDS_ASKED = 1000;

/** For dispatch: those of these guilds that have an announcement which is enabled, or had one lately, in no order. */
export const listAnnouncingGuilds = action<{ guildIds: readonly GuildId[] }, GuildId[]>({
  name: "announcements.listAnnouncingGuilds",
  keys: "none",
  params: { guildIds: { type: "array", max: MAX_GUILDS_ASKED, items: guildId } },
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
