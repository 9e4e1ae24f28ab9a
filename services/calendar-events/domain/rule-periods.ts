import { type Recurrence, type Weekday, WEEKDAYS } from "../../contracts/recurrence.ts";
import { type ChosenDates, chosenDates, datesOfMonths, weekdayOf } from "./by-parts.ts";
import { civilOfDays, daysOfCivil } from "./civil-days.ts";

/**
 * The periods of a rule with BYxxx parts, and the dates of each. A date is a number of days from 1970-01-01. A period is a
 * month of the calendar, also of DAILY and WEEKLY rules, so that no day is looked at in a month without dates; with
 * BYSETPOS, which counts within the rule's own periods, it is a week or a year where those are.
 */
export interface RulePeriods {
  /** The number of the period that has the date. */
  periodOf(date: number): number;
  /** The first period from a number on that may have dates; Infinity for none. */
  nextFrom(period: number): number;
  /** The first day of a period; NaN for Infinity. */
  firstDay(period: number): number;
  /** The dates of a period, in order; those before the rule's start are among them. */
  datesIn(period: number): readonly number[];
}

/** The periods of a rule that starts on a date. */
export function periodsOf(recurrence: Recurrence, start: number): RulePeriods {
  const { frequency, bySetPos } = recurrence;
  const chosen = chosenDates(recurrence, start);
  if (bySetPos === undefined) return monthPeriods(recurrence, start, chosen);
  const months = () => monthPeriods(recurrence, start, chosen);
  switch (frequency) {
    case "DAILY":
      // Each set has one date: it is the first and the last.
      return bySetPos.some((position) => Math.abs(position) === 1) ? months() : { ...months(), datesIn: () => [] };
    case "WEEKLY":
      return atPositions(weekPeriods(recurrence, start, chosen), bySetPos);
    case "MONTHLY":
      return atPositions(months(), bySetPos);
    case "YEARLY":
      return atPositions(yearPeriods(recurrence, start, chosen), bySetPos);
  }
}

/** The first day of the week of a date. */
export function weekOf(date: number, weekStart: Weekday = "MO"): number {
  return date - ((weekdayOf(date) - WEEKDAYS.indexOf(weekStart) + 7) % 7);
}

const ALL_MONTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const;

function monthPeriods(recurrence: Recurrence, start: number, chosen: ChosenDates): RulePeriods {
  const datesOf = datesOfMonths(chosen, intervalCheck(recurrence, start));
  return {
    periodOf: monthOf,
    nextFrom: monthSequence(recurrence, start, chosen),
    firstDay: (month) => daysOfCivil({ year: Math.floor(month / 12), month: (month % 12) + 1, day: 1 }),
    datesIn: (month) => datesOf(Math.floor(month / 12), (month % 12) + 1),
  };
}

/** Months from the year 0 to a date's month. */
function monthOf(date: number): number {
  const { year, month } = civilOfDays(date);
  return year * 12 + month - 1;
}

/** Whether the interval of a DAILY or WEEKLY rule has a date; that of the others chooses months. */
function intervalCheck({ frequency, interval, weekStart }: Recurrence, start: number): (date: number) => boolean {
  if (interval === 1 || frequency === "MONTHLY" || frequency === "YEARLY") return () => true;
  if (frequency === "DAILY") return (date) => (date - start) % interval === 0;
  const week = weekOf(start, weekStart);
  return (date) => Math.floor((date - week) / 7) % interval === 0;
}

/** The first month from a number on that the interval and BYMONTH leave. */
function monthSequence({ frequency, interval }: Recurrence, start: number, { months }: ChosenDates) {
  const first = monthOf(start);
  if (frequency === "YEARLY") {
    const january = first - (first % 12);
    return (from: number) =>
      Math.min(...(months ?? ALL_MONTHS).map((month) => nextOf(january + month - 1, 12 * interval, from)));
  }
  const every = frequency === "MONTHLY" ? interval : 1;
  return (from: number) => {
    const next = nextOf(first, every, from);
    if (months === undefined) return next;
    // Every 12 steps come to the same month of the year.
    for (let at = next; at < next + 12 * every; at += every) if (months.includes((at % 12) + 1)) return at;
    return Infinity;
  };
}

/** The first of the numbers `first`, `first + every`, … that is not below `from`. */
function nextOf(first: number, every: number, from: number): number {
  return first + Math.max(0, Math.ceil((from - first) / every)) * every;
}

function weekPeriods({ interval, weekStart }: Recurrence, start: number, chosen: ChosenDates): RulePeriods {
  const first = weekOf(start, weekStart);
  const { months, weekdays = [] } = chosen;
  const isChosen = (date: number) =>
    weekdays.some(({ weekday }) => weekday === weekdayOf(date)) &&
    (months === undefined || months.includes(civilOfDays(date).month));
  return {
    periodOf: (date) => Math.floor((date - first) / 7),
    nextFrom: (week) => nextOf(0, interval, week),
    firstDay: (week) => first + 7 * week,
    datesIn: (week) => WEEKDAYS.map((_, at) => first + 7 * week + at).filter(isChosen),
  };
}

function yearPeriods({ interval }: Recurrence, start: number, chosen: ChosenDates): RulePeriods {
  const datesOf = datesOfMonths(chosen, () => true);
  const first = civilOfDays(start).year;
  const months = (chosen.months ?? ALL_MONTHS).toSorted((a, b) => a - b);
  return {
    periodOf: (date) => civilOfDays(date).year,
    nextFrom: (year) => nextOf(first, interval, year),
    firstDay: (year) => daysOfCivil({ year, month: 1, day: 1 }),
    datesIn: (year) => months.flatMap((month) => datesOf(year, month)),
  };
}

/** Of each period the dates at some positions: 1 for the first, −1 for the last. */
function atPositions(periods: RulePeriods, positions: readonly number[]): RulePeriods {
  return {
    ...periods,
    datesIn(period) {
      const dates = periods.datesIn(period);
      const chosen = new Set(positions.map((position) => dates.at(position > 0 ? position - 1 : position)));
      return dates.filter((date) => chosen.has(date));
    },
  };
}
