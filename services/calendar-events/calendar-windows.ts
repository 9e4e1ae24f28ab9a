import { LRUCache } from "lru-cache";
import { OperationTimeout } from "../../mixins/async/timeout.ts";
import { BoundedList, leastJsonBytes } from "../../mixins/actions/bounded-list.ts";
import { TimeSlice } from "../../mixins/async/time-slice.ts";
import type { ActionContract } from "../contracts/contract.ts";
import { type EventView, listEvents, listOngoingEvents, MAX_ENTRIES } from "../contracts/calendar-events.contract.ts";
import { listTooLarge } from "../contracts/list-limits.ts";
import type { Occurrence, OccurrencesStartingParams, OnlyOccurrences } from "../contracts/occurrences.contract.ts";
import type { Refusal } from "../contracts/errors.ts";
import type { EpochMs, GuildId } from "../contracts/ids.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import { MAX_ZONE_MOVE_MS } from "./domain/calendar/calendar-clock.ts";
import { type Calendar, calendarByNumber, unwrittenCalendar } from "./domain/calendar/calendar.ts";
import type { ListedEvent } from "./domain/event/event.ts";
import { recurrenceView } from "./domain/recurrence/parse-recurrence.ts";
import { compareEntries } from "./domain/event/list-order.ts";
import { eachOccurrenceStarting, eachOccurrenceOverlapping, type Series } from "./domain/recurrence/occurrences.ts";
import { MAX_OUT_OF_ORDER } from "./domain/recurrence/original-order.ts";
import { hasTimes } from "./domain/recurrence/times-of-day.ts";
import {
  announcedOccurrence,
  type EffectiveOccurrence,
  singleOccurrence,
  occurrenceView,
} from "./domain/event/effective-occurrence.ts";
import { soonestOccurrences, type SoonestOccurrences } from "./domain/event/soonest-occurrences.ts";
import { collectDigests } from "./digest-reads.ts";
import { mergedWindows, type Window } from "../contracts/window.ts";
import { isOngoing, startsIn, type Times, overlaps } from "./domain/event/window.ts";
import type { OnlyEvents } from "./store/event-filters.ts";
import type { EventReads } from "./store/event-reads.store.ts";
import type { EventPage } from "./store/event-rows.ts";
import { effectiveOccurrences } from "./effective-occurrences.ts";
import { startReading } from "./started-pages.ts";

/**
 * Lists the events of a time window. The store finds candidates by the window index; the domain decides what is in
 * the window.
 */
export interface CalendarWindows {
  list(guildId: GuildId, calendarNumber: number, window: Window): Promise<EventView[] | Refusal>;
  listOngoing(guildId: GuildId, calendarNumber: number, now: EpochMs): Promise<EventView[] | Refusal>;
  listStarting(
    params: OccurrencesStartingParams,
    isAllowed: (calendarNumber: number) => Promise<boolean>,
  ): Promise<{ occurrences: Occurrence[]; truncated: boolean }>;
}

/** Size of the cache, in calendars and zone changes. */
const CACHE_SIZE = 20_000;

