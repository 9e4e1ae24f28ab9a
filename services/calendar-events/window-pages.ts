import { firstPage } from "../../mixins/actions/page-entries.ts";
import { comparePositions, pageCursors } from "../../mixins/actions/page-cursor.ts";
import { TimeSlice } from "../../mixins/async/time-slice.ts";
import { definedFields } from "../../mixins/objects/defined-fields.ts";
import type { Color, EventView } from "../contracts/calendar-events.contract.ts";
import { isRefusal, type Refusal } from "../contracts/errors.ts";
import type { EpochMs, GuildId } from "../contracts/ids.ts";
import { DEFAULT_PAGE_ENTRIES, type Page, type PageParams } from "../contracts/pages.ts";
import type { Window } from "../contracts/window.ts";
import type { Calendar } from "./domain/calendar/calendar.ts";
import { MAX_ZONE_MOVE_MS } from "./domain/calendar/calendar-clock.ts";
import { type EffectiveOccurrence, idOf, occurrenceView } from "./domain/event/effective-occurrence.ts";
import { type ListedEvent, textsOf } from "./domain/event/event.ts";
import { soonestOccurrences, type SoonestOccurrences } from "./domain/event/soonest-occurrences.ts";
import { isOngoing, overlaps, type Times } from "./domain/event/window.ts";
import { eachOccurrenceStarting, longestDuration, type Series } from "./domain/recurrence/occurrences.ts";
import { MAX_OUT_OF_ORDER } from "./domain/recurrence/original-order.ts";
import { effectiveOccurrences } from "./effective-occurrences.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import type { EventReads } from "./store/event-reads.store.ts";

/** Lists the events of a time window in pages (D49, README "How a page of a window is read"). */
export interface WindowPages {
  /** With a color, only the events that have it. */
  page(of: OfCalendar, window: Window, params: PageParams, color?: Color): Promise<Page<EventView> | Refusal>;
  ongoingPage(of: OfCalendar, now: EpochMs, params: PageParams): Promise<Page<EventView> | Refusal>;
}

interface OfCalendar {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
}

type Listed = EffectiveOccurrence<ListedEvent>;

/** The order of a list (D17): a page begins after this start and id. */
type Position = readonly [startsAt: EpochMs, id: string];

const cursors = pageCursors<Position>("events", [0, ""]);

const HOUR_MS = 3_600_000;
/** Each part of a window is longer than the one before: a full calendar has few events in a part, an empty one few parts. */
const FIRST_PART_MS = HOUR_MS;
const GROWTH = 16;
/** After this time no further part is read, and the page ends with the last one. */
const PAGE_TIME_MS = 1_000;
/** Events whose texts are read at once: with the longest ones, 1 MB. */
const TEXTS_AT_ONCE = 50;

export function windowPages(
  store: Pick<CalendarEventsStore, "snapshotReads">,
  calendars: Pick<CalendarsStore, "find">,
  pageTimeMs = PAGE_TIME_MS,
): WindowPages {
  async function page(
    { guildId, calendarNumber }: OfCalendar,
    { limit = DEFAULT_PAGE_ENTRIES, cursor }: PageParams,
    { window, color, isListed }: Pick<Search, "window" | "color" | "isListed">,
  ): Promise<Page<EventView> | Refusal> {
    const position = cursors.read(cursor);
    if (isRefusal(position)) return position;
    const calendar = await calendars.find(guildId, calendarNumber);
    const reads = store.snapshotReads();
    const ofGuild = { reads, guildId };
    const found = soonestOccurrences<Listed>(limit + 1, idOf, ({ startsAt }) => startsAt);
    const search = { reads, calendar, window, color, isListed, position, limit, found };
    const end = performance.now() + pageTimeMs;
    for await (const part of partsOf(search)) {
      await collectPart(search, part);
      if (found.list().length > limit) break;
      if (part.until < window.until && performance.now() >= end) {
        const next = cursors.write([part.until, ""]);
        return { next, ...(await pageOf(ofGuild, found.list(), limit)) };
      }
    }
    return pageOf(ofGuild, found.list(), limit);
  }

  return {
    page: (of, window, params, color) =>
      page(of, params, {
        window,
        color,
        isListed: (occurrence) => color === undefined || occurrence.color === color,
      }),
    ongoingPage: (of, now, params) =>
      page(of, params, {
        window: { from: now, until: now + 1 },
        color: undefined,
        isListed: (times) => isOngoing(times, now),
      }),
  };
}

