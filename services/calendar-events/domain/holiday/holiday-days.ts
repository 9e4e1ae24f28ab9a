import type { AllDayFields } from "../../../contracts/event-times.ts";
import { type Holiday, MAX_HOLIDAY_NAME } from "../../../contracts/holidays.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { Window } from "../../../contracts/window.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import { anchorOf, type Calendar, zoneOf } from "../calendar/calendar.ts";
import { dayOfDate, type Days } from "../calendar/days.ts";
import { instantToLocal, localToInstant } from "../calendar/local-to-instant.ts";
import type { Zone } from "../calendar/zone.ts";
import { compareText } from "../event/list-order.ts";
import type { Times } from "../event/window.ts";

/** An entry of a calendar of holidays. */
export interface HolidayEntry extends Times, AllDayFields {
  readonly eventId: string;
  readonly name?: string;
}

/** The days of a calendar of holidays that have an entry, each with the first entry that covers it (D66). */
export type HolidaysByDay = ReadonlyMap<number, HolidayEntry>;

/** The day on which an occurrence starts, on the clock of its calendar; a number of days since 1970-01-01. */
export function dayOfOccurrence({ startsAt, startDate, timezone }: Occurrence): number {
  return startDate === undefined ? dayAt(startsAt, zoneOf({ timezone, version: 0 })) : dayOfDate(startDate);
}

/** The days that an entry covers: its dates, or those that it has a part of on the clock of its own calendar. */
export function coveredDays({ startsAt, endsAt, startDate, endDate }: HolidayEntry, calendar: Calendar): Days {
  if (startDate !== undefined && endDate !== undefined) {
    return { startDay: dayOfDate(startDate), endDay: dayOfDate(endDate) };
  }
  const zone = zoneOf(anchorOf(calendar));
  return { startDay: dayAt(startsAt, zone), endDay: dayAt(Math.max(startsAt, endsAt - 1), zone) + 1 };
}

/** The time from the begin of one day to the end of another one, on the clock of the calendar. */
export function windowOfDays(first: number, last: number, calendar: Calendar): Window {
  const zone = zoneOf(anchorOf(calendar));
  return { from: localToInstant(first * DAY_MS, zone), until: localToInstant((last + 1) * DAY_MS, zone) };
}

/** Adds the days of an entry, as far as they are wanted, unless an earlier entry covers them. */
export function addEntry(
  found: Map<number, HolidayEntry>,
  entry: HolidayEntry,
  wanted: ReadonlySet<number>,
  { startDay, endDay }: Days,
): void {
  // An entry may cover centuries: the wanted days are at most those of three years.
  for (const day of wanted) {
    if (day < startDay || day >= endDay) continue;
    const known = found.get(day);
    if (known === undefined || isBefore(entry, known)) found.set(day, entry);
  }
}

function isBefore(one: HolidayEntry, other: HolidayEntry): boolean {
  return (one.startsAt - other.startsAt || compareText(one.eventId, other.eventId)) < 0;
}

/** A calendar of holidays, by the days of some occurrences. */
export interface HolidayCalendar {
  readonly calendarNumber: number;
  readonly days: HolidaysByDay;
}

/** The occurrence with the holidays of its day. A calendar's own events have none of it, and digests have none. */
export function withHolidaysOf(occurrence: Occurrence, calendars: readonly HolidayCalendar[]): Occurrence {
  if (occurrence.digest !== undefined) return occurrence;
  const day = dayOfOccurrence(occurrence);
  const holidays = calendars.flatMap(({ calendarNumber, days }): Holiday[] => {
    const entry = calendarNumber === occurrence.calendarNumber ? undefined : days.get(day);
    return entry === undefined ? [] : [{ calendarNumber, ...shortName(entry) }];
  });
  return holidays.length === 0 ? occurrence : { ...occurrence, holidays };
}

/** The name in one line, cut between code points; none without a visible character. */
function shortName({ name = "" }: HolidayEntry): Pick<Holiday, "name"> {
  if (!/[^\p{C}\p{Z}]/u.test(name)) return {};
  const characters = Array.from(name.replaceAll(/[\p{Cc}\p{Z}]+/gu, " ").trim());
  const isShort = characters.length <= MAX_HOLIDAY_NAME;
  return { name: isShort ? characters.join("") : `${characters.slice(0, MAX_HOLIDAY_NAME - 1).join("")}…` };
}

function dayAt(at: EpochMs, zone: Zone): number {
  return Math.floor(instantToLocal(at, zone) / DAY_MS);
}
