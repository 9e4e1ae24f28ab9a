import { LRUCache } from "lru-cache";
import { OperationTimeout } from "../../mixins/async/timeout.ts";
import { BoundedList, jsonBytes } from "../../mixins/actions/bounded-list.ts";
import { TimeSlice } from "../../mixins/async/time-slice.ts";
import type { ActionContract } from "../contracts/contract.ts";
import {
  type EventText,
  type EventView,
  listEvents,
  listOngoingEvents,
  MAX_ENTRIES,
} from "../contracts/calendar-events.contract.ts";
import { listTooLarge } from "../contracts/list-limits.ts";
import type { Occurrence, OccurrencesStartingParams, OnlyOccurrences } from "../contracts/occurrences.contract.ts";
import type { Refusal } from "../contracts/errors.ts";
import type { EpochMs, GuildId } from "../contracts/ids.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import { type Calendar, unwrittenCalendar } from "./domain/calendar/calendar.ts";
import type { ListedEvent } from "./domain/event/event.ts";
import { recurrenceView } from "./domain/recurrence/parse-recurrence.ts";
import { compareEntries } from "./domain/event/list-order.ts";
import { eachOccurrenceStarting, eachOccurrenceOverlapping } from "./domain/recurrence/occurrences.ts";
import {
  announcedOccurrence,
  type EffectiveOccurrence,
  singleOccurrence,
  occurrenceView,
} from "./domain/event/effective-occurrence.ts";
import { soonestOccurrences, type SoonestOccurrences } from "./domain/event/soonest-occurrences.ts";
import { isOngoing, mergedWindows, startsIn, type Times, overlaps, type Window } from "./domain/event/window.ts";
import type { EventReads, EventPage } from "./store/event-reads.store.ts";
import { effectiveOccurrences } from "./effective-occurrences.ts";

/** Reads windows of calendars: the store finds what is near, the domain says what is in. */
export interface CalendarWindows {
  list(guildId: GuildId, calendarNumber: number, window: Window): Promise<EventView[] | Refusal>;
  listOngoing(guildId: GuildId, calendarNumber: number, now: EpochMs): Promise<EventView[] | Refusal>;
  listStarting(
    params: OccurrencesStartingParams,
    isAllowed: (calendarNumber: number) => Promise<boolean>,
  ): Promise<{ occurrences: Occurrence[]; truncated: boolean }>;
}

/** Changes of zones that are remembered, and calendars. */
const CACHE_SIZE = 20_000;

