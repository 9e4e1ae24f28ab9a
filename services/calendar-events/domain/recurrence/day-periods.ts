import { type Recurrence, type Weekday, WEEKDAYS } from "../../../contracts/recurrence.ts";
import { type ChosenDates, chosenDates, chosenDays, weekdayOf } from "./by-rule-parts.ts";
import { civilOfDays, daysInMonth, daysOfCivil } from "./civil-days.ts";

/**
 * The periods of a rule with BYxxx parts, and the days of each. A day is a number of days since 1970-01-01.
 *
 * A period is a month, also for DAILY and WEEKLY rules, so that months without days are skipped as a whole. BYSETPOS
 * counts within the periods of the rule itself: with it, a period of a WEEKLY rule is a week, and of a YEARLY rule a
 * year.
 */
export interface DayPeriods {
  /** The number of the period of a day. */
  periodOf(day: number): number;
  /** The first period with possible days, from a number on; Infinity if there is none. */
  nextFrom(period: number): number;
  /** The first day of a period; NaN for Infinity. */
  firstDay(period: number): number;
  /** The days of a period, in order, including those before the start of the rule, and those that BYSETPOS does not select. */
  daysIn(period: number): readonly number[];
}

/** The periods of a rule that starts on a day. */
export function dayPeriodsOf(recurrence: Recurrence, start: number): DayPeriods {
  const { frequency, bySetPos } = recurrence;
  const chosen = chosenDates(recurrence, start);
  if (bySetPos !== undefined && frequency === "WEEKLY") return weekPeriods(recurrence, start, chosen);
  if (bySetPos !== undefined && frequency === "YEARLY") return yearPeriods(recurrence, start, chosen);
  return monthPeriods(recurrence, start, chosen);
}

/** The first day of the week of a date. */
export function weekOf(date: number, weekStart: Weekday = "MO"): number {
  return date - ((weekdayOf(date) - WEEKDAYS.indexOf(weekStart) + 7) % 7);
}

/** The kind of a year, 0 … 13: its first weekday, and whether it is a leap year. */
function kindOfYear(year: number): number {
  return 7 * (daysInMonth(year, 2) - 28) + weekdayOf(firstDayOf(year));
}

function firstDayOf(year: number): number {
  return daysOfCivil({ year, month: 1, day: 1 });
}

const ALL_MONTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const;

function monthPeriods(recurrence: Recurrence, start: number, chosen: ChosenDates): DayPeriods {
  const daysOf = chosenDays(chosen);
  const isOfInterval = intervalCheck(recurrence, start);
  // The days of a month depend only on the kind of its year, so a rule that is read to the year 9999 computes at most
  // 168 months.
  const known: (readonly number[])[] = [];
  return {
    periodOf: monthOf,
    nextFrom: monthSequence(recurrence, start, chosen),
    firstDay: firstDayOfMonth,
    daysIn(number) {
      const [year, month] = [Math.floor(number / 12), (number % 12) + 1];
      const kind = 12 * kindOfYear(year) + month;
      const days = (known[kind] ??= daysOf(year, month));
      const first = firstDayOfMonth(number);
      const dates = days.map((day) => first + day - 1);
      return isOfInterval === undefined ? dates : dates.filter(isOfInterval);
    },
  };
}

/** The number of a date's month, counted from the year 0. */
function monthOf(date: number): number {
  const { year, month } = civilOfDays(date);
  return year * 12 + month - 1;
}

function firstDayOfMonth(number: number): number {
  return daysOfCivil({ year: Math.floor(number / 12), month: (number % 12) + 1, day: 1 });
}

/**
 * Returns the check whether a date is in the interval of a DAILY or WEEKLY rule; undefined for other rules, whose
 * interval chooses months.
 */
function intervalCheck({ frequency, interval, weekStart }: Recurrence, start: number) {
  if (interval === 1 || frequency === "MONTHLY" || frequency === "YEARLY") return undefined;
  if (frequency === "DAILY") return (date: number) => (date - start) % interval === 0;
  const week = weekOf(start, weekStart);
  return (date: number) => Math.floor((date - week) / 7) % interval === 0;
}

