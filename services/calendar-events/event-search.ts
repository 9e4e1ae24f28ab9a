import { pageCursors } from "../../mixins/actions/page-cursor.ts";
import { PageEntries } from "../../mixins/actions/page-entries.ts";
import { TimeSlice } from "../../mixins/async/time-slice.ts";
import type { EventView } from "../contracts/calendar-events.contract.ts";
import type { SearchEventsParams } from "../contracts/event-pages.contract.ts";
import { isRefusal, type Refusal } from "../contracts/errors.ts";
import { type EventId, LAST_EPOCH_MS } from "../contracts/ids.ts";
import type { Page } from "../contracts/pages.ts";
import type { Window } from "../contracts/window.ts";
import type { Calendar } from "./domain/calendar/calendar.ts";
import { type EffectiveOccurrence, occurrenceView, singleOccurrence } from "./domain/event/effective-occurrence.ts";
import { eventView, type ListedEvent } from "./domain/event/event.ts";
import type { Override } from "./domain/event/override.ts";
import { textMatch } from "./domain/event/search-text.ts";
import { overlaps } from "./domain/event/window.ts";
import { eachOccurrenceOverlapping } from "./domain/recurrence/occurrences.ts";
import { effectiveOccurrenceAt, effectiveOccurrences } from "./effective-occurrences.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import type { EventReads } from "./store/event-reads.store.ts";
import type { EventOrOverride } from "./store/event-rows.ts";

/** Searches a calendar page by page, in the order of ids (D49, README "How a search reads"). */
export type EventSearch = (params: SearchEventsParams) => Promise<Page<EventView> | Refusal>;

/** A page begins after this id. */
type Position = readonly [id: string];

const cursors = pageCursors<Position>("search", [""]);

export interface SearchLimits {
  /** Rows in one read: at most 2 MB, since a row with the longest texts has 20 kB. */
  readonly rowsAtOnce: number;
  /** Rows of one page, after which it ends, also without an entry. */
  readonly rowsPerPage: number;
  /** Milliseconds after which a page ends. */
  readonly pageTimeMs: number;
}

const LIMITS: SearchLimits = { rowsAtOnce: 100, rowsPerPage: 5_000, pageTimeMs: 500 };

export function eventSearch(
  store: CalendarEventsStore,
  calendars: CalendarsStore,
  { rowsAtOnce, rowsPerPage, pageTimeMs }: SearchLimits = LIMITS,
): EventSearch {
  return async (params) => {
    const { guildId, calendarNumber, limit } = params;
    const position = cursors.read(params.cursor);
    if (isRefusal(position)) return position;
    const end = performance.now() + pageTimeMs;
    const reads = store.snapshotReads();
    const search = searchOf(params, await calendars.find(guildId, calendarNumber), reads);
    const page = new PageEntries<EventView>(limit);
    const slices = new TimeSlice();
    let [after] = position ?? [""];
    let rowsLeft = rowsPerPage;
    do {
      const rows = await reads.inIdOrder(guildId, calendarNumber, after, rowsAtOnce);
      const seriesById = await search.seriesOf(rows);
      slices.begin();
      for (const row of rows) {
        const entry = await search.entryOf(row, seriesById);
        if (entry !== undefined && !page.add(entry)) return { entries: page.entries, next: cursors.write([after]) };
        after = row.id;
        if (slices.isOver) await slices.rest();
      }
      if (rows.length < rowsAtOnce) return { entries: page.entries };
      rowsLeft -= rows.length;
    } while (rowsLeft > 0 && performance.now() < end);
    return { entries: page.entries, next: cursors.write([after]) };
  };
}

type SeriesById = ReadonlyMap<EventId, ListedEvent>;

/** The conditions of a search. */
function searchOf({ text, color, from, until }: SearchEventsParams, calendar: Calendar, reads: EventReads) {
  const { guildId } = calendar;
  const matchesText = text === undefined ? () => true : textMatch(text);
  const window: Window | undefined =
    from === undefined && until === undefined ? undefined : { from: from ?? 0, until: until ?? LAST_EPOCH_MS + 1 };

  const isFound = ({ texts, ...occurrence }: Pick<EffectiveOccurrence<ListedEvent>, "texts" | "color">) =>
    (color === undefined || color === occurrence.color) && matchesText(texts);

  /** Whether an occurrence of the series, with its overrides, overlaps the window. */
  async function occursIn(event: ListedEvent, inWindow: Window): Promise<boolean> {
    const moved =
      event.recurring?.hasOverrides === true ? await reads.movedOverlapping(guildId, [event.id], inWindow) : [];
    const occurrences = await effectiveOccurrences(
      { events: [event], moved },
      {
        guildId,
        reads,
        eventsOf: (ids) => reads.findAll(guildId, ids),
        window: inWindow,
        calendarOf: () => calendar,
        expand: (series, isExcluded) => eachOccurrenceOverlapping(series, inWindow, 1, isExcluded),
        isInWindow: (times) => overlaps(times, inWindow),
      },
    );
    const [first] = occurrences;
    return first !== undefined;
  }

  async function eventEntry(event: ListedEvent): Promise<EventView | undefined> {
    if (!isFound(singleOccurrence(event, calendar))) return undefined;
    if (window !== undefined && !(await occursIn(event, window))) return undefined;
    return eventView(event, calendar);
  }

  function overrideEntry(override: Override, series: ListedEvent | undefined): EventView | undefined {
    if (series === undefined || !hasOwnContent(override)) return undefined;
    const occurrence = effectiveOccurrenceAt(series, override.original, override, calendar);
    if (occurrence === undefined || !isFound(occurrence)) return undefined;
    return window === undefined || overlaps(occurrence, window) ? occurrenceView(occurrence) : undefined;
  }

  return {
    /** The series of the overrides in the rows. Overrides follow their series, so that at most one series is in earlier rows. */
    async seriesOf(rows: readonly EventOrOverride[]): Promise<SeriesById> {
      const known = new Map<EventId, ListedEvent>();
      for (const { event } of rows) if (event !== undefined) known.set(event.id, event);
      const wanted = new Set(rows.flatMap(({ override }) => (override === undefined ? [] : [override.eventId])));
      const missing = [...wanted].filter((id) => !known.has(id));
      if (missing.length > 0) for (const event of await reads.findAll(guildId, missing)) known.set(event.id, event);
      return known;
    },

    /** The entry of a row; undefined if the row does not match. */
    async entryOf({ event, override }: EventOrOverride, seriesById: SeriesById): Promise<EventView | undefined> {
      if (event !== undefined) return eventEntry(event);
      return override === undefined ? undefined : overrideEntry(override, seriesById.get(override.eventId));
    },
  };
}

/** Whether the override changes texts or the color, and not only the times. */
function hasOwnContent({ cancelled, texts, color }: Override): boolean {
  return !cancelled && (color !== undefined || Object.keys(texts).length > 0);
}
