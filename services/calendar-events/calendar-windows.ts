import { askedTogether } from "../../mixins/asked-together.ts";
import { BoundedList, jsonBytes } from "../../mixins/bounded-list.ts";
import { Slices } from "../../mixins/slices.ts";
import type { ActionContract } from "../contracts/contract.ts";
import { type EventView, listEvents, listOngoingEvents, MOST_ENTRIES } from "../contracts/calendar-events.contract.ts";
import { listTooLarge } from "../contracts/list-limits.ts";
import type { Occurrence, OccurrencesStartingParams } from "../contracts/occurrences.contract.ts";
import type { Refusal } from "../contracts/errors.ts";
import type { EpochMs, GuildId } from "../contracts/ids.ts";
import type { CalendarEventsStore } from "./calendar-events.store.ts";
import type { CalendarsStore } from "./calendars.store.ts";
import { type Calendar, unwrittenCalendar } from "./domain/calendar.ts";
import type { ShownEvent } from "./domain/event.ts";
import { inOrder } from "./domain/listing.ts";
import { eachOccurrenceTouching, occurrencesStarting } from "./domain/occurrences.ts";
import { announcedOccurrence, type Placed, placedSingle, placedView } from "./domain/placed.ts";
import { soonest, type Soonest } from "./domain/soonest.ts";
import { isOngoing, mergedWindows, startsIn, type Times, touches, type Window } from "./domain/window.ts";
import type { EventReads } from "./event-reads.store.ts";
import { placedEvents } from "./placed-events.ts";
import { isSingles } from "./window-query.ts";

/** Reads windows of calendars: the store finds what is near, the domain says what is in. */
export interface CalendarWindows {
  list(guildId: GuildId, calendarNumber: number, window: Window): Promise<EventView[] | Refusal>;
  listOngoing(guildId: GuildId, calendarNumber: number, now: EpochMs): Promise<EventView[] | Refusal>;
  listStarting(
    params: OccurrencesStartingParams,
    isOpen: (calendarNumber: number) => Promise<boolean>,
  ): Promise<{ occurrences: Occurrence[]; truncated: boolean }>;
}

export function calendarWindows(store: CalendarEventsStore, calendars: CalendarsStore): CalendarWindows {
  const calendarNow = askedTogether((guildId: GuildId, calendarNumber: number) =>
    Promise.all([calendars.find(guildId, calendarNumber), store.lanesNow(guildId, calendarNumber)]),
  );

  async function list(guildId: GuildId, calendarNumber: number, wanted: Wanted): Promise<EventView[] | Refusal> {
    const [calendar, { lanes, reads }] = await calendarNow(guildId, calendarNumber);
    return listed(reads, guildId, calendar, lanes, wanted);
  }

  return {
    list: (guildId, calendarNumber, window) =>
      list(guildId, calendarNumber, { window, contract: listEvents, belongs: () => true }),

    listOngoing: (guildId, calendarNumber, now) =>
      list(guildId, calendarNumber, {
        window: { from: now, until: now + 1 },
        contract: listOngoingEvents,
        belongs: (times) => isOngoing(times, now),
      }),

    async listStarting({ guildId, windows, limit, texts = true }, isOpen) {
      const [written, { lanes: all, reads }] = await Promise.all([calendars.list(guildId), store.lanesNow(guildId)]);
      const search = { guildId, written, lanes: await openLanes(all, isOpen), limit, texts, found: soonest(limit) };
      for (const window of mergedWindows(windows)) {
        await collectStarting(reads, search, window);
        if (search.found.truncated) break;
      }
      return { occurrences: search.found.list(), truncated: search.found.truncated };
    },
  };
}

/** What is to be listed. */
interface Wanted {
  readonly window: Window;
  /** Whether what touches the window is listed. */
  readonly belongs: (times: Times) => boolean;
  /** The action whose answer it is. */
  readonly contract: Pick<ActionContract<never, unknown>, "narrowing">;
}

