import type { FieldProblem } from "./field-problem.ts";
import { dateText, flag, optional } from "./field-rules.ts";
import type { DateText, EpochMs } from "./ids.ts";
import { frequencyProblems } from "./recurrence.ts";

/** The dates of an all-day event; absent for any other event (D50). */
export interface AllDayFields {
  readonly allDay?: true;
  readonly startDate?: DateText;
  /** The day after the last one: not included, as DTEND in RFC 5545. */
  readonly endDate?: DateText;
}

/** The times of an event in a request: instants, or the dates of an all-day event (D50). */
export interface GivenTimes {
  readonly startsAt?: EpochMs;
  readonly endsAt?: EpochMs;
  readonly allDay?: boolean;
  readonly startDate?: DateText;
  /** Not included. In a create a day after the start if absent. */
  readonly endDate?: DateText;
}

type EventFields = { readonly [Field in keyof GivenTimes | "recurs" | "recurrence"]?: unknown };

/** The problems of an end before the start (D13, D50), and of `recur` without `recurrence` or the reverse (D15). */
function eventFieldProblems(event: EventFields): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (typeof event.startsAt === "number" && typeof event.endsAt === "number" && event.endsAt < event.startsAt) {
    problems.push({ field: "endsAt", code: "OUT_OF_RANGE", message: "must not be before the start" });
  }
  const { startDate, endDate } = event;
  if (typeof startDate === "string" && typeof endDate === "string" && endDate <= startDate) {
    problems.push({ field: "endDate", code: "OUT_OF_RANGE", message: "must be after the start: it is not included" });
  }
  if (event.recurs === true && event.recurrence === undefined) {
    problems.push({ field: "recurrence", code: "REQUIRED", message: "is required when the event recurs" });
  }
  if ((event.recurs === undefined || event.recurs === false) && event.recurrence !== undefined) {
    problems.push({ field: "recurs", code: "CONFLICTING", message: "must be true when a recurrence is given" });
  }
  return [...problems, ...frequencyProblems(event.recurrence)];
}

function missing(field: keyof GivenTimes): FieldProblem {
  return { field, code: "REQUIRED", message: "is required" };
}

/** Also the problems of a missing start or end, and of dates without `all_day` (D50). */
export function newEventProblems(event: EventFields): FieldProblem[] {
  const { allDay, startDate, endDate, startsAt, endsAt } = event;
  const problems: FieldProblem[] = [];
  if (allDay === true) {
    if (startDate === undefined) problems.push(missing("startDate"));
  } else {
    if (startsAt === undefined) problems.push(missing("startsAt"));
    if (endsAt === undefined) problems.push(missing("endsAt"));
    if ((startDate ?? endDate) !== undefined) {
      problems.push({ field: "allDay", code: "CONFLICTING", message: "must be true when a date is given" });
    }
  }
  return [...problems, ...eventFieldProblems(event)];
}

/** Also the problem of dates together with `all_day` false (D50). */
export function changedEventProblems(event: EventFields): FieldProblem[] {
  const isTimed = event.allDay === false && (event.startDate ?? event.endDate) !== undefined;
  const message = "must be true when a date is given";
  return [
    ...(isTimed ? [{ field: "allDay", code: "CONFLICTING", message } as const] : []),
    ...eventFieldProblems(event),
  ];
}

export const dateRules = { allDay: optional(flag), startDate: optional(dateText), endDate: optional(dateText) };
