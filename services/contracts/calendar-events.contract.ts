import {
  type ChangesSinceParams,
  type ChangesSinceResult,
  changesSinceRules,
  type CountChangesParams,
  countChangesRules,
} from "./change-feed.contract.ts";
import { action, broadcastEvent } from "./contract.ts";
import {
  type AllDayFields,
  changedEventProblems,
  dateRules,
  type GivenTimes,
  newEventProblems,
} from "./event-times.ts";
import {
  clearable,
  epochMs,
  flag,
  guildId,
  httpUrl,
  integer,
  oneOf,
  optional,
  MAX_URL_LENGTH,
  reference,
  revisionNumber,
  text,
  textOf,
} from "./field-rules.ts";
import { EVENT_ID, type EpochMs, type EventId, type GuildId, type OccurrenceId } from "./ids.ts";
import { changedPauseRule, type Pause, type PauseChange, pauseRule } from "./pause.ts";
import { type RecurrenceInput, recurrenceRules, type RecurrenceView } from "./recurrence.ts";
import { type IfRevision, ifRevision, type Revised } from "./revision.ts";
import type { OwnerName } from "./service-names.ts";
import type { Window } from "./window.ts";

/** Colors of events (D14). */
export const COLORS = [
  "MELROSE",
  "RIPTIDE",
  "MAUVE",
  "TANGERINE",
  "DANDELION",
  "MAC_AND_CHEESE",
  "TURQUOISE",
  "MERCURY",
  "BLUE",
  "GREEN",
  "RED",
  "NONE",
] as const;
export type Color = (typeof COLORS)[number];

/** The texts of an event. */
export const EVENT_TEXTS = ["name", "description", "location", "image"] as const;
export type EventText = (typeof EVENT_TEXTS)[number];

/** Largest number of characters of each text (D21). */
export const TEXT_LIMITS = { name: 256, description: 4000, location: 256, image: MAX_URL_LENGTH } satisfies Record<
  EventText,
  number
>;

/** `image` is an http or https URL, which the service never fetches (D21). */
const TEXT_RULES = { ...perText((name) => text(TEXT_LIMITS[name])), image: httpUrl };

/** A record with a value for each text. */
export function perText<Value>(valueOf: (text: EventText) => Value): Readonly<Record<EventText, Value>> {
  return Object.fromEntries(EVENT_TEXTS.map((name) => [name, valueOf(name)])) as Record<EventText, Value>;
}

/** The texts that an event has. */
export type EventTexts = { readonly [Text in EventText]?: string };

/** A single event, a series, or one occurrence of a series, in a response (api.md 2.4, D18). */
export interface EventView extends EventTexts, AllDayFields, Pick<Pause, "pausedUntil"> {
  readonly eventId: EventId | OccurrenceId;
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
  /** True for a series itself; false for an occurrence and for a single event. */
  readonly isParent: boolean;
  readonly color: Color;
  readonly recurs: boolean;
  readonly recurrence?: RecurrenceView;
}

/** Entries in one response (D17). */
export const MAX_ENTRIES = 10_000;

/** Defaults of a new event (D14). */
export const EVENT_DEFAULTS = { color: "NONE" } as const satisfies Partial<EventView>;

export const calendarNumber = integer(1, 2_147_483_647);

/** `startsAt` and `endsAt` are required unless the event is all-day. */
export interface CreateEventParams extends EventTexts, GivenTimes, Pick<Pause, "pausedUntil"> {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  readonly color?: Color;
  readonly recurs?: boolean;
  readonly recurrence?: RecurrenceInput;
}

/** An absent field stays; null clears a text, and ends a pause (D62). */
export interface UpdateEventParams extends IfRevision, TextChanges, GivenTimes, PauseChange, Scoped {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  readonly eventId: EventId | OccurrenceId;
  readonly color?: Color;
  readonly recurs?: boolean;
  readonly recurrence?: RecurrenceInput;
}

/** Which occurrences of a series a write with the id of one of them changes (D51). */
export const EDIT_SCOPES = ["this", "following", "all"] as const;
export type EditScope = (typeof EDIT_SCOPES)[number];

/** Absent: `this` for the id of an occurrence, and `all` for the id of a series. */
interface Scoped {
  readonly scope?: EditScope;
}

type TextChanges = { readonly [Text in EventText]?: string | null };

/** Calendars other than the first depend on the guild's settings, which limit their number (D20). */
export function settingsOwnerOfCalendar(params: { readonly calendarNumber: number }): readonly OwnerName[] {
  return params.calendarNumber === 1 ? [] : ["guild-settings"];
}

export const createEvent = action<CreateEventParams, { readonly eventId: EventId } & Revised>({
  name: "calendar-events.create",
  keys: "guild write",
  refusals: ["CALENDAR_NOT_FOUND", "CALENDAR_FOLLOWED", "TOO_MANY_EVENTS"],
  params: {
    guildId,
    calendarNumber,
    startsAt: optional(epochMs),
    endsAt: optional(epochMs),
    ...dateRules,
    ...perText((name) => optional(TEXT_RULES[name])),
    color: optional(oneOf(COLORS), EVENT_DEFAULTS.color),
    pausedUntil: pauseRule,
    recurs: optional(flag, false),
    recurrence: { ...recurrenceRules, optional: true },
  },
  crossFieldProblems: newEventProblems,
  dependsOn: settingsOwnerOfCalendar,
  idempotent: true,
});

