import { complete } from "../../../../mixins/objects/complete.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import { perText, type UpdateEventParams } from "../../../contracts/calendar-events.contract.ts";
import { isRefusal, refuse, type Refusal } from "../../../contracts/errors.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import { type Anchor, anchorOf, type Calendar, zoneOf } from "../calendar/calendar.ts";
import { type CalendarEvent, type Recurring, type StoredEvent, textsOf, timesOf } from "./event.ts";
import { parseRecurrence, sameRecurrence } from "../recurrence/parse-recurrence.ts";
import { newRecurring, seriesRefusal } from "../recurrence/recurring.ts";
import type { Times } from "./window.ts";

/** An event after a change, and which parts of it have changed (D31). */
export interface ChangedEvent {
  readonly event: CalendarEvent;
  readonly rescheduled: boolean;
  readonly recolored: boolean;
}

type EventChanges = Omit<UpdateEventParams, "guildId" | "calendarNumber" | "eventId">;

/** Applies changes to a single event or a whole series. An absent field stays, and null or "" clears a text (D6). */
export function changeEvent(stored: StoredEvent, changes: EventChanges, calendar: Calendar): ChangedEvent | Refusal {
  const current = timesOf(stored, calendar);
  const { startsAt = current.startsAt, endsAt = current.endsAt, color = stored.color } = changes;
  if (endsAt < startsAt) return timesOutOfOrder(changes);
  const isMoved = startsAt !== current.startsAt;
  const anchor = stored.recurring === undefined || isMoved ? anchorOf(calendar) : stored.recurring.anchor;
  const recurrence = changedRecurrence(stored, changes, anchor);
  if (isRefusal(recurrence)) return recurrence;
  const { id, guildId, calendarNumber, revision } = stored;
  const event = complete<CalendarEvent>()({
    id,
    guildId,
    calendarNumber,
    revision: revision + 1,
    ...definedFields({ uid: stored.uid }),
    ...changedTexts(stored, changes),
    color,
    ...changedTimes(stored, { startsAt, endsAt }, isMoved, recurrence, anchor),
  });
  const rescheduled = isMoved || !sameRecurrence(recurrence, stored.recurring?.recurrence);
  const hasSameTimes = !rescheduled && endsAt === current.endsAt;
  const startField = changes.startsAt === undefined ? "recurrence" : "startsAt";
  return (
    (hasSameTimes ? undefined : seriesRefusal(event, calendar, startField)) ?? {
      event,
      rescheduled,
      recolored: color !== stored.color,
    }
  );
}

/**
 * The refusal of an end before the start. It names the field that was given; the other one may be the stored one
 * (D13).
 */
export function timesOutOfOrder({ startsAt }: { readonly startsAt?: unknown }): Refusal {
  return refuse("INVALID_REQUEST", [
    startsAt === undefined
      ? { field: "endsAt", code: "OUT_OF_RANGE", message: "must not be before the start" }
      : { field: "startsAt", code: "OUT_OF_RANGE", message: "must not be after the end" },
  ]);
}

/**
 * A series keeps its anchor and its start until its start is changed. So a new count or duration after a change of
 * the zone moves nothing.
 */
function changedTimes(
  stored: StoredEvent,
  times: Times,
  isMoved: boolean,
  recurrence: Recurrence | undefined,
  anchor: Anchor,
): Times & { recurring?: Recurring } {
  if (recurrence === undefined) return times;
  const { recurring, startsAt } = stored;
  const hasOverrides = recurring?.hasOverrides ?? false;
  if (recurring === undefined || isMoved) {
    return { ...times, recurring: newRecurring(recurrence, anchor, times.startsAt, hasOverrides) };
  }
  const endsAt = startsAt + times.endsAt - times.startsAt;
  return { startsAt, endsAt, recurring: newRecurring(recurrence, anchor, startsAt, hasOverrides) };
}

function changedRecurrence(
  { recurring }: StoredEvent,
  changes: EventChanges,
  anchor: Anchor,
): Recurrence | Refusal | undefined {
  if (changes.recurs === false) return undefined;
  return changes.recurrence === undefined ? recurring?.recurrence : parseRecurrence(changes.recurrence, zoneOf(anchor));
}

function changedTexts(stored: StoredEvent, changes: EventChanges): ReturnType<typeof textsOf> {
  return textsOf(perText((text) => (changes[text] === undefined ? stored[text] : changes[text])));
}