export function calendarWindows(store: CalendarEventsStore, calendars: CalendarsStore): CalendarWindows {
  /** As they were when they were last read. */
  const cache = new LRUCache<string, Calendar>({
    maxSize: CACHE_SIZE,
    sizeCalculation: ({ zoneChanges }) => 1 + zoneChanges.length,
  });

  /**
   * The query of a window depends on the calendar's zones. The service reads them at the same time, and queries by the zones
   * that it remembers; where the calendar has changed since, it queries again.
   */
  async function list(guildId: GuildId, calendarNumber: number, request: ListRequest): Promise<EventView[] | Refusal> {
    const name = `${guildId}/${calendarNumber}`;
    const before = cache.get(name) ?? unwrittenCalendar(guildId, calendarNumber);
    const reads = store.snapshotReads();
    const found = startReading(reads.eventsOverlapping(guildId, before, request.window));
    try {
      const [calendar, { pages }] = await Promise.all([calendars.find(guildId, calendarNumber), found]);
      if (calendar.revision === before.revision) return await collectList(reads, pages, calendar, request);
      cache.set(name, calendar);
      return await collectList(reads, reads.eventsOverlapping(guildId, calendar, request.window), calendar, request);
    } finally {
      void found.then((pagesBegun) => pagesBegun.end()).catch(() => undefined);
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

    async listStarting({ guildId, windows, limit, texts = true, only = {}, changedSince }, isAllowed) {
      const [written, { numbers, reads }] = await Promise.all([
        calendars.list(guildId),
        store.calendarsInSnapshot(guildId),
      ]);
      const open = await allowedNumbers(numbers, isAllowed);
      const found = soonestOccurrences(limit);
      const deadline = performance.now() + SEARCH_MS;
      const search = {
        guildId,
        calendars: open.map(calendarLookup(guildId, written)),
        limit,
        texts,
        only,
        changedSince,
        found,
        deadline,
      };
      for (const window of open.length === 0 ? [] : mergedWindows(windows)) {
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
  /** Whether what touches the window is listed. */
  readonly isListed: (times: Times) => boolean;
  /** The action whose answer it is. */
  readonly contract: Pick<ActionContract<never, unknown>, "narrowing">;
}

/** Pages of which the first is read; the others follow as they are taken. */
interface StartedPages<Item> {
  readonly pages: AsyncIterable<Item>;
  /** Lets go of what was not taken. */
  end(): Promise<unknown>;
}

async function startReading<Item>(pages: AsyncIterable<Item>): Promise<StartedPages<Item>> {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all(): AsyncIterable<Item> {
    if (first.done === true) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { pages: all(), end: async () => iterator.return?.() };
}

async function collectList(
  reads: EventReads,
  pages: AsyncIterable<EventPage<ListedEvent>>,
  calendar: Calendar,
  { window, isListed, contract }: ListRequest,
): Promise<EventView[] | Refusal> {
  const list = new BoundedList<EventView>();
  const slices = new TimeSlice();
  const bytesOf = variableBytes();
  for await (const found of pages) {
    const placed = await effectiveOccurrences(found, {
      reads,
      eventsOf: (ids) => reads.findAll(ids),
      window,
      calendarOf: () => calendar,
      expand: (series, isExcluded) => eachOccurrenceOverlapping(series, window, MAX_ENTRIES + 1, isExcluded),
      isInWindow: (times) => overlaps(times, window),
    });
    slices.begin();
    for (const one of placed) {
      if (!isListed(one)) continue;
      list.add(occurrenceView(one), bytesOf(one));
      if (list.exceeded !== undefined) return listTooLarge(contract, list.exceeded);
      if (slices.isOver) await slices.rest();
    }
  }
  return list.entries.sort(compareEntries);
}

/**
 * Counts the bytes of an entry that its owner chooses: texts, and a rule that has more than a simple one. The occurrences of
 * a series have the same ones, where nothing was changed by hand.
 */
function variableBytes(): (placed: EffectiveOccurrence<ListedEvent>) => number {
  const known = new WeakMap<ListedEvent, number>();
  return ({ event, override, texts }) => {
    const before = override === undefined ? known.get(event) : undefined;
    if (before !== undefined) return before;
    const bytes = jsonBytes(...Object.values(texts as Record<string, string>)) + ruleBytes(event);
    if (override === undefined) known.set(event, bytes);
    return bytes;
  };
}

/** The names of its members are as long in the answer, or longer. */
function ruleBytes({ recurring }: ListedEvent): number {
  const view = recurring === undefined ? undefined : recurrenceView(recurring.recurrence);
  return view?.rrule === undefined ? 0 : Buffer.byteLength(JSON.stringify(view));
}

/** A search for what starts soonest. */
interface Search {
  readonly guildId: GuildId;
  /** Those of the guild that it may have now and that hold anything. */
  readonly calendars: readonly Calendar[];
  readonly limit: number;
  readonly texts: boolean;
  readonly only: OnlyOccurrences;
  readonly changedSince: EpochMs | undefined;
  readonly found: SoonestOccurrences;
  /** By the clock of `performance.now`: nobody waits for the answer after that. */
  readonly deadline: number;
}

/** The service gives a search up after this time, as its callers do (`owners-on-the-bus.ts`). */
const SEARCH_MS = 5_000;

async function collectStarting(reads: EventReads, search: Search, window: Window): Promise<void> {
  const { guildId, calendars, limit, texts, only, changedSince = 0, found, deadline } = search;
  const calendarOf = ({ calendarNumber }: { calendarNumber: number }) =>
    calendarLookup(guildId, calendars)(calendarNumber);
  const add = (placed: EffectiveOccurrence) => {
    const occurrence = announcedOccurrence(placed, calendarOf(placed.event));
    if (Math.max(occurrence.scheduledAt, occurrence.coloredAt) < changedSince) return;
    found.add(texts ? occurrence : withoutTexts(occurrence));
  };
  const options = { texts, only, changedSince: storedChangedSince(search) };
  const slices = new TimeSlice();
  for (const event of await reads.singleEventsStarting(guildId, calendars, window, limit + 1, options)) {
    add(singleOccurrence(event));
  }
  for await (const some of reads.seriesOverlapping(guildId, calendars, window, options)) {
    const placed = await effectiveOccurrences(some, {
      reads,
      eventsOf: (ids) => reads.findAll(ids),
      window,
      calendarOf,
      expand: (series, isExcluded) =>
        eachOccurrenceStarting(series, windowUpTo(window, found.horizon), limit + 1, isExcluded),
      isInWindow: (times) => startsIn(times, window),
    });
    slices.begin();
    for (const one of placed) {
      if (only.color === undefined || only.color === one.color) add(one);
      if (slices.isOver) await slices.rest();
      if (performance.now() > deadline) throw new OperationTimeout(`occurrences that start in guild ${guildId}`);
    }
  }
}

/** Since when an event has to be stored to have changed since; undefined where a calendar's new zone has moved others, too. */
function storedChangedSince({ calendars, changedSince }: Search): EpochMs | undefined {
  if (changedSince === undefined) return undefined;
  const hasNewZone = calendars.some(({ zoneChanges }) => zoneChanges.some(({ since }) => since >= changedSince));
  return hasNewZone ? undefined : changedSince;
}

/** An occurrence that was changed by hand may have texts of its own. */
function withoutTexts({ name: _n, description: _d, location: _l, image: _i, ...occurrence }: Occurrence) {
  return occurrence satisfies Pick<Occurrence, "eventId"> & { readonly [Text in EventText]?: never };
}

/** The window without what starts later than `last`. */
function windowUpTo({ from, until }: Window, last: EpochMs): Window {
  return { from, until: Math.min(until, last + 1) };
}

/** The guild's calendar of a number, as it was written or never was. */
function calendarLookup(guildId: GuildId, written: readonly Calendar[]): (calendarNumber: number) => Calendar {
  return (calendarNumber) =>
    written.find((calendar) => calendar.calendarNumber === calendarNumber) ??
    unwrittenCalendar(guildId, calendarNumber);
}

/** The numbers of the calendars that the guild may have now (D20). */
async function allowedNumbers(
  numbers: readonly number[],
  isAllowed: (calendarNumber: number) => Promise<boolean>,
): Promise<number[]> {
  const open = await Promise.all(numbers.map(isAllowed));
  return numbers.filter((_, at) => open[at]);
}
