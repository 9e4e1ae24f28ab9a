import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import type { GivenTimes } from "../../../contracts/event-times.ts";
import type { FieldProblem, FieldProblemCode } from "../../../contracts/field-problem.ts";
import { refuse, type Refusal } from "../../../contracts/errors.ts";
import { LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import { anchorOf, type Calendar, clockFor } from "../calendar/calendar.ts";
import { type AllDay, dayOfDate, type Days, LAST_END_DAY, timesInAnchorZone, timesOfDays } from "../calendar/days.ts";
import type { Times } from "./window.ts";

/** The present times of an event or an occurrence, and its dates if it is all-day. */
export interface PresentTimes extends Times {
  readonly allDay?: AllDay | undefined;
}

/** Times after a change. */
export interface ChangedTimes extends PresentTimes {
  /** Whether the start is another one, so that it was set in the present zone of the calendar. */
  readonly isMoved: boolean;
}

/** The times of a new event; the contract has required a start and an end, or a start date. */
export function newTimes(given: GivenTimes, calendar: Calendar): ChangedTimes | Refusal {
  const { startsAt = 0, endsAt = 0 } = given;
  if (given.allDay !== true) return { startsAt, endsAt, isMoved: true };
  return timesOfNewDays(given, calendar);
}

/** Applies changes to times or dates. An absent field stays; an event that becomes all-day needs a start date (D50). */
export function changedTimes(present: PresentTimes, given: GivenTimes, calendar: Calendar): ChangedTimes | Refusal {
  const { allDay: before } = present;
  const isAllDay = given.allDay ?? before !== undefined;
  if (!isAllDay) return changedInstants(present, given);
  if (before === undefined) {
    return given.startDate === undefined
      ? refuse("INVALID_REQUEST", [{ field: "startDate", code: "REQUIRED", message: "is required" }])
      : timesOfNewDays(given, calendar);
  }
  const startDay = given.startDate === undefined ? before.startDay : dayOfDate(given.startDate);
  const endDay = given.endDate === undefined ? before.endDay : dayOfDate(given.endDate);
  if (startDay === before.startDay && endDay === before.endDay) {
    return instantsProblem(given, present) ?? { ...present, isMoved: false };
  }
  const isMoved = startDay !== before.startDay;
  const anchor = isMoved ? anchorOf(calendar) : before.anchor;
  return timesOfValidDays({ startDay, endDay, anchor }, given, calendar, isMoved);
}

function changedInstants(present: PresentTimes, given: GivenTimes): ChangedTimes | Refusal {
  const dates = (["startDate", "endDate"] as const).filter((field) => given[field] !== undefined);
  if (dates.length > 0) {
    const message = "must be given together with all_day true: the event is not all-day";
    return refuseAll(dates, "CONFLICTING", message);
  }
  const { startsAt = present.startsAt, endsAt = present.endsAt } = given;
  if (endsAt < startsAt) return timesOutOfOrder(given);
  return { startsAt, endsAt, isMoved: startsAt !== present.startsAt || present.allDay !== undefined };
}

/**
 * The refusal of an end before the start. It names the field that was given; the other one may be the stored one
 * (D13).
 */
function timesOutOfOrder({ startsAt }: GivenTimes): Refusal {
  return refuse("INVALID_REQUEST", [
    startsAt === undefined
      ? { field: "endsAt", code: "OUT_OF_RANGE", message: "must not be before the start" }
      : { field: "startsAt", code: "OUT_OF_RANGE", message: "must not be after the end" },
  ]);
}

function timesOfNewDays({ startDate = "", endDate, ...given }: GivenTimes, calendar: Calendar): ChangedTimes | Refusal {
  const startDay = dayOfDate(startDate);
  const endDay = endDate === undefined ? startDay + 1 : dayOfDate(endDate);
  const allDay = { startDay, endDay, anchor: anchorOf(calendar) };
  return timesOfValidDays(allDay, { startDate, ...definedFields({ endDate }), ...given }, calendar, true);
}

/** The times of dates, or the refusal of dates that are not in order, or not within the range of times (D13). */
function timesOfValidDays(
  allDay: AllDay,
  given: GivenTimes,
  calendar: Calendar,
  isMoved: boolean,
): ChangedTimes | Refusal {
  const { startDay, endDay } = allDay;
  const field = given.startDate === undefined ? "endDate" : "startDate";
  const order = field === "endDate" ? "must be after the start: it is not included" : "must be before the end";
  if (endDay <= startDay) return refuseAll([field], "OUT_OF_RANGE", order);
  const { startsAt, endsAt } = timesOfDays(allDay, clockFor(allDay.anchor, calendar));
  if (startsAt < 0) return refuseAll([field], "OUT_OF_RANGE", "must not begin before 1970 in UTC");
  if (endsAt > LAST_EPOCH_MS || endDay > LAST_END_DAY) {
    return refuseAll([field], "OUT_OF_RANGE", "must end before the year 10000");
  }
  return instantsProblem(given, { startsAt, endsAt }) ?? { startsAt, endsAt, allDay, isMoved };
}

/** The refusal of instants that are not those of the dates. A client may send back the instants of a response. */
function instantsProblem(given: GivenTimes, times: Times): Refusal | undefined {
  const differing = (["startsAt", "endsAt"] as const).filter(
    (field) => given[field] !== undefined && given[field] !== times[field],
  );
  if (differing.length === 0) return undefined;
  return refuseAll(differing, "CONFLICTING", "must be the midnight of the date in the calendar's zone, or absent");
}

function refuseAll(fields: readonly string[], code: FieldProblemCode, message: string): Refusal {
  return refuse(
    "INVALID_REQUEST",
    fields.map((field): FieldProblem => ({ field, code, message })),
  );
}

/** The times in the zone in which they were set, which are stored. */
export function timesToStore({ startsAt, endsAt, allDay }: PresentTimes): Times {
  return allDay === undefined ? { startsAt, endsAt } : timesInAnchorZone(allDay);
}

/** The dates without their zone. */
export function daysIn({ startDay, endDay }: AllDay): Days {
  return { startDay, endDay };
}

export function hasSameDays(one: Days | undefined, other: Days | undefined): boolean {
  return one?.startDay === other?.startDay && one?.endDay === other?.endDay;
}
