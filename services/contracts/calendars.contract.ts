import { timeZoneName } from "../../mixins/time-zones/time-zones.ts";
import { settingsOwnerOfCalendar } from "./calendar-events.contract.ts";
import { action, broadcastEvent } from "./contract.ts";
import { clearable, guildId, integer, optional, revisionNumber, text, textOf } from "./field-rules.ts";
import type { GuildId } from "./ids.ts";
import { type Page, pageNarrowing, type PageParams, pageRules } from "./pages.ts";
import { changedPauseRule, type Pause, type PauseChange } from "./pause.ts";
import { type IfRevision, ifRevision, type Revised } from "./revision.ts";

/** Whether a followed calendar is read, or was disabled after a week of failures (D55). */
export const FOLLOW_STATES = ["active", "disabled"] as const;
export type FollowState = (typeof FOLLOW_STATES)[number];

/** A calendar of a guild (D22). It exists without being created, up to the guild's number of calendars (D20). */
export interface CalendarView extends Pick<Pause, "pausedUntil"> {
  /** 1 is the main calendar. */
  readonly calendarNumber: number;
  readonly name: string;
  /** IANA name of the time zone of its series. */
  readonly timezone: string;
  /** Of a calendar that follows an address, and is read-only (D55); absent for any other. */
  readonly follow?: FollowState;
  /** Number of writes, from 1; 0 for a calendar that was never changed. */
  readonly revision: number;
}

const calendarNumber = integer(1, 2_147_483_647);

export interface CalendarReference {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
}

/** An absent field stays. A null or empty name restores the default name, and a null `pausedUntil` ends the pause (D62). */
export interface UpdateCalendarParams extends CalendarReference, IfRevision, PauseChange {
  readonly name?: string | null;
  readonly timezone?: string;
}

const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

function isTimeZone(name: string): boolean {
  return timeZoneName(name) !== undefined;
}

export const getCalendar = action<CalendarReference, CalendarView>({
  name: "calendar-events.getCalendar",
  keys: "guild read",
  refusals: ["CALENDAR_NOT_FOUND"],
  params: { guildId, calendarNumber },
  dependsOn: settingsOwnerOfCalendar,
  idempotent: true,
});

export const updateCalendar = action<UpdateCalendarParams, Revised>({
  name: "calendar-events.updateCalendar",
  keys: "guild write",
  refusals: ["CALENDAR_NOT_FOUND"],
  params: {
    guildId,
    calendarNumber,
    name: clearable(text(256)),
    timezone: optional(textOf("the IANA name of a time zone, such as Europe/Berlin", ZONE_NAME, 64, isTimeZone)),
    pausedUntil: changedPauseRule,
    ifRevision,
  },
  dependsOn: settingsOwnerOfCalendar,
  idempotent: true,
});

/** All calendars that the guild may have, by number. */
export const listCalendars = action<{ guildId: GuildId }, CalendarView[]>({
  name: "calendar-events.listCalendars",
  keys: "guild read",
  params: { guildId },
  dependsOn: () => ["guild-settings"],
  idempotent: true,
});

/** A page of the same list (D49). */
export const listCalendarsPage = action<{ guildId: GuildId } & PageParams, Page<CalendarView>>({
  name: "calendar-events.listCalendarsPage",
  keys: "guild read",
  params: { guildId, ...pageRules },
  dependsOn: () => ["guild-settings"],
  narrowing: pageNarrowing,
  idempotent: true,
});

export interface CalendarChanged {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  readonly revision: number;
}
/** Broadcast after a calendar was stored. A broadcast may be lost, duplicated or late; the change feed has the change, too. */
export const calendarChanged = broadcastEvent<CalendarChanged>({
  name: "calendar.changed",
  payload: { guildId, calendarNumber: integer(1, 2_147_483_647), revision: revisionNumber },
});
