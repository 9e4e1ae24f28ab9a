import { complete } from "../../../../mixins/objects/complete.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import { perText, type UpdateEventParams } from "../../../contracts/calendar-events.contract.ts";
import { isRefusal, type Refusal } from "../../../contracts/errors.ts";
import { changedPause } from "../../../contracts/pause.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import { type Anchor, anchorOf, type Calendar, zoneOf } from "../calendar/calendar.ts";
import { type CalendarEvent, type StoredEvent, textsOf, timesOf } from "./event.ts";
import { changedTimes, type ChangedTimes, timesToStore } from "./given-times.ts";
import { parseRecurrence, sameRecurrence } from "../recurrence/parse-recurrence.ts";
import { newRecurring, seriesRefusal } from "../recurrence/recurring.ts";
import type { Times } from "./window.ts";

/** An event after a change, and which parts of it have changed (D31). */
export interface ChangedEvent {
  readonly event: CalendarEvent;
  readonly rescheduled: boolean;
  readonly recolored: boolean;
  /** Whether its end changed, or the duration of its occurrences (D54). */
  readonly endChanged?: boolean;
  /** Whether its later occurrences were removed. */
  readonly isShortened?: true;
}

type EventChanges = Omit<UpdateEventParams, "guildId" | "calendarNumber" | "eventId" | "scope">;

/** Applies changes to a single event or a whole series. An absent field stays, and null or "" clears a text (D6). */
export function changeEvent(stored: StoredEvent, changes: EventChanges, calendar: Calendar): ChangedEvent | Refusal {
  const current = timesOf(stored, calendar);
  const times = changedTimes({ ...current, allDay: stored.allDay }, changes, calendar);
  if (isRefusal(times)) return times;
  const { isMoved, allDay } = times;
  const { color = stored.color } = changes;
  const setNow = stored.recurring === undefined || isMoved;
  const anchor = allDay?.anchor ?? (setNow ? anchorOf(calendar) : stored.recurring.anchor);
  const recurrence = changedRecurrence(stored, changes, anchor);
  if (isRefusal(recurrence)) return recurrence;
  const { id, guildId, calendarNumber, revision, follows } = stored;
  const base = baseTimes(stored, times, recurrence);
  const startWall = setNow ? undefined : stored.recurring.startWall;
  const start = { startsAt: base.startsAt, ...definedFields({ allDay, startWall }) };
  const hasOverrides = stored.recurring?.hasOverrides ?? false;
  const event = complete<CalendarEvent>()({
    id,
    guildId,
    calendarNumber,
    revision: revision + 1,
    ...definedFields({ uid: stored.uid }),
    ...changedTexts(stored, changes),
    color,
    ...changedPause(stored, changes.pausedUntil),
    ...base,
    ...definedFields({ allDay, follows }),
    ...(recurrence === undefined ? {} : { recurring: newRecurring(recurrence, anchor, start, hasOverrides) }),
  });
  const rescheduled = isMoved || !sameRecurrence(recurrence, stored.recurring?.recurrence);
  const hasSameTimes = !rescheduled && times.endsAt === current.endsAt;
  const startField = START_FIELDS.find((field) => changes[field] !== undefined) ?? "recurrence";
  return (
    (hasSameTimes ? undefined : seriesRefusal(event, calendar, startField)) ?? {
      event,
      rescheduled,
      recolored: color !== stored.color,
      endChanged: !hasSameTimes,
    }
  );
}

const START_FIELDS = ["startDate", "startsAt"] as const;

/**
 * The times to store, in the zone in which they were set. A series keeps its anchor and its start until its start is
 * changed. So a new count or duration after a change of the zone moves nothing.
 */
function baseTimes(stored: StoredEvent, times: ChangedTimes, recurrence: Recurrence | undefined): Times {
  const isKept = recurrence !== undefined && stored.recurring !== undefined && !times.isMoved;
  if (times.allDay !== undefined || !isKept) return timesToStore(times);
  return { startsAt: stored.startsAt, endsAt: stored.startsAt + times.endsAt - times.startsAt };
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
