import type { Calendar, ChangedCalendar } from "../../services/calendar-events/domain/calendar/calendar.ts";
import { unwrittenCalendar } from "../../services/calendar-events/domain/calendar/calendar.ts";
import { type CalendarEvent, type StoredEvent, textsOf } from "../../services/calendar-events/domain/event/event.ts";
import type { Override } from "../../services/calendar-events/domain/event/override.ts";
import { occurrenceId } from "../../services/calendar-events/domain/event/occurrence-id.ts";
import type { CalendarEventsStore } from "../../services/calendar-events/store/calendar-events.store.ts";
import type { CalendarsStore } from "../../services/calendar-events/store/calendars.store.ts";
import type { EventReads } from "../../services/calendar-events/store/event-reads.store.ts";
import { pauseEndedBy } from "../../services/contracts/pause.ts";
import type { EpochMs, EventId, GuildId } from "../../services/contracts/ids.ts";

/** The rows of one guild's events and calendars, and the time that the database would set. */
export interface MemoryRows {
  now: EpochMs;
  readonly events: Map<EventId, StoredEvent>;
  /** By the ids of their occurrences. */
  readonly overrides: Map<string, Override>;
  readonly calendars: Map<number, Calendar>;
}

/** A store of calendars in memory. */
export function memoryCalendars(rows: MemoryRows): Pick<CalendarsStore, "find" | "list" | "replace"> {
  return {
    find: async (guildId, number) => rows.calendars.get(number) ?? unwrittenCalendar(guildId, number),
    list: async () => [...rows.calendars.values()],
    async replace({ calendar, newZone }: ChangedCalendar) {
      const zoneChanges =
        newZone === undefined ? calendar.zoneChanges : [...calendar.zoneChanges, { ...newZone, since: rows.now }];
      const ended = pauseEndedBy(rows.calendars.get(calendar.calendarNumber) ?? {}, rows.now);
      rows.calendars.set(calendar.calendarNumber, { ...calendar, ...ended, zoneChanges });
      return true;
    },
  };
}

/** A store of events in memory, with the writes of the real one; for one guild, and without indexes. */
export function memoryEvents(rows: MemoryRows): CalendarEventsStore {
  const { events, overrides } = rows;
  const ofSeries = (id: EventId) => [...overrides].filter(([, override]) => override.eventId === id);

  function put(next: CalendarEvent, isRescheduled: boolean, isRecolored: boolean, from: StoredEvent | undefined): void {
    const scheduledAt = isRescheduled ? rows.now : (from?.scheduledAt ?? rows.now);
    const coloredAt = isRecolored ? rows.now : (from?.coloredAt ?? rows.now);
    const createdAt = next.follows !== undefined && from?.id !== next.id ? rows.now : (from?.createdAt ?? rows.now);
    events.set(next.id, { ...next, ...pauseEndedBy(from ?? {}, rows.now), scheduledAt, coloredAt, createdAt });
  }

  const store: Partial<CalendarEventsStore> = {
    ...memoryReads(rows),
    snapshotReads: () => memoryReads(rows) as EventReads,
    listReads: () => memoryReads(rows) as EventReads,
    calendarsInSnapshot: async () => ({
      numbers: [...new Set([...events.values()].map(({ calendarNumber }) => calendarNumber))],
      reads: memoryReads(rows) as EventReads,
    }),
    countStored: async () => events.size + overrides.size,
    wasCreated: async () => false,
    revisionWritten: async () => undefined,
    async insert(event) {
      put(event, true, true, undefined);
      return true;
    },
    async replace({ event, rescheduled, recolored }, keep) {
      put(event, rescheduled, recolored, events.get(event.id));
      if (keep === "all") return true;
      for (const [id, { original }] of ofSeries(event.id)) if (!keep.includes(original)) overrides.delete(id);
      return true;
    },
    async saveOverride(series, { override, rescheduled, recolored }) {
      put(series, false, false, events.get(series.id));
      const id = occurrenceId(series.id, override.original);
      const known = overrides.get(id);
      const stamps = {
        scheduledAt: rescheduled ? rows.now : known?.scheduledAt,
        coloredAt: recolored ? rows.now : known?.coloredAt,
      };
      overrides.set(id, { ...override, ...stamps } as Override);
      return true;
    },
    async split({ before, following, stored, from, keep }) {
      put(following.event, following.rescheduled, following.recolored, stored);
      put(before, false, false, stored);
      for (const [id, override] of ofSeries(before.id)) {
        if (override.original < from) continue;
        overrides.delete(id);
        const moved = { ...override, eventId: following.event.id };
        if (keep.includes(override.original)) overrides.set(occurrenceId(moved.eventId, moved.original), moved);
      }
      return true;
    },
    async remove({ id }) {
      for (const [overrideId] of ofSeries(id)) overrides.delete(overrideId);
      return events.delete(id);
    },
  };
  return store as CalendarEventsStore;
}

