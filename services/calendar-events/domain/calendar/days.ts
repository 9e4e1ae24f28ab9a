import type { DateText, EpochMs } from "../../../contracts/ids.ts";
import { civilOfDays, DAY_MS } from "../recurrence/civil-days.ts";
import { type Anchor, zoneOf } from "./calendar.ts";
import { type CalendarClock, movedByZone } from "./calendar-clock.ts";
import { instantToLocal, localToInstant, type WallMs } from "./local-to-instant.ts";
import type { Zone } from "./zone.ts";

/** The dates of an all-day event, as numbers of days since 1970-01-01 (D50). */
export interface Days {
  readonly startDay: number;
  /** Not included, as DTEND in RFC 5545. */
  readonly endDay: number;
}

/** The dates of an all-day event, and the time zone of the calendar when they were set. */
export interface AllDay extends Days {
  readonly anchor: Anchor;
}

/** The latest end of an all-day event. Its last day is the day before, 9999-12-30. */
export const LAST_END_DAY = dayOfDate("9999-12-31");

/** The number of a date; inverse of `dateOfDay`. */
export function dayOfDate(date: DateText): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

export function dateOfDay(number: number): DateText {
  const { year, month, day } = civilOfDays(number);
  return `${String(year).padStart(4, "0")}-${twoDigits(month)}-${twoDigits(day)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** The midnight at which the days begin, on the wall clock. */
export function wallOfDay({ startDay }: Pick<Days, "startDay">): WallMs {
  return startDay * DAY_MS;
}

/** The instants of some days, and the instant of the zone change that moved them there; undefined if none did. */
export interface DayTimes {
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
  readonly movedAt: EpochMs | undefined;
}

/** From the midnight that begins the days to the one that ends them, after all changes of the zone (D41). */
export function timesOfDays({ startDay, endDay }: Days, clock: CalendarClock): DayTimes {
  const wall = wallOfDay({ startDay });
  const moved = movedByZone(clock, wall, localToInstant(wall, clock[0].zone));
  const zone = moved?.zone ?? clock[0].zone;
  return {
    startsAt: localToInstant(wall, zone),
    endsAt: localToInstant(endDay * DAY_MS, zone),
    movedAt: moved?.since,
  };
}

/** The times of days in the time zone in which they were set. */
export function timesInAnchorZone({ anchor, ...days }: AllDay): Pick<DayTimes, "startsAt" | "endsAt"> {
  const { startsAt, endsAt } = timesOfDays(days, [{ zone: zoneOf(anchor), since: 0 }]);
  return { startsAt, endsAt };
}

/** The midnight nearest to an instant, on the wall clock. The instant of a midnight that does not exist has a later wall time. */
export function midnightAround(at: EpochMs, zone: Zone): WallMs {
  return Math.round(instantToLocal(at, zone) / DAY_MS) * DAY_MS;
}

export function isMidnight(at: EpochMs, zone: Zone): boolean {
  return localToInstant(midnightAround(at, zone), zone) === at;
}
