import { optimisticWrite } from "../../mixins/optimistic-write.ts";
import type { CreateEventParams, EventReference, UpdateEventParams } from "../contracts/calendar-events.contract.ts";
import { isRefusal, type Refusal } from "../contracts/errors.ts";
import type { EpochMs } from "../contracts/ids.ts";
import type { CalendarEventsStore } from "./calendar-events.store.ts";
import type { CalendarsStore } from "./calendars.store.ts";
import { type Calendar, unwrittenCalendar } from "./domain/calendar.ts";
import { type ChangedEvent, changeEvent } from "./domain/change-event.ts";
import { newEvent } from "./domain/create-event.ts";
import { type CalendarEvent, seriesOf, type StoredEvent } from "./domain/event.ts";
import { ID_RANDOM_BYTES, newEventId } from "./domain/event-id.ts";
import { occurrenceAt } from "./domain/occurrences.ts";
import { cancelledOccurrence, type ChangedOverride, changeOccurrence } from "./domain/override.ts";
import type { Named, NamedEvents } from "./named-events.ts";
import { randomBytesOf } from "./random-bytes.ts";

/** A revision that was stored. */
export type Written = Pick<CalendarEvent, "id" | "guildId" | "revision">;

/** Load, decide, save, for each kind of write; each answers the revision that it stored. */
export interface EventWrites {
  create(params: CreateEventParams): Promise<Written | Refusal>;
  update(params: UpdateEventParams): Promise<Written | Refusal>;
  remove(params: EventReference): Promise<Written | Refusal>;
}

/** What is to be stored, and how. */
interface Write {
  readonly written: Written;
  save(): Promise<boolean | Refusal>;
}

export function eventWrites(
  store: CalendarEventsStore,
  calendars: CalendarsStore,
  events: NamedEvents,
  now: () => EpochMs,
): EventWrites {
  const random = randomBytesOf(ID_RANDOM_BYTES);

  /** Which single occurrences keep what they have of their own when the series gets another start or rule (D19). */
  async function seriesWrite({ event: stored, calendar }: Named, next: ChangedEvent): Promise<Write> {
    const { event } = next;
    if (!next.rescheduled || stored.recurring?.hasOverrides !== true) {
      return { written: event, save: () => store.replace(next, "all", stored) };
    }
    const series = seriesOf(event, calendar);
    const starts = await store.overriddenStarts(stored.id);
    const kept = series === undefined ? [] : starts.filter((start) => occurrenceAt(series, start) !== undefined);
    const changed = { ...next, event: withOverrides(event, kept.length > 0) };
    return { written: event, save: () => store.replace(changed, kept, stored) };
  }

  function occurrenceWrite({ event: stored }: Named, next: ChangedOverride): Write {
    const { scheduledAt: _, coloredAt: __, ...event } = stored;
    const series = withOverrides({ ...event, revision: stored.revision + 1 }, true);
    return { written: series, save: () => store.saveOverride(series, next) };
  }

  async function write(reference: EventReference, decide: (named: Named) => Promise<Write> | Write | Refusal) {
    const outcome = await optimisticWrite({
      load: () => events.findIn(reference),
      decide: (named) => (isRefusal(named) ? named : decide(named)),
      save: (next) => next.save(),
    });
    return isRefusal(outcome) ? outcome : outcome.written;
  }

  /** A single event takes nothing from its calendar: then that need not be read. */
  async function calendarFor({ guildId, calendarNumber, recurrence }: CreateEventParams): Promise<Calendar> {
    if (recurrence === undefined) return unwrittenCalendar(guildId, calendarNumber);
    return calendars.find(guildId, calendarNumber);
  }

  return {
    create: (params) =>
      optimisticWrite({
        load: () => calendarFor(params),
        decide: (calendar) => newEvent(params, newEventId(now(), random()), calendar),
        save: (event) => store.insert(event),
      }),

    update: ({ guildId, calendarNumber, eventId, ...changes }) =>
      write({ guildId, calendarNumber, eventId }, (named) => {
        const { event, placed, calendar } = named;
        if (placed?.slot === undefined) {
          const next = changeEvent(event, changes, calendar);
          return isRefusal(next) ? next : seriesWrite(named, next);
        }
        const next = changeOccurrence(placed, placed.slot.original, changes, calendar);
        return isRefusal(next) ? next : occurrenceWrite(named, next);
      }),

    remove: (reference) =>
      write(reference, (named) => {
        const { event, placed } = named;
        if (placed?.slot === undefined) return removal(store, event);
        return occurrenceWrite(named, cancelledOccurrence(event.id, placed.slot.original));
      }),
  };
}

function removal(store: CalendarEventsStore, event: StoredEvent): Write {
  return { written: { ...event, revision: event.revision + 1 }, save: () => store.remove(event) };
}

function withOverrides(event: CalendarEvent, hasOverrides: boolean): CalendarEvent {
  return event.recurring === undefined ? event : { ...event, recurring: { ...event.recurring, hasOverrides } };
}