function memoryReads({ events, overrides }: MemoryRows): Partial<EventReads> {
  const all = () => [...events.values()];
  const inCalendars = (calendars: readonly Calendar[]) => {
    const numbers = new Set(calendars.map(({ calendarNumber }) => calendarNumber));
    return all().filter(({ calendarNumber }) => numbers.has(calendarNumber));
  };
  const starting = (
    calendars: readonly Calendar[],
    { from, until }: { from: EpochMs; until: EpochMs },
    isAllDay: boolean,
  ) =>
    inCalendars(calendars)
      .filter(({ recurring, allDay }) => recurring === undefined && (allDay !== undefined) === isAllDay)
      .filter(({ startsAt }) => startsAt >= from && startsAt < until)
      .toSorted((one, other) => one.startsAt - other.startsAt);
  return {
    async find(guildId: GuildId, id, occurrence) {
      const event = events.get(id);
      if (event?.guildId !== guildId) return undefined;
      const override = occurrence === undefined ? undefined : overrides.get(occurrence);
      return override === undefined ? { event } : { event, override };
    },
    findAll: async (_guildId, ids) => all().filter(({ id }) => ids.includes(id)),
    async *eventsWithIds(_guildId, ids) {
      yield all().filter(({ id }) => ids.includes(id));
    },
    following: async (_guildId, ids) => all().filter(({ follows = [] }) => follows.some((id) => ids.includes(id))),
    overrides: async (_guildId, ids, { from, until }) =>
      [...overrides.values()].filter(
        ({ eventId, original }) => ids.includes(eventId) && original >= from && original < until,
      ),
    overriddenStarts: async (_guildId, id) =>
      [...overrides.values()].filter(({ eventId }) => eventId === id).map(({ original }) => original),
    singleEventsStarting: async (_guildId, calendars, window, limit, { only }) =>
      starting(calendars, window, false)
        .filter(({ id, color }) => only?.eventIds?.includes(id) !== false && (only?.color ?? color) === color)
        .slice(0, limit),
    async *allDayStarting(_guildId, calendars, window, { only }) {
      yield starting(calendars, window, true).filter(
        ({ id, color }) => only?.eventIds?.includes(id) !== false && (only?.color ?? color) === color,
      );
    },
    async *eventsOverlapping(_guildId, calendar) {
      const found = inCalendars([calendar]);
      const ids = new Set(found.map(({ id }) => id));
      const isMoved = ({ eventId, moved, cancelled }: Override) =>
        ids.has(eventId) && moved !== undefined && !cancelled;
      yield { events: found, moved: [...overrides.values()].filter(isMoved) };
    },
    async earliestStart(_guildId, calendarNumber) {
      const inCalendar = all().filter((event) => event.calendarNumber === calendarNumber);
      const ids = new Set(inCalendar.map(({ id }) => id));
      // A moved occurrence may start before its series.
      const moved = [...overrides.values()].flatMap((each) =>
        each.moved === undefined || !ids.has(each.eventId) ? [] : [each.moved.startsAt],
      );
      const starts = [...inCalendar.map(({ startsAt }) => startsAt), ...moved];
      return starts.length === 0 ? undefined : Math.min(...starts);
    },
    async textsOf(_guildId, ids) {
      const texts = [...events.values(), ...overrides].map((each) =>
        Array.isArray(each) ? ([each[0], each[1].texts ?? {}] as const) : ([each.id as string, textsOf(each)] as const),
      );
      return new Map(texts.filter(([id]) => ids.includes(id)));
    },
    // The ids of these events do not tell when they were created.
    async *eventsBetween(_guildId, calendars) {
      yield inCalendars(calendars);
    },
    async *changedIn(_guildId, calendars, { from, until }) {
      const setAt = ({ scheduledAt, endSetAt = 0 }: StoredEvent) => Math.max(scheduledAt, endSetAt);
      const changed = inCalendars(calendars).filter((event) => setAt(event) >= from && setAt(event) < until);
      yield changed.sort((one, other) => setAt(one) - setAt(other));
    },
    async *overriddenSince(_guildId, calendars) {
      yield inCalendars(calendars).filter(({ recurring }) => recurring?.hasOverrides === true);
    },
    async *movedSince(_guildId, ids) {
      yield [...overrides.values()].filter(({ eventId, moved }) => moved !== undefined && ids.includes(eventId));
    },
    overridesWithIds: async (_guildId, ids) => ids.flatMap((id) => overrides.get(id) ?? []),
    async *seriesOverlapping(_guildId, calendars, _window, { only, which }) {
      const series = inCalendars(calendars).filter(
        ({ id, recurring }) => (which === "all" || recurring !== undefined) && only?.eventIds?.includes(id) !== false,
      );
      const ids = new Set(series.map(({ id }) => id));
      const moved = [...overrides.values()].filter(
        ({ eventId, moved: times, cancelled }) => ids.has(eventId) && times !== undefined && !cancelled,
      );
      yield { events: series, moved };
    },
  };
}