export function calendarWindows(
  store: CalendarEventsStore,
  calendars: Pick<CalendarsStore, "find" | "list">,
): CalendarWindows {
  /** Calendars, as they were last read. */
  const cache = new LRUCache<string, Calendar>({
    maxSize: CACHE_SIZE,
    sizeCalculation: ({ zoneChanges }) => 1 + zoneChanges.length,
  });

  /**
   * The query of a window depends on the time zones of the calendar. To save a round trip, the service reads calendar
   * and events concurrently and queries with the cached zones. If the calendar has changed since, it queries again.
   */
  async function list(guildId: GuildId, calendarNumber: number, request: ListRequest): Promise<EventView[] | Refusal> {
    const key = `${guildId}/${calendarNumber}`;
    const cached = cache.get(key) ?? unwrittenCalendar(guildId, calendarNumber);
    const reads = store.listReads();
    const found = startReading(reads.eventsOverlapping(guildId, cached, request.window));
    try {
      const [calendar, { pages }] = await Promise.all([calendars.find(guildId, calendarNumber), found]);
      if (calendar.revision === cached.revision) return await collectList(reads, pages, calendar, request);
      cache.set(key, calendar);
      return await collectList(reads, reads.eventsOverlapping(guildId, calendar, request.window), calendar, request);
    } finally {
      void found.then((started) => started.close()).catch(() => undefined);
    }
  }

  return {
    list: (guildId, calendarNumber, window) =>
      list(guildId, calendarNumber, { window, contract: listEvents, isListed: () => true }),

    listOngoing: (guildId, calendarNumber, now) =>
      list(guildId, calendarNumber, {
        window: { from: now, until: now + 1 },
        contract: listOngoingEvents,
        isListed: (times) => isOngoing(times, now),
      }),

    async listStarting({ guildId, windows, limit, texts = true, only = {}, changedSince, digests }, isAllowed) {
      const [written, { numbers, reads }] = await Promise.all([
        calendars.list(guildId),
        store.calendarsInSnapshot(guildId),
      ]);
      const allowed = await allowedNumbers(numbers, isAllowed);
      const found = soonestOccurrences<Occurrence>(
        limit,
        ({ occurrenceId }) => occurrenceId,
        ({ startsAt }) => startsAt,
      );
      const deadline = performance.now() + SEARCH_TIMEOUT_MS;
      const onlyEvents = await eventsNamed(reads, guildId, only);
      const search = {
        guildId,
        calendars: allowed.map((calendarNumber) => calendarByNumber(guildId, written, calendarNumber)),
        limit,
        texts,
        only: onlyEvents,
        changedSince,
        found,
        deadline,
      };
      if (digests !== undefined) {
        await collectDigests(digests, written, { guildId, texts, changedSince }, isAllowed, found);
      }
      for (const window of allowed.length === 0 ? [] : mergedWindows(windows)) {
        await collectStarting(reads, search, window);
        if (found.truncated) break;
      }
      return { occurrences: found.list(), truncated: found.truncated };
    },
  };
}

/** The parameters of a list. */
interface ListRequest {
  readonly window: Window;
  /** Whether an event that overlaps the window is listed. */
  readonly isListed: (times: Times) => boolean;
  /** The action, whose errors name the parameter to narrow. */
  readonly contract: Pick<ActionContract<never, unknown>, "narrowing">;
}

async function collectList(
  reads: EventReads,
  pages: AsyncIterable<EventPage<ListedEvent>>,
  calendar: Calendar,
  { window, isListed, contract }: ListRequest,
): Promise<EventView[] | Refusal> {
  const list = new BoundedList<EventView>();
  const slices = new TimeSlice();
  const ruleBytesOf = ruleBytesBySeries();
  for await (const found of pages) {
    const occurrences = await effectiveOccurrences(found, {
      guildId: calendar.guildId,
      reads,
      eventsOf: (ids) => reads.findAll(calendar.guildId, ids),
      window,
      calendarOf: () => calendar,
      expand: (series, isExcluded) => eachOccurrenceOverlapping(series, window, MAX_ENTRIES + 1, isExcluded),
      isInWindow: (times) => overlaps(times, window),
    });
    slices.begin();
    for (const occurrence of occurrences) {
      if (!isListed(occurrence)) continue;
      const textBytes = leastJsonBytes(Object.values(occurrence.texts as Record<string, string>));
      list.add(occurrenceView(occurrence), textBytes + ruleBytesOf(occurrence.event));
      if (list.exceeded !== undefined) return listTooLarge(contract, list.exceeded);
      if (slices.isOver) await slices.rest();
    }
  }
  return list.entries.sort(compareEntries);
}

/** Returns a function that counts the bytes of a rule. It stores the last result: the occurrences of a series follow each other. */
function ruleBytesBySeries(): (event: ListedEvent) => number {
  let last: ListedEvent | undefined;
  let bytes = 0;
  return (event) => {
    if (event !== last) bytes = ruleBytes(event);
    last = event;
    return bytes;
  };
}

/** The JSON bytes of a rule with an RRULE text; 0 for a simple rule. The names in the response are as long or longer. */
function ruleBytes({ recurring }: ListedEvent): number {
  const view = recurring === undefined ? undefined : recurrenceView(recurring.recurrence);
  return view?.rrule === undefined ? 0 : Buffer.byteLength(JSON.stringify(view));
}

/** A search for the occurrences that start soonest. */
interface Search {
  readonly guildId: GuildId;
  /** The allowed calendars of the guild that have events. */
  readonly calendars: readonly Calendar[];
  readonly limit: number;
  readonly texts: boolean;
  readonly only: OnlyEvents;
  readonly changedSince: EpochMs | undefined;
  readonly found: SoonestOccurrences<Occurrence>;
  /** Time at which the callers give up, on the clock of `performance.now`. */
  readonly deadline: number;
}

