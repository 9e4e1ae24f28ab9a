import { civilOfDays, DAY_MS, daysOfCivil } from "../recurrence/civil-days.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";

/** A DATE or DATE-TIME of iCalendar (RFC 5545, sections 3.3.4 and 3.3.5). */
export interface DateValue {
  /** A date is its midnight. */
  readonly wall: WallMs;
  readonly kind: "date" | "local" | "utc";
}

const DATE_VALUE = /^([0-9]{4})([0-9]{2})([0-9]{2})(?:T([0-9]{2})([0-9]{2})([0-9]{2})(Z?))?$/;

/** Parses `20260301`, `20260301T190000` or `20260301T190000Z`; undefined for another text or a date that does not exist. */
export function readDateValue(text: string): DateValue | undefined {
  const match = DATE_VALUE.exec(text.trim().toUpperCase());
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0)) as Six;
  const days = daysOfCivil({ year, month, day });
  const date = civilOfDays(days);
  if (date.year !== year || date.month !== month || date.day !== day) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const timeKind = match[7] === "Z" ? "utc" : "local";
  const kind = match[4] === undefined ? "date" : timeKind;
  // A leap second is the last second of its minute.
  return { wall: days * DAY_MS + ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1_000, kind };
}

type Six = [number, number, number, number, number, number];

/** A duration: days of the wall clock, and an exact time (RFC 5545, section 3.3.6). */
export interface Duration {
  readonly days: number;
  readonly ms: number;
}

const DURATION =
  /^\+?P(?:([0-9]{1,5})W|(?:([0-9]{1,6})D)?(?:T(?:([0-9]{1,7})H)?(?:([0-9]{1,8})M)?(?:([0-9]{1,9})S)?)?)$/;

/** Parses a duration that is not negative. */
export function readDuration(text: string): Duration | undefined {
  const match = DURATION.exec(text.trim().toUpperCase());
  if (match === null) return undefined;
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((digits) => Number(digits ?? 0)) as Five;
  return { days: 7 * weeks + days, ms: ((hours * 60 + minutes) * 60 + seconds) * 1_000 };
}

type Five = [number, number, number, number, number];
