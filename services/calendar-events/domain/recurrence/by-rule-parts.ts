import { type Frequency, type Recurrence, type Weekday, WEEKDAYS } from "../../../contracts/recurrence.ts";
import { type CivilDate, civilOfDays, daysInMonth, daysOfCivil } from "./civil-days.ts";
import { hasTimes } from "./times-of-day.ts";

/** A weekday of BYDAY: every one, or the nth of its month or year; negative numbers count from the end. */
export interface ByDay {
  /** 0 for Monday. */
  readonly weekday: number;
  /** 0 for every one. */
  readonly nth: number;
}

/** Parses an entry of BYDAY such as `MO`, `2TU` or `-1FR`. The entry must be valid. */
export function readByDay(entry: string): ByDay {
  return { weekday: WEEKDAYS.indexOf(entry.slice(-2) as Weekday), nth: Number(entry.slice(0, -2)) };
}

/** Formats an entry of BYDAY in its canonical form; inverse of `readByDay`. */
export function writeByDay({ weekday, nth }: ByDay): string {
  return `${nth === 0 ? "" : nth}${WEEKDAYS[weekday]}`;
}

/** The weekday of a date, 0 for Monday. A date is a number of days since 1970-01-01, a Thursday. */
export function weekdayOf(date: number): number {
  return (((date + 3) % 7) + 7) % 7;
}

/** Whether a rule has BYxxx parts. A rule without any has the dates of its start (D15). */
export function hasByParts(recurrence: Recurrence): boolean {
  const { byDay, byMonthDay, byMonth, bySetPos } = recurrence;
  return (byDay ?? byMonthDay ?? byMonth ?? bySetPos) !== undefined || hasTimes(recurrence);
}

/** The dates that a rule chooses of each month or year, before interval and BYSETPOS apply. */
export interface ChosenDates {
  /** 1 … 12; undefined for all. */
  readonly months?: readonly number[];
  /** 1 … 31 and −31 … −1; undefined for all. */
  readonly monthDays?: readonly number[];
  /** Undefined for all. */
  readonly weekdays?: readonly ByDay[];
  /** Whether the nth weekday counts within the year instead of the month. */
  readonly nthOfYear: boolean;
}

/** The BYxxx parts of a rule. Parts that RFC 5545 takes from DTSTART are completed from the start. */
export function chosenDates(recurrence: Recurrence, start: number): ChosenDates {
  const { frequency, byDay, byMonthDay: monthDays, byMonth } = recurrence;
  const { month, day } = civilOfDays(start);
  const nthOfYear = frequency === "YEARLY" && byMonth === undefined;
  const months = byMonth === undefined ? {} : { months: byMonth };
  if (byDay !== undefined || monthDays !== undefined) {
    const weekdays = byDay === undefined ? {} : { weekdays: byDay.map(readByDay) };
    return { ...months, ...(monthDays === undefined ? {} : { monthDays }), ...weekdays, nthOfYear };
  }
  return { ...months, ...fromStart(frequency, byMonth, { month, day }, weekdayOf(start)), nthOfYear };
}

function fromStart(
  frequency: Frequency,
  byMonth: Recurrence["byMonth"],
  { month, day }: Pick<CivilDate, "month" | "day">,
  weekday: number,
): Partial<ChosenDates> {
  switch (frequency) {
    case "DAILY":
      return {};
    case "WEEKLY":
      return { weekdays: [{ weekday, nth: 0 }] };
    case "MONTHLY":
      return { monthDays: [day] };
    case "YEARLY":
      return { months: byMonth ?? [month], monthDays: [day] };
  }
}

/** Whether a day is chosen of a month with that number of days. */
type IsChosen = (day: number, inMonth: number) => boolean;

/** Returns the check of BYMONTHDAY. Bits make its cost independent of the number of days. */
function monthDayCheck(monthDays: ChosenDates["monthDays"]): IsChosen {
  if (monthDays === undefined) return () => true;
  let [fromStartBits, fromEndBits] = [0, 0];
  for (const day of monthDays) {
    if (day > 0) fromStartBits |= 1 << day;
    else fromEndBits |= 1 << -day;
  }
  return (day, inMonth) => (((fromStartBits >>> day) | (fromEndBits >>> (inMonth + 1 - day))) & 1) === 1;
}

/** The chosen days of a month, 1 … 31, in order. */
export type DaysOfMonth = (year: number, month: number) => readonly number[];

/** Returns a function that lists the chosen days of a month. */
export function chosenDays(chosen: ChosenDates): DaysOfMonth {
  const { weekdays, nthOfYear } = chosen;
  const isMonthDay = monthDayCheck(chosen.monthDays);
  if (weekdays !== undefined && !(nthOfYear && weekdays.some(({ nth }) => nth !== 0))) {
    return (year, month) => {
      const inMonth = daysInMonth(year, month);
      const first = weekdayOf(daysOfCivil({ year, month, day: 1 }));
      return daysOnWeekdays(weekdays, first, inMonth).filter((day) => isMonthDay(day, inMonth));
    };
  }
  const isWeekday = weekdayOfYearCheck(weekdays);
  return (year, month) => {
    const inMonth = daysInMonth(year, month);
    const days: number[] = [];
    for (let day = 1; day <= inMonth; day += 1) {
      if (isMonthDay(day, inMonth) && isWeekday({ year, month, day })) days.push(day);
    }
    return days;
  };
}

/** The days of a month on the weekdays, in order; the month begins on `firstWeekday`. */
function daysOnWeekdays(weekdays: readonly ByDay[], firstWeekday: number, inMonth: number): number[] {
  const days: number[] = [];
  for (const { weekday, nth } of weekdays) {
    const first = 1 + ((weekday - firstWeekday + 7) % 7);
    const last = first + 7 * Math.floor((inMonth - first) / 7);
    if (nth === 0) for (let day = first; day <= last; day += 7) days.push(day);
    const day = nth > 0 ? first + 7 * (nth - 1) : last + 7 * (nth + 1);
    if (nth !== 0 && day >= first && day <= last) days.push(day);
  }
  return weekdays.length === 1 ? days : [...new Set(days)].sort((a, b) => a - b);
}

/** Returns the check whether a date is on one of the weekdays; nth weekdays count within the year. */
function weekdayOfYearCheck(weekdays: readonly ByDay[] | undefined): (date: CivilDate) => boolean {
  if (weekdays === undefined) return () => true;
  return (civil) => {
    const date = daysOfCivil(civil);
    const first = daysOfCivil({ year: civil.year, month: 1, day: 1 });
    const next = daysOfCivil({ year: civil.year + 1, month: 1, day: 1 });
    const [nthOfDate, nthFromEnd] = [Math.ceil((date - first + 1) / 7), -Math.ceil((next - date) / 7)];
    const ofDate = weekdays.filter(({ weekday }) => weekday === weekdayOf(date));
    return ofDate.some(({ nth }) => nth === 0 || nth === nthOfDate || nth === nthFromEnd);
  };
}
