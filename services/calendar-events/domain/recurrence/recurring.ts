import { complete } from "../../../../mixins/objects/complete.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import type { FieldProblemCode } from "../../../contracts/contract.ts";
import { refuse, type Refusal } from "../../../contracts/errors.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import { type Anchor, type Calendar, zoneOf } from "../calendar/calendar.ts";
import { type Recurring, seriesOf, type ListedEvent } from "../event/event.ts";
import { instantToLocal } from "../calendar/local-to-instant.ts";
import { hasOccurrence, hasSecondOccurrence, type Series } from "./occurrences.ts";
import { isDateOfRule, lastDayOf } from "./rule-dates.ts";

/** The recurrence fields of a series that starts at an instant. */
export function newRecurring(
  recurrence: Recurrence,
  anchor: Anchor,
  startsAt: EpochMs,
  hasOverrides = false,
): Recurring {
  const lastDay = lastDayOf(recurrence, instantToLocal(startsAt, zoneOf(anchor)));
  return complete<Recurring>()({ recurrence, anchor, hasOverrides, ...definedFields({ lastDay }) });
}

/**
 * Returns the refusal of a rule without a date at its start, or with more than one occurrence but no second one
 * before the end of time (D13, D45); undefined for a valid series.
 *
 * @param startField - The field that the client gave, to name if the rule has no date at the start.
 */
export function seriesRefusal(
  event: ListedEvent,
  calendar: Calendar,
  startField: "startsAt" | "recurrence",
): Refusal | undefined {
  const series = seriesOf(event, calendar);
  if (series === undefined) return undefined;
  const { recurrence, startsAt, clock } = series;
  const { count, until, rDates = [], exDates } = recurrence;
  const zone = clock[0].zone;
  if (!isDateOfRule(recurrence, instantToLocal(startsAt, zone))) {
    const whose = startField === "startsAt" ? "must be a date of the recurrence" : "must have a date at the start";
    return invalidField(startField, "CONFLICTING", `${whose}, on the wall clock of ${zone.name}`);
  }
  if (until !== undefined && until < startsAt) {
    return invalidField("recurrence.until", "OUT_OF_RANGE", "must not be before the start");
  }
  if (rDates.some((at) => at < startsAt)) {
    return invalidField("recurrence.rDates", "OUT_OF_RANGE", "must not be before the start");
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