async function listed(
  reads: EventReads,
  guildId: GuildId,
  calendar: Calendar,
  lanes: readonly string[],
  { window, belongs, contract }: Wanted,
): Promise<EventView[] | Refusal> {
  const list = new BoundedList<EventView>();
  const slices = new Slices();
  const bytesOf = textBytes();
  for await (const found of reads.shownTouching(guildId, lanes, window, [calendar])) {
    const placed = await placedEvents(found, {
      reads,
      eventsOf: (ids) => reads.findAll(ids),
      window,
      calendarOf: () => calendar,
      expand: (series, isElsewhere) => eachOccurrenceTouching(series, window, MOST_ENTRIES + 1, isElsewhere),
      belongs: (times) => touches(times, window),
    });
    slices.begin();
    for (const one of placed) {
      if (!belongs(one)) continue;
      list.add(placedView(one), bytesOf(one));
      if (list.exceeded !== undefined) return listTooLarge(contract, list.exceeded);
      if (slices.isOver) await slices.rest();
    }
  }
  return list.entries.sort(inOrder);
}

/** Counts the bytes of texts; the occurrences of a series have the same ones, where nothing was changed by hand. */
function textBytes(): (placed: Placed<ShownEvent>) => number {
  const known = new WeakMap<ShownEvent, number>();
  return ({ event, override, texts }) => {
    const before = override === undefined ? known.get(event) : undefined;
    if (before !== undefined) return before;
    const bytes = jsonBytes(...Object.values(texts as Record<string, string>));
    if (override === undefined) known.set(event, bytes);
    return bytes;
  };
}

/** A search for what starts soonest. */
interface Search {
  readonly guildId: GuildId;
  readonly lanes: readonly string[];
  readonly limit: number;
  readonly texts: boolean;
  /** The guild's calendars that were written. */
  readonly written: readonly Calendar[];
  readonly found: Soonest;
}

async function collectStarting(reads: EventReads, search: Search, window: Window): Promise<void> {
  const { guildId, lanes, limit, texts, written, found } = search;
  const add = (placed: Placed) => {
    const occurrence = announcedOccurrence(placed, calendarOf(placed.event));
    found.add(texts ? occurrence : withoutTexts(occurrence));
  };
  const calendarOf = ({ calendarNumber }: { calendarNumber: number }) =>
    written.find((calendar) => calendar.calendarNumber === calendarNumber) ??
    unwrittenCalendar(guildId, calendarNumber);
  for (const event of await reads.singlesStarting(guildId, lanes, window, limit + 1, texts)) {
    add(placedSingle(event));
  }
  const recurring = lanes.filter((lane) => !isSingles(lane));
  const calendars = numbersOf(recurring).map((calendarNumber) => calendarOf({ calendarNumber }));
  for await (const some of reads.touching(guildId, recurring, window, calendars, texts)) {
    const placed = await placedEvents(some, {
      reads,
      eventsOf: (ids) => reads.findAll(ids),
      window,
      calendarOf,
      expand: (series, isElsewhere) => occurrencesStarting(series, upTo(window, found.horizon), limit + 1, isElsewhere),
      belongs: (times) => startsIn(times, window),
    });
    for (const one of placed) add(one);
  }
}

/** An occurrence that was changed by hand may have texts of its own. */
function withoutTexts({ name: _n, description: _d, location: _l, image: _i, ...occurrence }: Occurrence): Occurrence {
  return occurrence;
}

/** The window without what starts later than `last`. */
function upTo({ from, until }: Window, last: EpochMs): Window {
  return { from, until: Math.min(until, last + 1) };
}

/** The numbers of the calendars that lanes belong to. */
function numbersOf(lanes: readonly string[]): number[] {
  return [...new Set(lanes.map((lane) => Number.parseInt(lane, 10)))];
}

/** The lanes of the calendars that the guild may have now (D20). */
async function openLanes(
  lanes: readonly string[],
  isOpen: (calendarNumber: number) => Promise<boolean>,
): Promise<string[]> {
  const numbers = numbersOf(lanes);
  const open = await Promise.all(numbers.map(isOpen));
  const allowed = new Set(numbers.filter((_, at) => open[at]));
  return lanes.filter((lane) => allowed.has(Number.parseInt(lane, 10)));
}
