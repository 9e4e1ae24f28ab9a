import type { EventReference, EventView } from "../contracts/calendar-events.contract.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import type { GuildId, OccurrenceId } from "../contracts/ids.ts";
import type { Revised } from "../contracts/revision.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import { type Calendar, unwrittenCalendar } from "./domain/calendar/calendar.ts";
import { eventView, followsZone, publicRevision, type StoredEvent } from "./domain/event/event.ts";
import { occurrenceId, parseEventId } from "./domain/event/occurrence-id.ts";
import { type EffectiveOccurrence, singleOccurrence, occurrenceView } from "./domain/event/effective-occurrence.ts";
import { effectiveOccurrenceAt } from "./effective-occurrences.ts";

/** The event or occurrence that an id stands for. */
export interface ResolvedEvent {
  readonly event: StoredEvent;
  readonly calendar: Calendar;
  /** The occurrence of the id; a single event is its own occurrence. Undefined for the id of a whole series. */
  readonly occurrence?: EffectiveOccurrence;
}

export interface EventResolver {
  /** Searches all calendars of the guild; undefined if the id has no event. */
  find(guildId: GuildId, reference: string): Promise<ResolvedEvent | undefined>;
  /** Like `find`; the id of a series stands for its first occurrence (D24). */
  findOccurrence(guildId: GuildId, reference: string): Promise<ResolvedEvent | undefined>;
  /**
   * The ids that exist because of a split (D51): the id of an occurrence, if a series that was split from its series has an
   * occurrence at the same original start; the id of a series, if any series was split from it.
   */
  findFollowed(guildId: GuildId, references: readonly string[]): Promise<ReadonlySet<string>>;
  /** Searches one calendar; refuses with EVENT_NOT_FOUND, whatever the reason. */
  findInCalendar(reference: EventReference): Promise<ResolvedEvent | Refusal>;
  /** Like `findInCalendar`, as the view of the API with the revision. */
  viewInCalendar(reference: EventReference): Promise<(EventView & Revised) | Refusal>;
}

/** The reads of the store that the resolver uses. */
export type ResolverStore = Pick<CalendarEventsStore, "find" | "following">;

export function eventResolver(store: ResolverStore, calendars: Pick<CalendarsStore, "find">): EventResolver {
  const stored = (event: StoredEvent) => calendars.find(event.guildId, event.calendarNumber);
  /**
   * Returns the calendar that the view needs. The view of an event whose times are instants does not depend on the time
   * zone, so its calendar is not read.
   */
  const calendarForView = async (event: StoredEvent) =>
    followsZone(event) ? stored(event) : unwrittenCalendar(event.guildId, event.calendarNumber);

  async function find(guildId: GuildId, reference: string, calendarOf = stored): Promise<ResolvedEvent | undefined> {
    const parsed = parseEventId(reference);
    if (parsed === undefined) return undefined;
    const { eventId, original } = parsed;
    const found = await store.find(guildId, eventId, original === undefined ? undefined : (reference as OccurrenceId));
    if (found === undefined) return undefined;
    const { event, override } = found;
    const calendar = await calendarOf(event);
    if (original === undefined) {
      return event.recurring === undefined
        ? { event, calendar, occurrence: singleOccurrence(event, calendar) }
        : { event, calendar };
    }
    const occurrence = effectiveOccurrenceAt(event, original, override, calendar);
    return occurrence === undefined ? undefined : { event, calendar, occurrence };
  }

  return {
    find: (guildId, reference) => find(guildId, reference),
    async findOccurrence(guildId, reference) {
      const resolved = await find(guildId, reference);
      if (resolved === undefined || resolved.occurrence !== undefined) return resolved;
      return find(guildId, occurrenceId(resolved.event.id, resolved.event.startsAt));
    },
    async findFollowed(guildId, references) {
      const parsed = references.flatMap((reference) => {
        const id = parseEventId(reference);
        return id === undefined ? [] : [{ reference, ...id }];
      });
      if (parsed.length === 0) return new Set();
      const ids = [...new Set(parsed.map(({ eventId }) => eventId))];
      const following = await store.following(guildId, ids);
      const found = await Promise.all(
        parsed.map(async ({ eventId, original }) => {
          const candidates = following.filter(({ follows = [] }) => follows.includes(eventId));
          if (original === undefined) return candidates.length > 0;
          const same = await Promise.all(candidates.map(({ id }) => find(guildId, occurrenceId(id, original))));
          return same.some((each) => each !== undefined);
        }),
      );
      return new Set(parsed.filter((_, at) => found[at]).map(({ reference }) => reference));
    },
    findInCalendar: async (reference) => inCalendar(reference, await find(reference.guildId, reference.eventId)),
    async viewInCalendar(reference) {
      const resolved = inCalendar(reference, await find(reference.guildId, reference.eventId, calendarForView));
      return isRefusal(resolved)
        ? resolved
        : { ...toView(resolved), revision: publicRevision(resolved.event, resolved.calendar) };
    },
  };
}

function inCalendar({ calendarNumber }: EventReference, resolved: ResolvedEvent | undefined): ResolvedEvent | Refusal {
  return resolved?.event.calendarNumber === calendarNumber ? resolved : refuse("EVENT_NOT_FOUND");
}

/** The view of the API. */
export function toView({ event, occurrence, calendar }: ResolvedEvent): EventView {
  return occurrence === undefined ? eventView(event, calendar) : occurrenceView(occurrence);
}
