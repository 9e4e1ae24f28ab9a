import type { EpochMs } from "../../../contracts/ids.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import { localToInstant, type WallMs } from "../calendar/local-to-instant.ts";
import { UTC, type Zone } from "../calendar/zone.ts";
import type { Times } from "../event/window.ts";
import { type DateValue, type Duration, readDateValue, readDuration } from "./date-value.ts";
import type { Property } from "./property.ts";

/** Finds the zone of a TZID for an event around an instant; undefined for an unknown one. */
export type ZoneFinder = (
  tzid: string,
  at: EpochMs,
) => { readonly zone: Zone; readonly isByRules: boolean } | undefined;

/** A start with its zone. */
export interface ImportedStart {
  readonly value: DateValue;
  readonly zone: Zone;
  readonly at: EpochMs;
  readonly isZoneByRules: boolean;
}

/** Parses DTSTART. A floating time, and a date, are on the clock of the calendar. */
export function readStart(
  property: Property | undefined,
  calendarZone: Zone,
  find: ZoneFinder,
): ImportedStart | "INVALID_TIME" | "UNKNOWN_TIME_ZONE" {
  const value = readDateValue(property?.value ?? "");
  if (property === undefined || value === undefined) return "INVALID_TIME";
  const found = zoneOfValue(property, value, calendarZone, find);
  if (found === undefined) return "UNKNOWN_TIME_ZONE";
  return { value, zone: found.zone, at: localToInstant(value.wall, found.zone), isZoneByRules: found.isByRules };
}

function zoneOfValue({ params }: Property, { kind, wall }: DateValue, calendarZone: Zone, find: ZoneFinder) {
  if (kind === "utc") return { zone: UTC, isByRules: false };
  const tzid = params.get("TZID");
  if (kind === "date" || tzid === undefined) return { zone: calendarZone, isByRules: false };
  return find(tzid, wall);
}

/** The times of an event; INVALID_TIME for an end before the start. Without end or duration a date is a whole day. */
export function readTimes(
  start: ImportedStart,
  { end, duration }: { readonly end: Property | undefined; readonly duration: Property | undefined },
  find: ZoneFinder,
): Times | "INVALID_TIME" | "UNKNOWN_TIME_ZONE" {
  if (start.value.kind === "date") return allDayTimes(start, lastDateOf(start, end, duration));
  const startsAt = start.at;
  if (end === undefined) {
    const length = duration === undefined ? { days: 0, ms: 0 } : readDuration(duration.value);
    return length === undefined ? "INVALID_TIME" : { startsAt, endsAt: endAfter(start, length) };
  }
  const value = readDateValue(end.value);
  if (value === undefined) return "INVALID_TIME";
  const zone = zoneOfValue(end, value, start.zone, find)?.zone;
  if (zone === undefined) return "UNKNOWN_TIME_ZONE";
  const endsAt = localToInstant(value.wall, zone);
  return endsAt < startsAt ? "INVALID_TIME" : { startsAt, endsAt };
}

/** Days are of the wall clock, and the rest is exact (RFC 5545, section 3.3.6). */
function endAfter({ value, zone, at }: ImportedStart, { days, ms }: Duration): EpochMs {
  return (days === 0 ? at : localToInstant(value.wall + days * DAY_MS, zone)) + ms;
}

/** The date before which an event of whole days ends. */
function lastDateOf(
  { value }: ImportedStart,
  end: Property | undefined,
  duration: Property | undefined,
): WallMs | undefined {
  const days = duration === undefined ? 1 : readDuration(duration.value)?.days;
  const wall = end === undefined ? value.wall + (days ?? Number.NaN) * DAY_MS : readDateValue(end.value)?.wall;
  return wall === undefined || Number.isNaN(wall) ? undefined : Math.floor(wall / DAY_MS) * DAY_MS;
}

/**
 * An event of whole days: from midnight to midnight on the clock of the calendar. The only function that knows how such an
 * event is stored. Some programs write the last day as the end, so an end on the first day means one day.
 */
function allDayTimes({ value, zone, at }: ImportedStart, until: WallMs | undefined): Times | "INVALID_TIME" {
  if (until === undefined || until < value.wall) return "INVALID_TIME";
  return { startsAt: at, endsAt: localToInstant(Math.max(until, value.wall + DAY_MS), zone) };
}

/**
 * The instants of EXDATE, RDATE or RECURRENCE-ID; undefined if one of them is malformed, or its zone is unknown. A date
 * means the start of that day's occurrence. The end of a period (RDATE) is not read.
 */
export function readInstants(property: Property, start: ImportedStart, find: ZoneFinder): EpochMs[] | undefined {
  const instants: EpochMs[] = [];
  for (const text of property.value.split(",")) {
    if (text.trim() === "") continue;
    const value = readDateValue(text.split("/", 1)[0] ?? "");
    const zone = value && zoneOfValue(property, value, start.zone, find)?.zone;
    if (value === undefined || zone === undefined) return undefined;
    const timeOfDay = value.kind === "date" ? start.value.wall - Math.floor(start.value.wall / DAY_MS) * DAY_MS : 0;
    instants.push(localToInstant(value.wall + timeOfDay, value.kind === "date" ? start.zone : zone));
  }
  return instants;
}