/** The events of a selection: a named series, and those that were split from it (D51). */
async function eventsNamed(
  reads: EventReads,
  guildId: GuildId,
  { eventId, ...rest }: OnlyOccurrences,
): Promise<OnlyEvents> {
  if (eventId === undefined) return rest;
  const following = await reads.following(guildId, [eventId]);
  return { ...rest, eventIds: [eventId, ...following.map(({ id }) => id)] };
}

/** Time limit of a search; its callers wait as long (`services/dispatch/adapters/owner-services.ts`). */
export const SEARCH_TIMEOUT_MS = 5_000;

async function collectStarting(reads: EventReads, search: Search, window: Window): Promise<void> {
  const { guildId, calendars, limit, texts, only, changedSince = 0, found, deadline } = search;
  const calendarOf = ({ calendarNumber }: { calendarNumber: number }) =>
    calendarByNumber(guildId, calendars, calendarNumber);
  const add = (occurrence: EffectiveOccurrence) => {
    const announced = announcedOccurrence(occurrence, calendarOf(occurrence.event), texts);
    if (Math.max(announced.scheduledAt, announced.coloredAt) >= changedSince) found.add(announced);
  };
  const options = { texts, only, changedSince: storedChangedSince(search) };
  const slices = new TimeSlice();
  for (const event of await reads.singleEventsStarting(guildId, calendars, window, limit + 1, options)) {
    add(singleOccurrence(event, calendarOf(event)));
  }
  await collectAllDay(reads, search, window, add);
  for await (const some of reads.seriesOverlapping(guildId, calendars, window, options)) {
    const occurrences = await effectiveOccurrences(some, {
      guildId,
      reads,
      eventsOf: (ids) => reads.findAll(guildId, ids),
      window,
      calendarOf,
      expand: (series, isExcluded) =>
        eachOccurrenceStarting(series, windowUpTo(window, found.horizon), limitFor(series, limit), isExcluded),
      isInWindow: (times) => startsIn(times, window),
    });
    slices.begin();
    for (const occurrence of occurrences) {
      if (only.color === undefined || only.color === occurrence.color) add(occurrence);
      if (slices.isOver) await slices.rest();
      if (performance.now() > deadline) throw new OperationTimeout(`occurrences that start in guild ${guildId}`);
    }
  }
}

/** One more occurrence than the limit shows that there are more. Those of one day may start out of order. */
export function limitFor({ recurrence }: Series, limit: number): number {
  return limit + 1 + (hasTimes(recurrence) ? MAX_OUT_OF_ORDER : 0);
}

/** Adds the all-day events that do not recur. Their stored starts are ordered but may be those of an earlier zone. */
async function collectAllDay(
  reads: EventReads,
  { guildId, calendars, texts, only, changedSince, found }: Search,
  window: Window,
  add: (occurrence: EffectiveOccurrence) => void,
): Promise<void> {
  const stored = { from: window.from - MAX_ZONE_MOVE_MS, until: window.until + MAX_ZONE_MOVE_MS };
  const options = { texts, only, changedSince: storedChangedSince({ calendars, changedSince }) };
  for await (const events of reads.allDayStarting(guildId, calendars, stored, options)) {
    for (const event of events) {
      if (event.startsAt - MAX_ZONE_MOVE_MS > found.horizon) return;
      const single = singleOccurrence(event, calendarByNumber(guildId, calendars, event.calendarNumber));
      if (startsIn(single, window)) add(single);
    }
  }
}

/**
 * The instant since which an event must have changed to be read. Undefined if a calendar has a new zone since, which
 * moves events without a write of their own.
 */
export function storedChangedSince({
  calendars,
  changedSince,
}: Pick<Search, "calendars" | "changedSince">): EpochMs | undefined {
  if (changedSince === undefined) return undefined;
  const hasNewZone = calendars.some(({ zoneChanges }) => zoneChanges.some(({ since }) => since >= changedSince));
  return hasNewZone ? undefined : changedSince;
}

/** Cuts the window so that it ends after `last`. */
function windowUpTo({ from, until }: Window, last: EpochMs): Window {
  return { from, until: Math.min(until, last + 1) };
}

/** The numbers of those calendars that the guild may have (D20). */
export async function allowedNumbers(
  numbers: readonly number[],
  isAllowed: (calendarNumber: number) => Promise<boolean>,
): Promise<number[]> {
  const allowed = await Promise.all(numbers.map(isAllowed));
  return numbers.filter((_, at) => allowed[at]);
}
