import type { CalendarView, UpdateCalendarParams } from "../../../contracts/calendars.contract.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { CalendarClock } from "./calendar-clock.ts";
import { UTC, type Zone, zoneNamed } from "./zone.ts";

/** A zone that a calendar got, in the order of the versions. */
export interface ZoneChange {
  readonly version: number;
  readonly timezone: string;
  /** Database time. */
  readonly since: EpochMs;
}

/** A calendar of a guild, with the zones that it had (D22). */
export interface Calendar {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  /** Counts the writes, from 1; 0 for a calendar that was never written. */
  readonly revision: number;
  readonly name?: string;
  /** Without any, the calendar is on UTC as from the beginning. */
  readonly zoneChanges: readonly ZoneChange[];
}

/** By which zone of its calendar a wall clock reads the times of something: the zone's name and version. */
export interface Anchor {
  readonly timezone: string;
  readonly version: number;
}

/** The zones kept: who changes the zone more often has the oldest changes forgotten. */
export const MAX_ZONE_CHANGES = 50;

export function unwrittenCalendar(guildId: GuildId, calendarNumber: number): Calendar {
  return { guildId, calendarNumber, revision: 0, zoneChanges: [] };
}

/** All calendars that a guild may have, by number, with those of them that were written. */
export function everyCalendar(guildId: GuildId, written: readonly Calendar[], most: number): Calendar[] {
  const byNumber = new Map(written.map((calendar) => [calendar.calendarNumber, calendar]));
  return Array.from({ length: most }, (_, at) => byNumber.get(at + 1) ?? unwrittenCalendar(guildId, at + 1));
}

/** The zone that the calendar has now, as an anchor for what is set now. */
export function anchorOf({ zoneChanges }: Calendar): Anchor {
  const { timezone, version } = zoneChanges.at(-1) ?? { timezone: UTC.name, version: 0 };
  return { timezone, version };
}

/** The zone of an anchor. */
export function zoneOf({ timezone }: Anchor): Zone {
  return knownZone(timezone);
}

/** The wall clock that runs for what was anchored: its own zone, then each that the calendar got later. */
export function clockFor({ timezone, version }: Anchor, { zoneChanges }: Calendar): CalendarClock {
  const later = zoneChanges.filter((change) => change.version > version);
  return [
    { zone: knownZone(timezone), since: 0 },
    ...later.map((change) => ({ zone: knownZone(change.timezone), since: change.since })),
  ];
}

/**
 * Every zone by which something that starts from an instant on may be read; undefined when some were forgotten. What
 * starts after a change of the zone is read by a zone that the calendar got then or later.
 */
export function zonesFrom({ zoneChanges }: Calendar, from: EpochMs): Zone[] | undefined {
  const past = zoneChanges.findLastIndex(({ since }) => since <= from);
  if (past === -1 && zoneChanges.length >= MAX_ZONE_CHANGES) return undefined;
  const names = zoneChanges.slice(Math.max(past, 0)).map(({ timezone }) => timezone);
  return [...(past === -1 ? [UTC] : []), ...[...new Set(names)].map(knownZone)];
}

/** Whether something may be elsewhere than where it was when it was stored. */
export function hasMoved({ zoneChanges }: Calendar): boolean {
  return zoneChanges.length > 0;
}

/** A calendar after a change; `newZone` is the zone that it gets by it. */
export interface ChangedCalendar {
  readonly calendar: Calendar;
  readonly newZone?: Anchor;
}

export function changeCalendar(
  stored: Calendar,
  { name, timezone }: Pick<UpdateCalendarParams, "name" | "timezone">,
): ChangedCalendar {
  const { name: storedName, ...rest } = stored;
  const nextName = name === undefined ? storedName : name;
  const named = nextName === undefined || nextName === null || nextName === "" ? {} : { name: nextName };
  const calendar = { ...rest, ...named, revision: stored.revision + 1 };
  const current = anchorOf(stored);
  const zone = timezone === undefined ? current.timezone : knownZone(timezone).name;
  if (zone === current.timezone) return { calendar };
  const zoneChanges = stored.zoneChanges.slice(1 - MAX_ZONE_CHANGES);
  return { calendar: { ...calendar, zoneChanges }, newZone: { timezone: zone, version: current.version + 1 } };
}

export function calendarView(calendar: Calendar): CalendarView {
  const { calendarNumber, name = standardName(calendarNumber), revision } = calendar;
  return { calendarNumber, name, timezone: anchorOf(calendar).timezone, revision };
}

/** The default name of a calendar. */
function standardName(calendarNumber: number): string {
  return calendarNumber === 1 ? "Main calendar" : `Calendar ${calendarNumber}`;
}

/** A zone whose name was checked when it came in. */
function knownZone(name: string): Zone {
  const zone = zoneNamed(name);
  if (zone === undefined) throw new Error(`this process knows no time zone ${name}`);
  return zone;
}
