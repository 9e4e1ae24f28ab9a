import type { Frequency } from "../../contracts/recurrence.ts";
import { type ChosenDates, chosenDates, hasByParts } from "../domain/recurrence/by-rule-parts.ts";
import { DAY_MS, daysInMonth, daysOfCivil } from "../domain/recurrence/civil-days.ts";
import { instantToLocal, type WallMs } from "../domain/calendar/local-to-instant.ts";
import { type Series, startWallOf } from "../domain/recurrence/occurrences.ts";
import { timesOfDay } from "../domain/recurrence/times-of-day.ts";
import { midnightAround } from "../domain/calendar/days.ts";

/** The dates on which a series can have occurrences. */
export interface CandidateDates {
  /** The cycle whose slots index the series, and wider ones for a series with too many slots. */
  readonly cycles: readonly [Frequency, ...Frequency[]];
  /** One wall time for each kind of date, with its time of day, weekday, day of the month and day of the year. */
  readonly walls: readonly WallMs[];
}

/** The candidate dates of a series on the wall clock of its time zone, RDATEs included. */
export function candidateDates(series: Series): CandidateDates {
  const { recurrence, clock, days: length } = series;
  const start = startWallOf(series);
  const wallOf = length === undefined ? instantToLocal : midnightAround;
  const added = (recurrence.rDates ?? []).map((at) => wallOf(at, clock[0].zone));
  const startDay = Math.floor(start / DAY_MS);
  const { cycle, days } = hasByParts(recurrence)
    ? candidateDays(chosenDates(recurrence, startDay))
    : { cycle: recurrence.frequency, days: [startDay] };
  const times = timesOfDay(recurrence, start);
  const walls = days.flatMap((day) => times.map((time) => day * DAY_MS + time));
  return { cycles: cyclesFrom(cycle), walls: [...walls, ...added] };
}

/** Every series can be indexed by its time of day. */
function cyclesFrom(cycle: Frequency): CandidateDates["cycles"] {
  return cycle === "DAILY" ? ["DAILY"] : [cycle, "DAILY"];
}

/** Day number of Monday, 1970-01-05; day 0 is Thursday, 1970-01-01. */
const MONDAY = 4;
/** A leap year. */
const YEAR = 2024;

/** The narrowest cycle in which every date of the rule has a slot, and one day of each slot. */
function candidateDays({ months, monthDays, weekdays }: ChosenDates): {
  readonly cycle: Frequency;
  readonly days: readonly number[];
} {
  if (weekdays !== undefined) return { cycle: "WEEKLY", days: weekdays.map(({ weekday }) => MONDAY + weekday) };
  if (monthDays === undefined) return { cycle: "DAILY", days: [MONDAY] };
  if (months === undefined) return { cycle: "MONTHLY", days: daysIn(JANUARY, LENGTHS, monthDays) };
  return { cycle: "YEARLY", days: months.flatMap((month) => daysIn(month, lengthsOf(month), monthDays)) };
}

const LENGTHS = [28, 29, 30, 31];
const [JANUARY, FEBRUARY] = [1, 2];

function lengthsOf(month: number): number[] {
  return month === FEBRUARY ? [28, 29] : [daysInMonth(YEAR, month)];
}

/** The days of a month for day numbers that count from its start or its end, in months of the given lengths. */
function daysIn(month: number, lengths: readonly number[], monthDays: readonly number[]): number[] {
  const days = lengths.flatMap((length) => monthDays.map((day) => (day > 0 ? day : length + 1 + day)));
  const existing = [...new Set(days)].filter((day) => day >= 1 && day <= daysInMonth(YEAR, month));
  return existing.map((day) => daysOfCivil({ year: YEAR, month, day }));
}
