import { type EventView, MAX_ENTRIES } from "../../contracts/calendar-events.contract.ts";
import type { EventId } from "../../contracts/ids.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { DraftOccurrencesParams } from "../../contracts/owner-drafts.contract.ts";
import type { Window } from "../../contracts/window.ts";
import { SEARCH_TIMEOUT_MS } from "../calendar-windows.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import { occurrenceView } from "../domain/event/effective-occurrence.ts";
import { overlaps } from "../domain/event/window.ts";
import {
  addEntry,
  coveredDays,
  type HolidayEntry,
  type HolidaysByDay,
  windowOfDays,
} from "../domain/holiday/holiday-days.ts";
import { eachOccurrenceOverlapping } from "../domain/recurrence/occurrences.ts";
import { effectiveOccurrences } from "../effective-occurrences.ts";
import { holidayReader, withHolidays } from "../holidays.ts";
import type { CalendarEventsStore } from "../store/calendar-events.store.ts";
import type { CalendarsStore } from "../store/calendars.store.ts";
import type { DraftedEvent } from "./draft-store.ts";
import { isAllowed, type MadeDrafts } from "./make-drafts.ts";

/** The holidays of occurrences before and after drafts of events and calendars (D66). */
export interface DraftedHolidays {
  /** Whether a draft changes an event of a calendar of holidays, so that occurrences of other events are affected. */
  readonly areChanged: boolean;
  before(occurrences: readonly Occurrence[]): Promise<Occurrence[]>;
  after(occurrences: readonly Occurrence[]): Promise<Occurrence[]>;
}

export function draftedHolidays(
  base: {
    readonly store: Pick<CalendarEventsStore, "snapshotReads">;
    readonly calendars: Pick<CalendarsStore, "find">;
  },
  { store, calendars }: Pick<MadeDrafts, "store" | "calendars">,
  { guildId, holidaysOf = [], maxCalendars }: Pick<DraftOccurrencesParams, "guildId" | "holidaysOf" | "maxCalendars">,
): DraftedHolidays {
  const readBefore = holidayReader(base.store, base.calendars, SEARCH_TIMEOUT_MS);
  const readAfter = holidayReader(base.store, calendars, SEARCH_TIMEOUT_MS);
  const isChanged = ({ eventId }: HolidayEntry) => store.isChanged(eventId.split("_", 1)[0] as EventId);
  const isHoliday = ({ event }: DraftedEvent) => holidaysOf.includes(event.calendarNumber);

  /** The stored entries without those of changed events, and the entries of the events after the changes. */
  async function daysAfter(calendarNumber: number, days: readonly number[]): Promise<HolidaysByDay> {
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) return new Map();
    const found = new Map(await readAfter({ guildId, calendarNumber }, days, isChanged));
    const calendar = await calendars.find(guildId, calendarNumber);
    const drafted = store.after().filter(({ event }) => event.calendarNumber === calendarNumber);
    const wanted = new Set(days);
    for (const entry of await entriesOf(drafted, calendar, windowOfDays(first, last, calendar))) {
      addEntry(found, entry, wanted, coveredDays(entry, calendar));
    }
    return found;
  }

  return {
    areChanged: [...store.before(), ...store.after()].some(isHoliday),
    before: (occurrences) =>
      withHolidays(occurrences, holidaysOf, async (calendarNumber, days) =>
        isAllowed(calendarNumber, maxCalendars[0] ?? 1) ? readBefore({ guildId, calendarNumber }, days) : new Map(),
      ),
    after: (occurrences) =>
      withHolidays(occurrences, holidaysOf, async (calendarNumber, days) =>
        isAllowed(calendarNumber, maxCalendars.at(-1) ?? 1) ? daysAfter(calendarNumber, days) : new Map(),
      ),
  };
}

/** The entries of events in memory that overlap a window. */
async function entriesOf(drafted: readonly DraftedEvent[], calendar: Calendar, window: Window): Promise<EventView[]> {
  const events = drafted.map(({ event }) => event);
  const overrides = drafted.flatMap((each) => [...each.overrides.values()]);
  const occurrences = await effectiveOccurrences(
    { events, moved: overrides.filter(({ moved, cancelled }) => moved !== undefined && !cancelled) },
    {
      guildId: calendar.guildId,
      reads: { overrides: async () => overrides },
      eventsOf: async () => events,
      window,
      calendarOf: () => calendar,
      expand: (series, isExcluded) => eachOccurrenceOverlapping(series, window, MAX_ENTRIES, isExcluded),
      isInWindow: (times) => overlaps(times, window),
    },
  );
  return [...occurrences].map(occurrenceView);
}
