import { complete } from "../../../../mixins/objects/complete.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import type { CalendarView, UpdateCalendarParams } from "../../../contracts/calendars.contract.ts";
import { changedPause, type Pause } from "../../../contracts/pause.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { CalendarClock } from "./calendar-clock.ts";
import { UTC, type Zone, ianaZone } from "./zone.ts";

/** A change of the time zone of a calendar. Versions count up. */
export interface ZoneChange {
  readonly version: number;
  readonly timezone: string;
  /** Time of the change, by the clock of the database server. */
  readonly since: EpochMs;
}

/** A calendar of a guild, with its time zones (D22). */
export interface Calendar extends Pause {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  /** Counts the writes, from 1; 0 for a calendar that was never written. */
  readonly revision: number;
  readonly name?: string;
  /** Empty for a calendar that has always been on UTC. */
  readonly zoneChanges: readonly ZoneChange[];
  /** Further zones in which series were imported (D52). */
  readonly furtherZones?: readonly string[];
  /** The address that feeds it (D55); absent for a calendar that clients write. */
  readonly follow?: Follow;
}

export interface Follow {
  /** https, or http if the operator allows private addresses. */
  readonly url: string;
  /** When the address was set, by the clock of the database server. */
  readonly followedAt: EpochMs;
  /** When it was disabled after a week of failures. */
  readonly disabledAt?: EpochMs;
}

/**
 * The first zone of the wall clock of an event, and the version of the calendar's zone when the times of the event were set:
 * later zones of the calendar follow. The zone is that of the calendar, or of DTSTART for an imported series (D52).
 */
export interface Anchor {
  readonly timezone: string;
  readonly version: number;
}

/** Largest number of stored zone changes; the oldest are dropped. */
export const MAX_ZONE_CHANGES = 50;

export function unwrittenCalendar(guildId: GuildId, calendarNumber: number): Calendar {
  return { guildId, calendarNumber, revision: 0, zoneChanges: [] };
}

/** The guild's calendar with a number. One that was never written has the defaults. */
export function calendarByNumber(guildId: GuildId, written: readonly Calendar[], calendarNumber: number): Calendar {
  const found = written.find((calendar) => calendar.calendarNumber === calendarNumber);
  return found ?? unwrittenCalendar(guildId, calendarNumber);
}

/** All calendars that a guild may have, by number; those that were never written have the defaults. */
export function allCalendars(guildId: GuildId, written: readonly Calendar[], maxCalendars: number): Calendar[] {
  const byNumber = new Map(written.map((calendar) => [calendar.calendarNumber, calendar]));
  return Array.from({ length: maxCalendars }, (_, at) => byNumber.get(at + 1) ?? unwrittenCalendar(guildId, at + 1));
}

/** The present zone of the calendar, as the anchor of times that are set now. */
export function anchorOf({ zoneChanges }: Calendar): Anchor {
  const { timezone, version } = zoneChanges.at(-1) ?? { timezone: UTC.name, version: 0 };
  return { timezone, version };
}

export function zoneOf({ timezone }: Anchor): Zone {
  return knownZone(timezone);
}

/** The wall clock of an event with this anchor: the zone of the anchor, then each later zone of the calendar. */
export function clockFor({ timezone, version }: Anchor, { zoneChanges }: Calendar): CalendarClock {
  const later = zoneChanges.filter((change) => change.version > version);
  return [
    { zone: knownZone(timezone), since: 0 },
    ...later.map((change) => ({ zone: knownZone(change.timezone), since: change.since })),
  ];
}

/**
 * All zones that can apply to an event that starts at an instant or later: the zone at that instant, every later one, and the
 * further zones of imported series. Undefined if zone changes of that time may have been dropped.
 */
export function zonesFrom({ zoneChanges, furtherZones = [] }: Calendar, from: EpochMs): Zone[] | undefined {
  const past = zoneChanges.findLastIndex(({ since }) => since <= from);
  if (past === -1 && zoneChanges.length >= MAX_ZONE_CHANGES) return undefined;
  const names = zoneChanges
    .slice(Math.max(past, 0))
    .map(({ timezone }) => timezone)
    .concat(furtherZones);
  return [...(past === -1 ? [UTC] : []), ...[...new Set(names)].map(knownZone)];
}

/** Whether events may have moved since their index fields were computed. */
export function hasZoneChange({ zoneChanges }: Calendar): boolean {
  return zoneChanges.length > 0;
}

/** A calendar after a change; `newZone` is its new zone, if that changed. */
export interface ChangedCalendar {
  readonly calendar: Calendar;
  readonly newZone?: Anchor;
  /** Set if reads of the address begin, or end (D55). */
  readonly reading?: "begins" | "ends";
}

export function changeCalendar(
  stored: Calendar,
  { name, timezone, pausedUntil }: Pick<UpdateCalendarParams, "name" | "timezone" | "pausedUntil">,
): ChangedCalendar {
  const { name: storedName, pausedUntil: _, ...rest } = stored;
  const nextName = name === undefined ? storedName : (name ?? "");
  const calendar = complete<Calendar>()({
    ...rest,
    ...definedFields({ name: nextName === "" ? undefined : nextName }),
    ...changedPause(stored, pausedUntil),
    revision: stored.revision + 1,
  });
  const current = anchorOf(stored);
  const zone = timezone === undefined ? current.timezone : knownZone(timezone).name;
  if (zone === current.timezone) return { calendar };
  const zoneChanges = stored.zoneChanges.slice(1 - MAX_ZONE_CHANGES);
  return { calendar: { ...calendar, zoneChanges }, newZone: { timezone: zone, version: current.version + 1 } };
}

/** Largest number of further zones of a calendar: each window is searched on the clocks of all its zones. */
export const MAX_FURTHER_ZONES = 50;

/**
 * Those of the zones in which windows of the calendar would not find a series that is set now (`zonesFrom`). A former zone of
 * the calendar is one of them: its series follow the later zones, but a series that is set in it now does not.
 */
export function unknownZones(calendar: Calendar, names: readonly string[]): string[] {
  const known = new Set([anchorOf(calendar).timezone, ...(calendar.furtherZones ?? [])]);
  return [...new Set(names)].filter((name) => !known.has(name));
}

/** The calendar with further zones, for series that are set in them. */
export function withFurtherZones(stored: Calendar, names: readonly string[]): ChangedCalendar {
  const furtherZones = [...(stored.furtherZones ?? []), ...names];
  return { calendar: { ...stored, furtherZones, revision: stored.revision + 1 } };
}

export function calendarView(calendar: Calendar): CalendarView {
  const { calendarNumber, follow, pausedUntil, revision } = calendar;
  const state = follow && (follow.disabledAt === undefined ? "active" : "disabled");
  const name = calendarName(calendar);
  const timezone = anchorOf(calendar).timezone;
  return { calendarNumber, name, timezone, ...definedFields({ follow: state, pausedUntil }), revision };
}

/** The name of a calendar, or its default name. */
export function calendarName({ calendarNumber, name }: Calendar): string {
  return name ?? (calendarNumber === 1 ? "Main calendar" : `Calendar ${calendarNumber}`);
}

/** The zone of a name that was valid when it was stored. */
function knownZone(name: string): Zone {
  const zone = ianaZone(name);
  if (zone === undefined) throw new Error(`this process knows no time zone ${name}`);
  return zone;
}
