import { perText, type UpdateEventParams } from "../../../contracts/calendar-events.contract.ts";
import type { GivenTimes } from "../../../contracts/event-times.ts";
import type { SkipReason } from "../../../contracts/event-import.contract.ts";
import { isRefusal } from "../../../contracts/errors.ts";
import type { Calendar } from "../calendar/calendar.ts";
import { cancelledOccurrence, type ChangedOverride, changeOccurrence } from "../event/change-occurrence.ts";
import { type EffectiveOccurrence, effectiveOccurrence } from "../event/effective-occurrence.ts";
import type { StoredEvent } from "../event/event.ts";
import { hasSameDays } from "../event/given-times.ts";
import type { Override } from "../event/override.ts";
import type { RuleOccurrence } from "../recurrence/occurrences.ts";
import { calendarIn, sameSeconds } from "./apply-event.ts";
import type { ImportedEvent } from "./imported-event.ts";
import { givenTimes, type ImportedTimes, isOutOfRange } from "./imported-times.ts";

/** An occurrence of a stored series by its rule, with its override, if any. */
export interface StoredOccurrence {
  readonly event: StoredEvent;
  readonly ruleOccurrence: RuleOccurrence;
  readonly override: Override | undefined;
}

/** The override of a VEVENT with a RECURRENCE-ID, and the occurrence before it. */
export interface AppliedOccurrence {
  readonly next: ChangedOverride;
  readonly before: EffectiveOccurrence;
}

/** The fields of a VEVENT that an override can have. */
export type OccurrenceFields = ImportedTimes & Pick<ImportedEvent, "texts" | "color" | "zone" | "isCancelled">;

/** The times of a cancelled occurrence that exists again count as set now. */
const RESTORED = { rescheduled: true, endChanged: true };

/** Decides the override; undefined if the occurrence is as the VEVENT has it. */
export function applyOccurrence(
  imported: OccurrenceFields,
  { event, ruleOccurrence, override }: StoredOccurrence,
  calendar: Calendar,
): AppliedOccurrence | SkipReason | undefined {
  const present = effectiveOccurrence(event, ruleOccurrence, override, calendar);
  if (imported.isCancelled) {
    return present && { next: cancelledOccurrence(event.id, ruleOccurrence.original), before: present };
  }
  if (isOutOfRange(imported)) return "OUT_OF_RANGE";
  // A cancelled occurrence is restored: without its override it is as its series.
  const before = present ?? effectiveOccurrence(event, ruleOccurrence, undefined, calendar);
  if (before === undefined) return "UNKNOWN_OCCURRENCE";
  const changes = differences(imported, before);
  if (present !== undefined && Object.keys(changes).length === 0) return undefined;
  // Dates are on the clock of the calendar.
  const where = imported.days === undefined ? calendarIn(imported.zone, calendar) : calendar;
  const next = changeOccurrence(before, ruleOccurrence.original, changes, where);
  return isRefusal(next) ? "INVALID_TIME" : { next: { ...next, ...(present === undefined ? RESTORED : {}) }, before };
}

/** The fields in which the VEVENT differs from the occurrence. An absent image or colour stays. */
function differences(imported: OccurrenceFields, before: EffectiveOccurrence): Partial<UpdateEventParams> {
  const { texts, color } = imported;
  const given = perText((text) => (text === "image" ? (texts.image ?? before.texts.image) : texts[text]) ?? "");
  const changed = Object.entries(given).filter(([text, value]) => value !== (before.texts[text as "name"] ?? ""));
  return {
    ...Object.fromEntries(changed),
    ...changedTimes(imported, before),
    ...(color === undefined || color === before.color ? {} : { color }),
  };
}

function changedTimes(imported: ImportedTimes, { allDay, ...before }: EffectiveOccurrence): GivenTimes {
  if (imported.days !== undefined) return hasSameDays(imported.days, allDay) ? {} : givenTimes(imported);
  if (allDay !== undefined) return { allDay: false, ...givenTimes(imported) };
  return sameSeconds(imported, before) ? {} : givenTimes(imported);
}
