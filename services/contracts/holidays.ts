import type { FieldProblem } from "./field-problem.ts";
import { integer, optional } from "./field-rules.ts";
import type { OwnerName } from "./service-names.ts";

/** The entry of a calendar of holidays that covers the day of an occurrence (D66). */
export interface Holiday {
  readonly calendarNumber: number;
  /** Name of the first entry that covers the day, cut at `MAX_HOLIDAY_NAME`; absent if the entry has none. */
  readonly name?: string;
}

/** The holidays of an announcement (D66). */
export interface SkipOn {
  /** Number of a calendar of the guild: an occurrence is not posted if an entry of this calendar covers its day. */
  readonly skipOn?: number;
}

/** Characters of the name of a holiday. */
export const MAX_HOLIDAY_NAME = 100;

/**
 * Number of different calendars in the `skipOn` of a guild's announcements. A plan reads each of them, and each occurrence may have a
 * holiday of each.
 */
export const MAX_HOLIDAY_CALENDARS = 5;

const calendarNumber = integer(1, 2_147_483_647);

/**
 * The rule of the calendars of holidays for which occurrences are read. Concurrent writes may exceed `MAX_HOLIDAY_CALENDARS`, but a
 * guild has at most 1000 announcements.
 */
export const holidaysOfRule = optional({ type: "array", max: 1000, items: calendarNumber });

/** The service that knows whether the guild may have the calendar. */
export function holidayOwners(skipOn: number | null | undefined): readonly OwnerName[] {
  return typeof skipOn === "number" ? ["calendar-events"] : [];
}

/** The calendars of holidays that some announcements name. */
export function holidayCalendars(announcements: readonly ({ readonly enabled: boolean } & SkipOn)[]): number[] {
  const numbers = announcements.flatMap(({ enabled, skipOn }) => (enabled && skipOn !== undefined ? [skipOn] : []));
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}

/**
 * The problem of a `skipOn` that would be one calendar too many in its guild.
 *
 * @param stored - The announcements of the guild, also the one that is written.
 */
export function skipOnProblems(
  stored: readonly ({ readonly id: string } & SkipOn)[],
  { id, skipOn }: { readonly id?: string; readonly skipOn?: number | null },
): FieldProblem[] {
  const isNamed = stored.some((each) => each.skipOn === skipOn);
  if (skipOn === undefined || skipOn === null || isNamed) return [];
  const others = stored.filter((each) => each.id !== id).flatMap((each) => each.skipOn ?? []);
  if (new Set(others).size < MAX_HOLIDAY_CALENDARS) return [];
  const message = `must be one of the ${MAX_HOLIDAY_CALENDARS} calendars that other announcements of the guild name already`;
  return [{ field: "skipOn", code: "TOO_MANY", message }];
}
