import type { Frequency } from "../../contracts/recurrence.ts";
import { type ChosenDates, chosenDates, hasByParts } from "../domain/by-rule-parts.ts";
import { DAY_MS, daysInMonth, daysOfCivil } from "../domain/civil-days.ts";
import { instantToLocal, type WallMs } from "../domain/local-to-instant.ts";
import type { Series } from "../domain/occurrences.ts";
import { timeInto } from "./wall-clock.ts";

/** Where the dates of a series may lie. */
export interface CandidateDates {
  /** In the slots of which cycle they are found, and in which others where those are too many. */
  readonly cycles: readonly [Frequency, ...Frequency[]];
  /** For each kind of date a wall time that stands for it: with its time of day, weekday, and day of the month and year. */
  readonly walls: readonly WallMs[];
}

/** Where the dates of a series may lie on the wall clock of its zone, its additions included. */
export function candidateDates({ recurrence, startsAt, clock }: Series): CandidateDates {
  const zone = clock[0].zone;
  const start = instantToLocal(startsAt, zone);
  const added = (recurrence.rDates ?? []).map((at) => instantToLocal(at, zone));
  if (!hasByParts(recurrence)) return { cycles: cyclesFrom(recurrence.frequency), walls: [start, ...added] };
  const { cycle, days } = byParts(chosenDates(recurrence, Math.floor(start / DAY_MS)));
  const timeOfDay = timeInto(DAY_MS, start);
  return { cycles: cyclesFrom(cycle), walls: [...days.map((day) => day * DAY_MS + timeOfDay), ...added] };
}

/** Whatever recurs does so at its times of the day. */
function cyclesFrom(cycle: Frequency): CandidateDates["cycles"] {
  return cycle === "DAILY" ? ["DAILY"] : [cycle, "DAILY"];
}

/** The Thursday 1970-01-01 is day 0: weekdays stand for days of the week of Monday 1970-01-05. */
const MONDAY = 4;
/** A leap year. */
const YEAR = 2024;

/** The narrowest cycle that has a place for each date of a rule, and days that stand for them. */
function byParts({ months, monthDays, weekdays }: ChosenDates): {
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

/** Days of a month, for days that are counted from either end of months of some lengths. */
function daysIn(month: number, lengths: readonly number[], monthDays: readonly number[]): number[] {
  const days = lengths.flatMap((length) => monthDays.map((day) => (day > 0 ? day : length + 1 + day)));
  const existing = [...new Set(days)].filter((day) => day >= 1 && day <= daysInMonth(YEAR, month));
  return existing.map((day) => daysOfCivil({ year: YEAR, month, day }));
}
