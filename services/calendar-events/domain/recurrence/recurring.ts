import { complete } from "../../../../mixins/objects/complete.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import type { FieldProblemCode } from "../../../contracts/field-problem.ts";
import { refuse, type Refusal } from "../../../contracts/errors.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import { type Anchor, type Calendar, zoneOf } from "../calendar/calendar.ts";
import { type Recurring, seriesOf, type SeriesStart, type ListedEvent } from "../event/event.ts";
import { isMidnight, wallOfDay } from "../calendar/days.ts";
import { instantToLocal } from "../calendar/local-to-instant.ts";
import { hasOccurrence, hasSecondOccurrence, type Series, startWallOf } from "./occurrences.ts";
import { isDateOfRule, lastWallOf } from "./rule-dates.ts";

/** The recurrence fields of a series. */
export function newRecurring(
  recurrence: Recurrence,
  anchor: Anchor,
  { startsAt, allDay, startWall }: SeriesStart,
  hasOverrides = false,
): Recurring {
  const wall = allDay === undefined ? (startWall ?? instantToLocal(startsAt, zoneOf(anchor))) : wallOfDay(allDay);
  const lastWall = lastWallOf(recurrence, wall);
  return complete<Recurring>()({ recurrence, anchor, hasOverrides, ...definedFields({ lastWall, startWall }) });
}

/**
 * Returns the refusal of a series whose rule does not fit its start (D13, D45, D50); undefined for a valid series. Refused are:
 *
 * - times of day in the rule of an all-day event;
 * - a rule without a date at its start;
 * - an UNTIL or an RDATE before the start;
 * - an RDATE of an all-day event that is not a midnight;
 * - a rule with a count other than 1 but no second occurrence before the year 10000;
 * - EXDATEs that leave no occurrence.
 *
 * @param startField - The field that the client gave, to name if the rule has no date at the start.
 */
export function seriesRefusal(
  event: ListedEvent,
  calendar: Calendar,
  startField: "startsAt" | "startDate" | "recurrence",
): Refusal | undefined {
  const series = seriesOf(event, calendar);
  if (series === undefined) return undefined;
  const { recurrence, startsAt, clock } = series;
  const { count, until, rDates = [], exDates } = recurrence;
  const zone = clock[0].zone;
  const timed = (["byHour", "byMinute", "bySecond"] as const).find((member) => recurrence[member] !== undefined);
  if (timed !== undefined && series.days !== undefined) {
    return invalidField(`recurrence.${timed}`, "NOT_ALLOWED", "must not be in the rule of an all-day event");
  }
  if (!isDateOfRule(recurrence, startWallOf(series))) {
    const demand = startField === "recurrence" ? "must have a date at the start" : "must be a date of the recurrence";
    return invalidField(startField, "CONFLICTING", `${demand}, on the wall clock of ${zone.name}`);
  }
  if (until !== undefined && until < startsAt) {
    return invalidField("recurrence.until", "OUT_OF_RANGE", "must not be before the start");
  }
  if (rDates.some((at) => at < startsAt)) {
    return invalidField("recurrence.rDates", "OUT_OF_RANGE", "must not be before the start");
  }
  const addedWithin = series.days === undefined ? -1 : rDates.findIndex((at) => !isMidnight(at, zone));
  if (addedWithin >= 0) {
    const field = `recurrence.rDates[${addedWithin}]`;
    return invalidField(field, "MALFORMED", `must be a midnight of ${zone.name}, since the event is all-day`);
  }
  if (count !== 1 && !hasSecondOccurrence(series)) return secondOccurrenceRefusal(series);
  if (exDates !== undefined && !hasOccurrence(series)) {
    return invalidField("recurrence.exDates", "OUT_OF_RANGE", "must leave an occurrence");
  }
  return undefined;
}

/** The refusal names UNTIL if the rule would have a second occurrence without it. */
function secondOccurrenceRefusal({ recurrence, ...series }: Series): Refusal {
  const { until, ...endless } = recurrence;
  return until !== undefined && hasSecondOccurrence({ ...series, recurrence: endless })
    ? invalidField("recurrence.until", "OUT_OF_RANGE", "must leave a second occurrence")
    : invalidField("recurrence", "OUT_OF_RANGE", "must recur before the year 10000");
}

function invalidField(field: string, code: FieldProblemCode, message: string): Refusal {
  return refuse("INVALID_REQUEST", [{ field, code, message }]);
}
