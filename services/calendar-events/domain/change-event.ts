import type { Recurrence, UpdateEventParams } from "../../contracts/calendar-events.contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { CalendarClock } from "./calendar-clock.ts";
import { fullRecurrence, neverRecurs } from "./create-event.ts";
import { type CalendarEvent, type StoredEvent, TEXTS, textsOf } from "./event.ts";

/** An event after a change, and what of it is new (D31). */
export interface ChangedEvent {
  readonly event: CalendarEvent;
  readonly rescheduled: boolean;
  readonly recolored: boolean;
}

export type EventChanges = Omit<UpdateEventParams, "guildId" | "calendarNumber" | "eventId">;

/** A single event or a whole series after the changes: what is absent stays, and null or "" clears a text (D6). */
export function changeEvent(stored: StoredEvent, changes: EventChanges, clock: CalendarClock): ChangedEvent | Refusal {
  const { id, guildId, calendarNumber, revision } = stored;
  const { startsAt = stored.startsAt, endsAt = stored.endsAt, color = stored.color } = changes;
  if (endsAt < startsAt) return outOfOrder(changes);
  const recurrence = changedRecurrence(stored, changes);
  const event: CalendarEvent = {
    id,
    guildId,
    calendarNumber,
    revision: revision + 1,
    startsAt,
    endsAt,
    ...changedTexts(stored, changes),
    color,
    ...(recurrence === undefined ? {} : { recurrence }),
  };
  const rescheduled = startsAt !== stored.startsAt || !sameRecurrence(recurrence, stored.recurrence);
  return neverRecurs(event, clock) ?? { event, rescheduled, recolored: color !== stored.color };
}

/** One of the two was given, and does not fit the other as it is stored (D13). */
function outOfOrder({ startsAt }: EventChanges): Refusal {
  return refuse("INVALID_REQUEST", [
    startsAt === undefined
      ? { field: "endsAt", code: "OUT_OF_RANGE", message: "must not be before the start" }
      : { field: "startsAt", code: "OUT_OF_RANGE", message: "must not be after the end" },
  ]);
}

function changedRecurrence({ recurrence: stored }: StoredEvent, changes: EventChanges): Recurrence | undefined {
  if (changes.recurs === false) return undefined;
  return changes.recurrence === undefined ? stored : fullRecurrence(changes.recurrence);
}

function sameRecurrence(a: Recurrence | undefined, b: Recurrence | undefined): boolean {
  return a?.frequency === b?.frequency && a?.interval === b?.interval && a?.count === b?.count;
}

function changedTexts(stored: StoredEvent, changes: EventChanges): ReturnType<typeof textsOf> {
  const pairs = TEXTS.map((text) => [text, changes[text] === undefined ? stored[text] : changes[text]]);
  return textsOf(Object.fromEntries(pairs));
}