/** With the scope `following` the result has the id and the revision of the new series, if the series was split. */
export const updateEvent = action<UpdateEventParams, { readonly eventId?: EventId } & Revised>({
  name: "calendar-events.update",
  keys: "guild write",
  refusals: ["CALENDAR_NOT_FOUND", "CALENDAR_FOLLOWED", "EVENT_NOT_FOUND", "TOO_MANY_EVENTS"],
  params: {
    guildId,
    calendarNumber,
    eventId: reference,
    startsAt: optional(epochMs),
    endsAt: optional(epochMs),
    ...dateRules,
    ...perText((name) => clearable(TEXT_RULES[name])),
    color: optional(oneOf(COLORS)),
    pausedUntil: changedPauseRule,
    recurs: optional(flag),
    recurrence: { ...recurrenceRules, optional: true },
    scope: optional(oneOf(EDIT_SCOPES)),
    ifRevision,
  },
  crossFieldProblems: changedEventProblems,
  dependsOn: settingsOwnerOfCalendar,
  idempotent: true,
});

export interface EventReference {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  readonly eventId: EventId | OccurrenceId;
}

export type RemoveEventParams = EventReference & IfRevision & AlsoRemoved & Scoped;

/** Deletes a single event, a series, or the occurrences of a series from one on, or cancels one occurrence (D19, D51). */
export const removeEvent = action<RemoveEventParams, void>({
  name: "calendar-events.remove",
  keys: "guild write",
  refusals: ["CALENDAR_NOT_FOUND", "CALENDAR_FOLLOWED", "EVENT_NOT_FOUND", "TOO_MANY_EVENTS"],
  params: {
    guildId,
    calendarNumber,
    eventId: reference,
    announcements: optional(oneOf(["delete"])),
    scope: optional(oneOf(EDIT_SCOPES)),
    ifRevision,
  },
  crossFieldProblems: ({ announcements, scope }) =>
    announcements !== undefined && scope === "following"
      ? [{ field: "announcements", code: "CONFLICTING", message: "must be absent: those of the series stay" }]
      : [],
  dependsOn: (params) => [
    ...settingsOwnerOfCalendar(params),
    ...(params.announcements === undefined ? [] : (["announcements"] as const)),
  ],
  idempotent: true,
});

/** `delete` also removes the event's announcements of the types SPECIFIC and RECUR (D42). */
interface AlsoRemoved {
  readonly announcements?: "delete";
}

/** An occurrence has the revision of its series. */
export const getEvent = action<EventReference, EventView & Revised>({
  name: "calendar-events.get",
  keys: "guild read",
  refusals: ["CALENDAR_NOT_FOUND", "EVENT_NOT_FOUND"],
  params: { guildId, calendarNumber, eventId: reference },
  dependsOn: settingsOwnerOfCalendar,
  idempotent: true,
});

export interface WindowParams extends Window {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
}

/** Lists the events and occurrences that overlap the window, in the order of start and id (D17). */
export const listEvents = action<WindowParams, EventView[]>({
  name: "calendar-events.list",
  keys: "guild read",
  refusals: ["CALENDAR_NOT_FOUND"],
  params: {
    guildId,
    calendarNumber,
    from: epochMs,
    // The window of the last day may end after the last instant.
    until: integer(0, Number.MAX_SAFE_INTEGER),
  },
  dependsOn: settingsOwnerOfCalendar,
  narrowing: { field: "until", advice: "must make the window shorter" },
  idempotent: true,
});

/** Lists ongoing events: `start <= now < end` (D17). */
export const listOngoingEvents = action<Omit<WindowParams, keyof Window>, EventView[]>({
  name: "calendar-events.listOngoing",
  keys: "guild read",
  refusals: ["CALENDAR_NOT_FOUND"],
  params: { guildId, calendarNumber },
  dependsOn: settingsOwnerOfCalendar,
  narrowing: { field: "calendarNumber", advice: "must be a calendar with fewer ongoing events" },
  idempotent: true,
});

export const calendarEventsChangesSince = action<ChangesSinceParams, ChangesSinceResult>({
  name: "calendar-events.changesSince",
  keys: "none",
  params: changesSinceRules,
  idempotent: true,
});

export const calendarEventsCountChanges = action<CountChangesParams, number>({
  name: "calendar-events.countChanges",
  keys: "none",
  params: countChangesRules,
  idempotent: true,
});

export interface CalendarEventChanged {
  readonly guildId: GuildId;
  readonly eventId: EventId;
  readonly revision: number;
  /** Of a new event: its first start. Absent if the event was changed or removed. */
  readonly startsAt?: EpochMs;
}
/** Broadcast after an event was stored or removed. A broadcast may be lost, duplicated or late. */
export const calendarEventChanged = broadcastEvent<CalendarEventChanged>({
  name: "calendar-event.changed",
  payload: {
    guildId,
    eventId: textOf("an event's id", EVENT_ID, 26),
    revision: revisionNumber,
    startsAt: { ...epochMs, optional: true },
  },
});