/** Returns a function that finds the first month, from a number on, that interval and BYMONTH leave. */
function monthSequence(recurrence: Recurrence, start: number, { months }: ChosenDates): DayPeriods["nextFrom"] {
  const { frequency, interval, weekStart } = recurrence;
  const first = monthOf(start);
  switch (frequency) {
    case "YEARLY":
      return (from) => {
        const year = nextInSequence(Math.floor(first / 12), interval, Math.floor(from / 12));
        const month = nextInByMonth(months, Math.max(from, 12 * year), 1);
        return month < 12 * (year + 1) ? month : nextInByMonth(months, 12 * (year + interval), 1);
      };
    case "MONTHLY":
      return (from) => nextInByMonth(months, nextInSequence(first, interval, from), interval);
    case "DAILY":
    case "WEEKLY": {
      const [period, days] = frequency === "DAILY" ? [start, interval] : [weekOf(start, weekStart), 7 * interval];
      // A week of the rule can begin six days before the month.
      const before = frequency === "DAILY" ? 0 : 6;
      return (from) => {
        const month = nextInByMonth(months, Math.max(first, from), 1);
        if (days <= 31) return month;
        return nextInByMonth(
          months,
          Math.max(month, monthOf(nextInSequence(period, days, firstDayOfMonth(month) - before))),
          1,
        );
      };
    }
  }
}

/** The first of the numbers `first`, `first + every`, … that is at least `from`. */
function nextInSequence(first: number, every: number, from: number): number {
  return first + Math.max(0, Math.ceil((from - first) / every)) * every;
}

/** The first of the months `from`, `from + every`, … in BYMONTH. After 12 steps the months of the year repeat. */
function nextInByMonth(months: readonly number[] | undefined, from: number, every: number): number {
  if (months === undefined) return from;
  for (let at = from; at < from + 12 * every; at += every) if (months.includes((at % 12) + 1)) return at;
  return Infinity;
}

function weekPeriods(
  { interval, weekStart }: Recurrence,
  start: number,
  { months, weekdays = [] }: ChosenDates,
): DayPeriods {
  const first = weekOf(start, weekStart);
  const firstDay = (week: number) => first + 7 * week;
  const periodOf = (date: number) => Math.floor((date - first) / 7);
  const days = WEEKDAYS.map((_, at) => at).filter((at) =>
    weekdays.some((each) => each.weekday === weekdayOf(first + at)),
  );
  const isOfMonths = (date: number) => months?.includes(civilOfDays(date).month) !== false;
  return {
    periodOf,
    firstDay,
    nextFrom(from) {
      const week = nextInSequence(0, interval, from);
      if (isOfMonths(firstDay(week)) || isOfMonths(firstDay(week) + 6)) return week;
      const month = nextInByMonth(months, monthOf(firstDay(week)), 1);
      return nextInSequence(0, interval, Math.max(week, periodOf(firstDayOfMonth(month))));
    },
    daysIn(week) {
      const dates = days.map((day) => firstDay(week) + day);
      return months === undefined ? dates : dates.filter(isOfMonths);
    },
  };
}

function yearPeriods({ interval }: Recurrence, start: number, chosen: ChosenDates): DayPeriods {
  const daysOf = chosenDays(chosen);
  const first = civilOfDays(start).year;
  const months = (chosen.months ?? ALL_MONTHS).toSorted((a, b) => a - b);
  const known: (readonly number[])[] = [];
  /** The dates, as days since the first day of the year. */
  const daysIntoYear = (year: number) => {
    const days = months.flatMap((month) => daysOf(year, month).map((day) => daysOfCivil({ year, month, day })));
    return days.map((day) => day - firstDayOf(year));
  };
  return {
    periodOf: (date) => civilOfDays(date).year,
    nextFrom: (year) => nextInSequence(first, interval, year),
    firstDay: firstDayOf,
    daysIn(year) {
      const days = (known[kindOfYear(year)] ??= daysIntoYear(year));
      return days.map((day) => firstDayOf(year) + day);
    },
  };
}
