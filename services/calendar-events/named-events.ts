import type { EventReference } from "../contracts/calendar-events.contract.ts";
import { refuse, type Refusal } from "../contracts/errors.ts";
import type { GuildId, OccurrenceId } from "../contracts/ids.ts";
import type { CalendarEventsStore } from "./calendar-events.store.ts";
import type { CalendarsStore } from "./calendars.store.ts";
import type { Calendar } from "./domain/calendar.ts";
import type { StoredEvent } from "./domain/event.ts";
import { readEventName } from "./domain/occurrence-id.ts";
import { type Placed, placedSingle } from "./domain/placed.ts";
import { occurrenceNamed } from "./placed-events.ts";

/** What an id names. */
export interface Named {
  readonly event: StoredEvent;
  readonly calendar: Calendar;
  /** The one occurrence that is named; a single event is its own. Undefined when the id names a whole series. */
  readonly placed?: Placed;
}

export interface NamedEvents {
  /** In whichever calendar; undefined when there is no such thing, whatever the reason. */
  find(guildId: GuildId, reference: string): Promise<Named | undefined>;
  /** In that calendar; the same refusal for every reason why it isn't there. */
  findIn(reference: EventReference): Promise<Named | Refusal>;
}

export function namedEvents(store: CalendarEventsStore, calendars: CalendarsStore): NamedEvents {
  async function find(guildId: GuildId, reference: string): Promise<Named | undefined> {
    const name = readEventName(reference);
    if (name === undefined) return undefined;
    const { eventId, original } = name;
    const found = await store.find(guildId, eventId, original === undefined ? undefined : (reference as OccurrenceId));
    if (found === undefined) return undefined;
    const { event, override } = found;
    const calendar = await calendars.find(guildId, event.calendarNumber);
    if (original === undefined) {
      return event.recurring === undefined ? { event, calendar, placed: placedSingle(event) } : { event, calendar };
    }
    const placed = occurrenceNamed(event, original, override, calendar);
    return placed === undefined ? undefined : { event, calendar, placed };
  }

  return {
    find,
    async findIn({ guildId, calendarNumber, eventId }) {
      const named = await find(guildId, eventId);
      return named?.event.calendarNumber === calendarNumber ? named : refuse("EVENT_NOT_FOUND");
    },
  };
}
