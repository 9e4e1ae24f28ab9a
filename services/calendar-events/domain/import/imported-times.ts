import type { GivenTimes } from "../../../contracts/event-times.ts";
import { type EpochMs, LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import { dateOfDay, type Days, LAST_END_DAY, timesOfDays } from "../calendar/days.ts";
import { localToInstant } from "../calendar/local-to-instant.ts";
import { UTC, type Zone } from "../calendar/zone.ts";
import type { Times } from "../event/window.ts";
import { type DateValue, type Duration, readDateValue, readDuration } from "./date-value.ts";
import type { ImportedInstant } from "./imported-instant.ts";
import type { Property } from "./property.ts";

/** Finds the zone of a TZID for an event that starts around an instant; undefined for an unknown one. */
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

/** The times of a VEVENT. */
export interface ImportedTimes extends Times {
  /** The dates of an all-day event, whose times are their midnights in a zone; undefined for any other event. */
  readonly days: Days | undefined;
}

/** Parses DTSTART. A floating time, and a date, are on the clock of the calendar. */
export function readStart(
  property: Property | undefined,
  calendarZone: Zone,
  find: ZoneFinder,
): ImportedStart | "INVALID_TIME" | "UNKNOWN_TIME_ZONE" {
  const value = readDateValue(property?.value ?? "");
  if (property === undefined || value === undefined) return "INVALID_TIME";
  const found = zoneOfValue(property, value, { zone: calendarZone, wall: value.wall }, find);
  if (found === undefined) return "UNKNOWN_TIME_ZONE";
  return { value, zone: found.zone, at: localToInstant(value.wall, found.zone), isZoneByRules: found.isByRules };
}

/** The zone of a value. The year of the start decides about every TZID of a VEVENT (D52), so that it has few searches. */
function zoneOfValue(
  { params }: Property,
  { kind }: DateValue,
  start: { readonly zone: Zone; readonly wall: EpochMs },
  find: ZoneFinder,
) {
  if (kind === "utc") return { zone: UTC, isByRules: false };
  const tzid = params.get("TZID");
  if (kind === "date" || tzid === undefined) return { zone: start.zone, isByRules: false };
  return find(tzid, start.wall);
}

function aroundStart({ zone, value }: ImportedStart) {
  return { zone, wall: value.wall };
}

/** The times of an event; INVALID_TIME for an end before the start. Without end or duration a date is a whole day. */
export function readTimes(
  start: ImportedStart,
  { end, duration }: { readonly end: Property | undefined; readonly duration: Property | undefined },
  find: ZoneFinder,
): ImportedTimes | "INVALID_TIME" | "UNKNOWN_TIME_ZONE" {
  if (start.value.kind === "date") return allDayTimes(start, endDayOf(start, end, duration));
  const startsAt = start.at;
  if (end === undefined) {
    const length = duration === undefined ? { days: 0, ms: 0 } : readDuration(duration.value);
    return length === undefined ? "INVALID_TIME" : { startsAt, endsAt: endAfter(start, length), days: undefined };
  }
  const value = readDateValue(end.value);
  if (value === undefined) return "INVALID_TIME";
  const zone = zoneOfValue(end, value, aroundStart(start), find)?.zone;
  if (zone === undefined) return "UNKNOWN_TIME_ZONE";
  const endsAt = localToInstant(value.wall, zone);
  return endsAt < startsAt ? "INVALID_TIME" : { startsAt, endsAt, days: undefined };
}

/** Days are of the wall clock, and the rest is exact (RFC 5545, section 3.3.6). */
function endAfter({ value, zone, at }: Pick<ImportedStart, "value" | "zone" | "at">, { days, ms }: Duration): EpochMs {
  return (days === 0 ? at : localToInstant(value.wall + days * DAY_MS, zone)) + ms;
}

/** The day before which an event of whole days ends; NaN for a malformed one. */
function endDayOf({ value }: ImportedStart, end: Property | undefined, duration: Property | undefined): number {
  if (end !== undefined) return dayOf(readDateValue(end.value));
  return dayOf(value) + (duration === undefined ? 1 : (readDuration(duration.value)?.days ?? Number.NaN));
}

function dayOf(value: DateValue | undefined): number {
  return value === undefined ? Number.NaN : Math.floor(value.wall / DAY_MS);
}

/** An all-day event (D50). Some programs write the last day as the end, so an end on the first day means one day. */
function allDayTimes({ value, zone }: ImportedStart, endDay: number): ImportedTimes | "INVALID_TIME" {
  const startDay = dayOf(value);
  return endDay >= startDay ? timesInZone({ startDay, endDay: Math.max(endDay, startDay + 1) }, zone) : "INVALID_TIME";
}

/** The times of days in a zone. */
export function timesInZone(days: Days, zone: Zone): ImportedTimes {
  const { startsAt, endsAt } = timesOfDays(days, [{ zone, since: 0 }]);
  return { startsAt, endsAt, days };
}

/** Whether the times are out of the range of events (D13, D50). */
export function isOutOfRange({ startsAt, endsAt, days }: ImportedTimes): boolean {
  return startsAt < 0 || endsAt > LAST_EPOCH_MS || (days !== undefined && days.endDay > LAST_END_DAY);
}

/** The times as an event gets them. */
export function givenTimes({ startsAt, endsAt, days }: ImportedTimes): GivenTimes {
  if (days === undefined) return { startsAt, endsAt };
  return { allDay: true, startDate: dateOfDay(days.startDay), endDate: dateOfDay(days.endDay) };
}

/**
 * The values of EXDATE, RDATE or RECURRENCE-ID; undefined if one of them is malformed, or its zone is unknown. Of a period
 * (RDATE) it is the begin.
 */
export function readInstants(
  property: Property,
  start: ImportedStart,
  find: ZoneFinder,
): ImportedInstant[] | undefined {
  const instants: ImportedInstant[] = [];
  for (const text of property.value.split(",")) {
    if (text.trim() === "") continue;
    const value = readDateValue(text.split("/", 1)[0] ?? "");
    const zone = value && zoneOfValue(property, value, aroundStart(start), find)?.zone;
    if (value === undefined || zone === undefined) return undefined;
    instants.push(value.kind === "date" ? { day: dayOf(value) } : { at: localToInstant(value.wall, zone) });
  }
  return instants;
}

/**
 * Whether an RDATE has a period of another duration than the event, whose occurrences have one duration. A period is a begin and
 * an end, or a begin and a duration (RFC 5545, section 3.3.9).
 */
export function hasOtherPeriod(
  property: Property,
  { start, times }: { readonly start: ImportedStart; readonly times: Times },
  find: ZoneFinder,
): boolean {
  return property.value.split(",").some((text) => {
    const [begin = "", end] = text.split("/", 2);
    if (end === undefined) return false;
    const value = readDateValue(begin);
    const zone = value && zoneOfValue(property, value, aroundStart(start), find)?.zone;
    if (value === undefined || zone === undefined) return false;
    const at = localToInstant(value.wall, zone);
    return periodEnd({ value, zone, at }, end) !== at + times.endsAt - times.startsAt;
  });
}

/** The end of a period; undefined for a malformed one. */
function periodEnd(begin: Pick<ImportedStart, "value" | "zone" | "at">, end: string): EpochMs | undefined {
  const duration = readDuration(end);
  if (duration !== undefined) return endAfter(begin, duration);
  const value = readDateValue(end);
  return value && localToInstant(value.wall, begin.zone);
}
