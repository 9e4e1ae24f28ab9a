import type { Model } from "mongoose";
import { batchedFind } from "../../../mixins/mongo/batched-find.ts";
import {
  type SnapshotTime,
  findRows,
  findRowsInSnapshot,
  type FindCommand,
  streamRows,
} from "../../../mixins/mongo/find-command.ts";
import type { EpochMs, EventId, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import { perText } from "../../contracts/calendar-events.contract.ts";
import type { OnlyOccurrences } from "../../contracts/occurrences.contract.ts";
import {
  type AnyRow,
  eventOf,
  SEARCH_PROJECTION,
  isOverrideRow,
  type OverrideRow,
  overrideOf,
  type Row,
  LIST_PROJECTION,
  listedEventOf,
  READ_PROJECTION,
} from "./calendar-event.document.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import type { ListedEvent, StoredEvent } from "../domain/event/event.ts";
import type { Override } from "../domain/event/override.ts";
import type { Window } from "../domain/event/window.ts";
import { ENTRIES_INDEX, START_INDEX } from "../window-index/entries.ts";
import { inCalendars, windowQuery, seriesQuery } from "../window-index/query.ts";

/** Some of what was found: events, and occurrences that were moved by hand. */
export interface EventPage<Event extends ListedEvent = StoredEvent> {
  readonly events: readonly Event[];
  readonly moved: readonly Override[];
}

/** How much a search reads of each event, and of which events. */
export interface SearchOptions {
  readonly texts: boolean;
  /** With a colour, series of other colours are read whose occurrences may have been recoloured. */
  readonly only?: OnlyOccurrences;
  /** Series that have not changed since are read where their occurrences may have. */
  readonly changedSince?: EpochMs | undefined;
}

export interface EventReads {
  /** Undefined when the guild has no such event; with what the occurrence of that id has of its own. */
  find(
    guildId: GuildId,
    id: EventId,
    occurrence?: OccurrenceId,
  ): Promise<{ event: StoredEvent; override?: Override } | undefined>;
  findAll(ids: readonly EventId[]): Promise<StoredEvent[]>;
  /** Events that touch a window of a calendar, as lists show them; in no order, a page at a time. Some series have nothing in it. */
  eventsOverlapping(guildId: GuildId, calendar: Calendar, window: Window): AsyncIterable<EventPage<ListedEvent>>;
  /** The same of series and occurrences that were moved by hand, in some calendars. */
  seriesOverlapping(
    guildId: GuildId,
    calendars: readonly Calendar[],
    window: Window,
    options: SearchOptions,
  ): AsyncIterable<EventPage>;
  /** Single events that start in a window, soonest first. */
  singleEventsStarting(
    guildId: GuildId,
    calendars: readonly Calendar[],
    window: Window,
    limit: number,
    options: SearchOptions,
  ): Promise<StoredEvent[]>;
  /** The overrides of these series with original starts in the window. */
  overrides(ids: readonly EventId[], originals: Window): Promise<Override[]>;
  /** Original starts of all occurrences of a series that have something of their own. */
  overriddenStarts(id: EventId): Promise<EpochMs[]>;
}

/** Rows in one reply: of the longest texts, of 20 kB each, 5 MB. */
const ROWS_AT_ONCE = 250;

/**
 * Reads of events as they are; or, with a moment, as they were then. A moment that is not known yet is that of the first
 * read, which has to end before the others begin.
 */
export function eventReads(model: Model<AnyRow>, moment?: { at?: SnapshotTime }): EventReads {
  async function rowsOf<Of>(read: FindCommand): Promise<Of[]> {
    if (moment === undefined || moment.at !== undefined) return findRows<Of>(model, read, moment?.at);
    const { rows, at } = await findRowsInSnapshot<Of>(model, read);
    moment.at = at;
    return rows;
  }

  async function* found<Event extends ListedEvent>(
    where: Pick<FindCommand, "filter" | "hint">,
    { projection, eventIn }: RowMapping<Event>,
  ): AsyncIterable<EventPage<Event>> {
    const read = { ...where, projection };
    const few = await rowsOf<Row>({ ...read, limit: ROWS_AT_ONCE + 1 });
    if (few.length <= ROWS_AT_ONCE) yield partitionRows(few, eventIn);
    else for await (const rows of many({ ...read, batchSize: ROWS_AT_ONCE })) yield partitionRows(rows, eventIn);
  }

  async function* many(read: Parameters<typeof streamRows>[1]): AsyncIterable<readonly Row[]> {
    let some: Row[] = [];
    for await (const row of streamRows<Row>(model, read, moment?.at)) {
      some.push(row);
      if (some.length < ROWS_AT_ONCE) continue;
      yield some;
      some = [];
    }
    if (some.length > 0) yield some;
  }

  /** Reads at a moment are not coalesced with others. */
  const byIds =
    moment === undefined
      ? rowReader(model)
      : (ids: readonly string[]) => rowsOf<Row>({ filter: { _id: { $in: ids } }, projection: READ_PROJECTION });

  return {
    async find(guildId, id, occurrence) {
      const ids = occurrence === undefined ? [id] : [id, occurrence];
      const { events, moved } = partitionRows(await byIds(ids), eventOf);
      const [event] = events;
      if (event?.guildId !== guildId) return undefined;
      return moved[0] === undefined ? { event } : { event, override: moved[0] };
    },

    async findAll(ids) {
      return [...partitionRows(await byIds(ids), eventOf).events];
    },

    eventsOverlapping: (guildId, calendar, window) =>
      found(
        { filter: windowQuery(guildId, [calendar], window), hint: ENTRIES_INDEX },
        { projection: LIST_PROJECTION, eventIn: listedEventOf },
      ),

    seriesOverlapping(guildId, calendars, window, { texts, only = {}, changedSince }) {
      const { color, eventId } = only;
      const ofColor = color === undefined ? [] : [{ $or: [{ color: { $in: [color, null] } }, { hasOverrides: true }] }];
      const changed =
        changedSince === undefined ? [] : [{ $or: [...changedAfter(changedSince), { hasOverrides: true }] }];
      const conditions = [...ofColor, ...changed];
      const also = conditions.length === 0 ? {} : { $and: conditions };
      const where =
        eventId === undefined
          ? { filter: windowQuery(guildId, calendars, window, { which: "recurring", also }), hint: ENTRIES_INDEX }
          : { filter: seriesQuery(guildId, calendars, eventId) };
      return found(where, { projection: projectionOf(texts), eventIn: eventOf });
    },

    async singleEventsStarting(guildId, calendars, { from, until }, limit, { texts, only = {}, changedSince }) {
      const { color, eventId } = only;
      const filter = {
        ...inCalendars(guildId, calendars),
        ...(eventId === undefined ? {} : { _id: eventId }),
        ...(color === undefined ? {} : { color }),
        ...(changedSince === undefined ? {} : { $or: changedAfter(changedSince) }),
        startsAt: { $gte: from, $lt: until },
        recurrence: { $exists: false },
        eventId: { $exists: false },
      };
      const read = { filter, projection: projectionOf(texts), sort: { startsAt: 1 }, limit: limit } as const;
      const hint = eventId === undefined ? { hint: START_INDEX } : {};
      return [...partitionRows(await rowsOf<Row>({ ...read, ...hint }), eventOf).events];
    },

    async overrides(ids, { from, until }) {
      const filter = { eventId: { $in: ids }, original: { $gte: from, $lt: until } };
      const rows = await rowsOf<OverrideRow>({ filter, projection: SEARCH_PROJECTION });
      return rows.map(overrideOf);
    },

    async overriddenStarts(eventId) {
      const read = { filter: { eventId }, projection: { original: 1 } } as const;
      const rows = await rowsOf<Pick<OverrideRow, "original">>(read);
      return rows.map(({ original }) => original);
    },
  };
}

function rowReader(model: Model<AnyRow>): (ids: readonly string[]) => Promise<Row[]> {
  const read = batchedFind(model, READ_PROJECTION);
  return async (ids) => (await Promise.all(ids.map(read))).filter((row) => row !== null);
}

/** The projection of rows, and the function that makes an event of a row. */
interface RowMapping<Event extends ListedEvent> {
  readonly projection: Readonly<Record<string, 0>>;
  readonly eventIn: (row: Exclude<Row, OverrideRow>) => Event | undefined;
}

/** Matches events whose start or colour was set at the instant or later. */
function changedAfter(at: EpochMs): object[] {
  const after = { $gte: new Date(at) };
  return [{ scheduledAt: after }, { coloredAt: after }];
}

/** Texts may be 7 kB an event, and ten thousand are read at a time. */
const WITHOUT_TEXTS = perText(() => 0 as const);

function projectionOf(texts: boolean): RowMapping<StoredEvent>["projection"] {
  return texts ? SEARCH_PROJECTION : { ...SEARCH_PROJECTION, ...WITHOUT_TEXTS };
}

function partitionRows<Event extends ListedEvent>(
  rows: readonly Row[],
  eventIn: RowMapping<Event>["eventIn"],
): EventPage<Event> {
  const events = rows.map((row) => (isOverrideRow(row) ? undefined : eventIn(row)));
  const moved = rows.filter(isOverrideRow).map(overrideOf);
  return { events: events.filter((event) => event !== undefined), moved };
}