/** The reads of the events of one guild. */
interface GuildReads {
  readonly reads: EventReads;
  readonly guildId: GuildId;
}

interface Search {
  readonly reads: EventReads;
  readonly calendar: Calendar;
  readonly window: Window;
  /** Color of the events that are read; undefined for all. */
  readonly color: Color | undefined;
  /** Whether an occurrence that overlaps the window is listed. */
  readonly isListed: (occurrence: Times & Pick<Listed, "color">) => boolean;
  /** The page begins after it; undefined for the first page. */
  readonly position: Position | undefined;
  readonly limit: number;
  readonly found: SoonestOccurrences<Listed>;
}

/** A part of the window. Its entries start in it. Entries that overlap the beginning of the window belong to the first part. */
interface Part extends Window {
  readonly isFirst: boolean;
}

/** The parts of the window after the position. If the first part has no event, the next one begins at the earliest event. */
async function* partsOf({ reads, calendar, window, position, found }: Search): AsyncIterable<Part> {
  const [startsAt] = position ?? [-Infinity];
  let part = { from: Math.max(window.from, startsAt), until: 0, isFirst: startsAt < window.from };
  for (let lengthMs = FIRST_PART_MS; part.from < window.until; lengthMs *= GROWTH) {
    part.until = Math.min(window.until, part.from + lengthMs);
    yield part;
    let from = part.until;
    if (lengthMs === FIRST_PART_MS && found.list().length === 0 && from < window.until) {
      const earliest = await reads.earliestStart(calendar.guildId, calendar.calendarNumber);
      if (earliest === undefined) return;
      from = Math.max(from, earliest - MAX_ZONE_MOVE_MS);
    }
    part = { from, until: 0, isFirst: false };
  }
}

async function collectPart(search: Search, part: Part): Promise<void> {
  const { reads, calendar, window, color, isListed, found } = search;
  const slices = new TimeSlice();
  const options = { texts: false, ...definedFields({ color }) };
  for await (const events of reads.eventsOverlapping(calendar.guildId, calendar, part, options)) {
    const occurrences = await effectiveOccurrences(events, {
      guildId: calendar.guildId,
      reads,
      eventsOf: (ids) => reads.findAll(calendar.guildId, ids),
      window: part,
      calendarOf: () => calendar,
      expand: (series, isExcluded) =>
        eachOccurrenceStarting(series, startsOf(series, search, part), search.limit + MAX_OUT_OF_ORDER, isExcluded),
      isInWindow: (times) => overlaps(times, part),
    });
    slices.begin();
    for (const occurrence of occurrences) {
      const isInPart = part.isFirst ? overlaps(occurrence, window) : occurrence.startsAt >= part.from;
      if (isInPart && isListed(occurrence) && isBehind(occurrence, search.position)) found.add(occurrence);
      if (slices.isOver) await slices.rest();
    }
  }
}

/** The starts of the occurrences of a series that are entries of the part, and that may be in the page. */
function startsOf(series: Series, { window, position, found }: Search, part: Part): Window {
  const [after] = position ?? [-Infinity];
  const first = part.isFirst ? window.from - Math.max(longestDuration(series), 1) + 1 : part.from;
  return { from: Math.max(first, after), until: Math.min(part.until, found.horizon + 1) };
}

function isBehind(occurrence: Listed, position: Position | undefined): boolean {
  if (position === undefined) return true;
  return comparePositions([occurrence.startsAt, idOf(occurrence)], position) > 0;
}

/** The page of the occurrences, which have no texts yet. */
function pageOf(reads: GuildReads, occurrences: readonly Listed[], limit: number): Promise<Page<EventView>> {
  return firstPage(viewsOf(reads, occurrences), limit, ({ startsAt, eventId }) => cursors.write([startsAt, eventId]));
}

async function* viewsOf({ reads, guildId }: GuildReads, occurrences: readonly Listed[]): AsyncIterable<EventView> {
  for (let at = 0; at < occurrences.length; at += TEXTS_AT_ONCE) {
    const some = occurrences.slice(at, at + TEXTS_AT_ONCE);
    const texts = await reads.textsOf(guildId, [...new Set(some.flatMap((each) => [each.event.id, idOf(each)]))]);
    for (const occurrence of some) {
      const own = occurrence.override === undefined ? undefined : texts.get(idOf(occurrence));
      yield occurrenceView({ ...occurrence, texts: textsOf({ ...texts.get(occurrence.event.id), ...own }) });
    }
  }
}
