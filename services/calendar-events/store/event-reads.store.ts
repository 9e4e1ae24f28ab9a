import type { Model } from "mongoose";
import { type SnapshotTime, findRows, type FindCommand, streamPages } from "../../../mixins/mongo/find-command.ts";
import { findRowsInSnapshot } from "../../../mixins/mongo/snapshot-reads.ts";
import type { EpochMs, EventId, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import type { EventTexts } from "../../contracts/calendar-events.contract.ts";
import { type ChangeStampReads, changeStampReads } from "./change-stamps.store.ts";
import {
  ALL_DAY_INDEX,
  type AnyRow,
  eventOf,
  FOLLOWS_INDEX,
  SEARCH_PROJECTION,
  isOverrideRow,
  OVERRIDES_INDEX,
  type OverrideRow,
  overrideOf,
  type Row,
  ID_INDEX,
  UID_INDEX,
  LIST_PROJECTION,
  listedEventOf,
  READ_PROJECTION,
} from "./calendar-event.document.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import type { ListedEvent, StoredEvent } from "../domain/event/event.ts";
import type { Override } from "../domain/event/override.ts";
import type { Window } from "../../contracts/window.ts";
import { ENTRIES_INDEX, START_INDEX } from "../window-index/entries.ts";
import { inCalendars, windowQuery, seriesQuery } from "../window-index/query.ts";
import {
  type EventOrOverride,
  type EventPage,
  ONLY_TEXTS,
  partitionRows,
  projectionOf,
  type RowMapping,
  WITHOUT_TEXTS,
} from "./event-rows.ts";
import { BY_ID, ofGuild, rowReader } from "./rows-by-id.store.ts";
import {
  allOf,
  changedAfter,
  mayHaveColor,
  type OnlyEvents,
  type SearchOptions,
  singleEventsFilter,
} from "./event-filters.ts";

export interface EventReads extends ChangeStampReads {
  /** Finds an event, with the override of an occurrence; undefined if the guild has no such event. */
  find(
    guildId: GuildId,
    id: EventId,
    occurrence?: OccurrenceId,
  ): Promise<{ event: StoredEvent; override?: Override } | undefined>;
  /** The events of the guild among these. */
  findAll(guildId: GuildId, ids: readonly EventId[]): Promise<StoredEvent[]>;
  /** The same in pages, with or without their texts. */
  eventsWithIds(
    guildId: GuildId,
    ids: readonly EventId[],
    options: Pick<SearchOptions, "texts">,
  ): AsyncIterable<readonly StoredEvent[]>;
  /** The events that were split from one of these series, also from one that was removed since (D51). */
  following(guildId: GuildId, ids: readonly EventId[]): Promise<StoredEvent[]>;
  /**
   * Events, and overrides of moved occurrences, that overlap a window of a calendar; in no order, in pages. They have the
   * fields that lists need, the texts only if `texts` is true (the default). A series may have no occurrence in the window, and
   * with a color none of that color.
   */
  eventsOverlapping(
    guildId: GuildId,
    calendar: Calendar,
    window: Window,
    options?: Pick<SearchOptions, "texts"> & Pick<OnlyEvents, "color">,
  ): AsyncIterable<EventPage<ListedEvent>>;
  /** The texts of events, and those of changed occurrences, by their ids. */
  textsOf(guildId: GuildId, ids: readonly string[]): Promise<ReadonlyMap<string, EventTexts>>;
  /** The earliest stored start of an event or a moved occurrence; undefined for a calendar without events. */
  earliestStart(guildId: GuildId, calendarNumber: number): Promise<EpochMs | undefined>;
  /** Events, and the overrides of occurrences, after an id in the order of their ids. */
  inIdOrder(guildId: GuildId, calendarNumber: number, after: string, limit: number): Promise<EventOrOverride[]>;
  /** The overrides of moved occurrences of these series that overlap a window by their stored times. */
  movedOverlapping(guildId: GuildId, ids: readonly EventId[], window: Window): Promise<Override[]>;
  /**
   * Series, and overrides of moved occurrences, that overlap a window of several calendars; in no order, in pages. A series
   * may have no occurrence in the window. With `only.eventIds` these series are read whatever the window, their color and
   * `changedSince`: the caller filters their occurrences. With `which: "all"` there are single events, too.
   */
  seriesOverlapping(
    guildId: GuildId,
    calendars: readonly Calendar[],
    window: Window,
    options: SearchOptions,
  ): AsyncIterable<EventPage>;
  /**
   * Single all-day events whose stored starts are in a window, in the order of their stored starts, in pages. A new zone of
   * the calendar may have moved their starts since, by up to `MAX_ZONE_MOVE_MS`.
   */
  allDayStarting(
    guildId: GuildId,
    calendars: readonly Calendar[],
    window: Window,
    options: SearchOptions,
  ): AsyncIterable<readonly StoredEvent[]>;
  /** Events with ids in a range, in the order of their ids, in pages. */
  eventsBetween(
    guildId: GuildId,
    calendars: readonly Calendar[],
    ids: { readonly from: EventId; readonly until: EventId },
    options: Pick<SearchOptions, "texts">,
  ): AsyncIterable<readonly StoredEvent[]>;
  /** Single events that start in a window, soonest first; without all-day events. */
  singleEventsStarting(
    guildId: GuildId,
    calendars: readonly Calendar[],
    window: Window,
    limit: number,
    options: SearchOptions,
  ): Promise<StoredEvent[]>;
  /** The overrides of the series whose original starts are in the window. */
  overrides(guildId: GuildId, ids: readonly EventId[], originals: Window): Promise<Override[]>;
  /** The events of these UIDs in a calendar. */
  findByUids(guildId: GuildId, calendarNumber: number, uids: readonly string[]): Promise<StoredEvent[]>;
  /** The original starts of the cancelled occurrences of a series. */
  cancelledStarts(guildId: GuildId, id: EventId): Promise<EpochMs[]>;
  /** The original starts of all overrides of a series. */
  overriddenStarts(guildId: GuildId, id: EventId): Promise<EpochMs[]>;
}

/** Number of rows in one reply: with the longest texts, 20 kB each, 5 MB. */
const PAGE_ROWS = 250;

export interface Snapshot {
  /** If it is not set yet, the first read sets it, and must end before the others start. */
  at?: SnapshotTime;
  /** Whether no read follows a first read with these rows. */
  readonly isAlone?: (rows: readonly AnyRow[]) => boolean;
}

/** Reads of the events as they are now; with `snapshot`, as they were at its time. */
export function eventReads(model: Model<AnyRow>, snapshot?: Snapshot): EventReads {
  async function rowsOf<Of>(read: FindCommand): Promise<Of[]> {
    if (snapshot === undefined || snapshot.at !== undefined) return findRows<Of>(model, read, snapshot?.at);
    const { rows, at } = await findRowsInSnapshot<Of>(model, read, snapshot.isAlone as never);
    snapshot.at = at;
    return rows;
  }

  async function* search<Event extends ListedEvent>(
    where: Pick<FindCommand, "filter" | "sort" | "hint">,
    { projection, eventIn }: RowMapping<Event>,
  ): AsyncIterable<EventPage<Event>> {
    const read = { ...where, projection };
    // Most results are one reply, of the faster plain command. A longer result is read again from its first row, in pages.
    const first = await rowsOf<Row>({ ...read, limit: PAGE_ROWS + 1 });
    if (first.length <= PAGE_ROWS) yield partitionRows(first, eventIn);
    else
      for await (const rows of streamPages<Row>(model, { ...read, batchSize: PAGE_ROWS }, snapshot?.at))
        yield partitionRows(rows, eventIn);
  }

  async function* eventPages(where: Parameters<typeof search>[0], { texts }: Pick<SearchOptions, "texts">) {
    const mapping = { projection: projectionOf(texts), eventIn: eventOf };
    for await (const { events } of search(where, mapping)) yield events;
  }

  async function originalsOf(filter: Pick<AnyRow, "guildId" | "eventId" | "cancelled">): Promise<EpochMs[]> {
    const read = { filter, projection: { original: 1 }, hint: OVERRIDES_INDEX } as const;
    const rows = await rowsOf<Pick<OverrideRow, "original">>(read);
    return rows.map(({ original }) => original);
  }

  /** Snapshot reads are not batched with other reads. */
  const byIds =
    snapshot === undefined
      ? rowReader(model)
      : (guildId: GuildId, ids: readonly string[]) =>
          rowsOf<Row>({ filter: ofGuild(guildId, ids), projection: READ_PROJECTION, hint: BY_ID });

  return {
    ...changeStampReads(model, () => snapshot?.at),

    async find(guildId, id, occurrence) {
      const ids = occurrence === undefined ? [id] : [id, occurrence];
      const { events, moved } = partitionRows(await byIds(guildId, ids), eventOf);
      const [event] = events;
      if (event === undefined) return undefined;
      return moved[0] === undefined ? { event } : { event, override: moved[0] };
    },

    async findAll(guildId, ids) {
      return [...partitionRows(await byIds(guildId, ids), eventOf).events];
    },

    eventsWithIds: (guildId, ids, options) => eventPages({ filter: ofGuild(guildId, ids), hint: BY_ID }, options),

    async following(guildId, ids) {
      const filter = { guildId, follows: { $in: ids } };
      const read = { filter, projection: projectionOf(false), hint: FOLLOWS_INDEX };
      return [...partitionRows(await rowsOf<Row>(read), eventOf).events];
    },

    eventsOverlapping: (guildId, calendar, window, { texts, color } = { texts: true }) =>
      search(
        {
          filter: windowQuery(guildId, [calendar], window, { also: allOf(mayHaveColor(color)) }),
          hint: ENTRIES_INDEX,
        },
        { projection: texts ? LIST_PROJECTION : { ...LIST_PROJECTION, ...WITHOUT_TEXTS }, eventIn: listedEventOf },
      ),

    async textsOf(guildId, ids) {
      const read = { filter: ofGuild(guildId, ids), projection: ONLY_TEXTS, hint: BY_ID };
      const rows = await rowsOf<AnyRow>(read);
      return new Map(rows.map(({ _id, ...texts }) => [_id, texts]));
    },

    async earliestStart(guildId, calendarNumber) {
      // Not tombstones, nor overrides of occurrences that were not moved: their rows have no start.
      const filter = { guildId, calendarNumber, startsAt: { $gte: 0 } };
      const read = { filter, projection: { _id: 0, startsAt: 1 }, sort: { startsAt: 1 }, limit: 1 } as const;
      const [row] = await rowsOf<Pick<AnyRow, "startsAt">>({ ...read, hint: START_INDEX });
      return row?.startsAt;
    },

    async inIdOrder(guildId, calendarNumber, after, limit) {
      const filter = { guildId, calendarNumber, _id: { $gt: after } };
      const read = { filter, projection: LIST_PROJECTION, sort: { _id: 1 }, hint: ID_INDEX, limit } as const;
      const rows = await rowsOf<Row>(read);
      return rows.map((row) =>
        isOverrideRow(row) ? { id: row._id, override: overrideOf(row) } : { id: row._id, event: listedEventOf(row) },
      );
    },

    async movedOverlapping(guildId, ids, { from, until }) {
      const overlapping = { startsAt: { $lt: until }, lastAt: { $gte: from } };
      const rows = await rowsOf<OverrideRow>({
        filter: { guildId, eventId: { $in: ids }, ...overlapping },
        projection: SEARCH_PROJECTION,
        hint: OVERRIDES_INDEX,
      });
      return rows.map(overrideOf);
    },

    seriesOverlapping(guildId, calendars, window, { texts, only = {}, changedSince, which = "recurring" }) {
      const { color, eventIds } = only;
      const changed =
        changedSince === undefined ? [] : [{ $or: [...changedAfter(changedSince), { hasOverrides: true }] }];
      const also = allOf([...mayHaveColor(color), ...changed]);
      const where =
        eventIds === undefined
          ? { filter: windowQuery(guildId, calendars, window, { which, also }), hint: ENTRIES_INDEX }
          : { filter: seriesQuery(guildId, calendars, eventIds) };
      return search(where, { projection: projectionOf(texts), eventIn: eventOf });
    },

    allDayStarting(guildId, calendars, window, options) {
      const filter = { ...singleEventsFilter(guildId, calendars, window, options), days: { $exists: true } };
      const hint = options.only?.eventIds === undefined ? { hint: ALL_DAY_INDEX } : {};
      return eventPages({ filter, sort: { startsAt: 1 }, ...hint }, options);
    },

    eventsBetween(guildId, calendars, { from, until }, options) {
      const isEvent = { eventId: { $exists: false } };
      const filter = { ...inCalendars(guildId, calendars), _id: { $gte: from, $lt: until }, ...isEvent };
      return eventPages({ filter, sort: { _id: 1 }, hint: ID_INDEX }, options);
    },

    async singleEventsStarting(guildId, calendars, window, limit, options) {
      const filter = { ...singleEventsFilter(guildId, calendars, window, options), days: { $exists: false } };
      const read = { filter, projection: projectionOf(options.texts), sort: { startsAt: 1 }, limit } as const;
      const hint = options.only?.eventIds === undefined ? { hint: START_INDEX } : {};
      return [...partitionRows(await rowsOf<Row>({ ...read, ...hint }), eventOf).events];
    },

    async overrides(guildId, ids, { from, until }) {
      const filter = { guildId, eventId: { $in: ids }, original: { $gte: from, $lt: until } };
      const rows = await rowsOf<OverrideRow>({ filter, projection: SEARCH_PROJECTION, hint: OVERRIDES_INDEX });
      return rows.map(overrideOf);
    },

    async findByUids(guildId, calendarNumber, uids) {
      const filter = { guildId, calendarNumber, uid: { $in: uids } };
      const rows = await rowsOf<Row>({ filter, projection: READ_PROJECTION, hint: UID_INDEX });
      return [...partitionRows(rows, eventOf).events];
    },

    cancelledStarts: (guildId, eventId) => originalsOf({ guildId, eventId, cancelled: true }),
    overriddenStarts: (guildId, eventId) => originalsOf({ guildId, eventId }),
  };
}
