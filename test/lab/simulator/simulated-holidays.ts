import type { Occurrence } from "../../../services/contracts/occurrences.contract.ts";

/*
 * The calendar of holidays of the simulated guild (D66). All runs take place on one day, so a holiday covers a time in place of days.
 */

/** The number of the calendar of holidays. */
export const HOLIDAYS = 2;

/** Whether a record is an entry of the calendar of holidays. */
export function isHolidayId(id: string): boolean {
  return id.startsWith("h");
}

/** An entry of the calendar of holidays: it covers the occurrences that start in it. */
export interface SimulatedHoliday {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly name: string;
}

/** The occurrence with the first holiday that covers its start. */
export function withHoliday(occurrence: Occurrence, holidays: readonly SimulatedHoliday[]): Occurrence {
  const [first] = holidays
    .filter(({ startsAt, endsAt }) => startsAt <= occurrence.startsAt && occurrence.startsAt < endsAt)
    .toSorted((one, other) => one.startsAt - other.startsAt || (one.name < other.name ? -1 : 1));
  if (first === undefined || occurrence.digest !== undefined) return occurrence;
  return { ...occurrence, holidays: [{ calendarNumber: HOLIDAYS, name: first.name }] };
}
