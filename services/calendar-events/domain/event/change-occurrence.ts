import { complete } from "../../../../mixins/objects/complete.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import { EVENT_TEXTS, type EventTexts, type UpdateEventParams } from "../../../contracts/calendar-events.contract.ts";
import type { FieldProblem } from "../../../contracts/field-problem.ts";
import { isRefusal, refuse, type Refusal } from "../../../contracts/errors.ts";
import type { EpochMs, EventId } from "../../../contracts/ids.ts";
import { anchorOf, type Calendar } from "../calendar/calendar.ts";
import type { EffectiveOccurrence } from "./effective-occurrence.ts";
import { changedTimes, daysIn, hasSameDays, timesToStore } from "./given-times.ts";
import type { OverrideDraft } from "./override.ts";

/** An override after a change, and which fields have changed (D31). */
export interface ChangedOverride {
  readonly override: OverrideDraft;
  readonly rescheduled: boolean;
  readonly recolored: boolean;
  /** Whether its end changed (D54). */
  readonly endChanged?: boolean;
}

type OccurrenceChanges = Omit<UpdateEventParams, "guildId" | "calendarNumber" | "eventId" | "scope">;

/** Applies changes to one occurrence. Recurrence and pause can be changed only for the series (D19, D62). */
export function changeOccurrence(
  occurrence: EffectiveOccurrence,
  original: EpochMs,
  changes: OccurrenceChanges,
  calendar: Calendar,
): ChangedOverride | Refusal {
  const forbidden = (["recurs", "recurrence", "pausedUntil"] as const).filter((field) => changes[field] !== undefined);
  if (forbidden.length > 0) return refuse("INVALID_REQUEST", forbidden.map(seriesOnlyProblem));
  const { color = occurrence.color } = changes;
  const times = changedTimes(occurrence, changes, calendar);
  if (isRefusal(times)) return times;
  const { startsAt, allDay } = times;
  const hasOtherTimes = startsAt !== occurrence.startsAt || times.endsAt !== occurrence.endsAt;
  const isMoved = hasOtherTimes || !hasSameDays(allDay, occurrence.allDay);
  const days = allDay === undefined ? undefined : daysIn(allDay);
  const anchor = allDay?.anchor ?? anchorOf(calendar);
  const before = occurrence.override;
  const override = complete<OverrideDraft>()({
    eventId: occurrence.event.id,
    original,
    cancelled: false,
    texts: { ...before?.texts, ...givenTexts(changes) },
    ...definedFields({
      color: changes.color ?? before?.color,
      moved: isMoved ? { ...timesToStore(times), anchor, ...definedFields({ days }) } : before?.moved,
    }),
  });
  return {
    override,
    rescheduled: startsAt !== occurrence.startsAt,
    recolored: color !== occurrence.color,
    endChanged: times.endsAt !== occurrence.endsAt,
  };
}

/** The override of a cancelled occurrence, without any other field. */
export function cancelledOccurrence(eventId: EventId, original: EpochMs): ChangedOverride {
  return { override: { eventId, original, cancelled: true, texts: {} }, rescheduled: false, recolored: false };
}

function seriesOnlyProblem(field: string): FieldProblem {
  return { field, code: "NOT_ALLOWED", message: "can be changed for the whole series only" };
}

/** The texts in the changes; null and "" clear a text. */
function givenTexts(changes: OccurrenceChanges): EventTexts {
  const given = EVENT_TEXTS.filter((text) => changes[text] !== undefined);
  return Object.fromEntries(given.map((text) => [text, changes[text] ?? ""]));
}
