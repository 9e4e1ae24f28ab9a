import type { Model } from "mongoose";
import { coalescedReads } from "../../mixins/coalesced-reads.ts";
import { type Moment, readRows, streamRows } from "../../mixins/short-reads.ts";
import type { EpochMs, EventId, GuildId, OccurrenceId } from "../contracts/ids.ts";
import {
  type AnyRow,
  eventOf,
  isOverrideRow,
  type OverrideRow,
  overrideOf,
  type Row,
  SHOWN,
  shownOf,
  UNFILED,
} from "./calendar-event.document.ts";
import type { Calendar } from "./domain/calendar.ts";
import type { ShownEvent, StoredEvent } from "./domain/event.ts";
import type { Override } from "./domain/override.ts";
import type { Window } from "./domain/window.ts";
import { FILED, IN_ORDER } from "./event-filing.ts";
import { type EventFilter, isSingles, windowFilter } from "./window-query.ts";

/** Some of what was found: events, and occurrences that were moved by hand. */
export interface Found<Event extends ShownEvent = StoredEvent> {
  readonly events: readonly Event[];
  readonly moved: readonly Override[];
}

export interface EventReads {
  /** Undefined when the guild has no such event; with what the occurrence of that id has of its own. */
  find(
    guildId: GuildId,
    id: EventId,
    occurrence?: OccurrenceId,
  ): Promise<{ event: StoredEvent; override?: Override } | undefined>;
  findAll(ids: readonly EventId[]): Promise<StoredEvent[]>;
  /** What touches a window, in no order, some at a time. A series may have no occurrence in it. */
  touching(
    guildId: GuildId,
    lanes: readonly string[],
    window: Window,
    calendars: readonly Calendar[],
    texts?: boolean,
  ): AsyncIterable<Found>;
  /** The same, with no more of each event than a list shows. */
  shownTouching(...asked: Parameters<EventReads["touching"]>): AsyncIterable<Found<ShownEvent>>;
  /** Single events that start in a window, soonest first. */
  singlesStarting(
    guildId: GuildId,
    lanes: readonly string[],
    window: Window,
    most: number,
    texts?: boolean,
  ): Promise<StoredEvent[]>;
  /** What occurrences have of their own, of these series and with original starts in the window. */
  overrides(ids: readonly EventId[], originals: Window): Promise<Override[]>;
  /** Original starts of all occurrences of a series that have something of their own. */
  overriddenStarts(id: EventId): Promise<EpochMs[]>;
}

/** So many lanes are asked for at once; a calendar has more only by design. */
const LANES_AT_ONCE = 50;
/** Rows in one reply: of the longest texts, of 20 kB each, 5 MB. */
const ROWS_AT_ONCE = 250;

/** Reads of events as they are, or as they were at a moment. */
export function eventReads(model: Model<AnyRow>, at?: Moment): EventReads {
  async function* found<Event extends ShownEvent>(
    filter: EventFilter,
    { projection, eventIn }: Reading<Event>,
  ): AsyncIterable<Found<Event>> {
    const read = { filter, projection, hint: FILED };
    const few = await readRows<Row>(model, { ...read, limit: ROWS_AT_ONCE + 1 }, at);
    if (few.length <= ROWS_AT_ONCE) yield sorted(few, eventIn);
    else for await (const rows of many({ ...read, batchSize: ROWS_AT_ONCE })) yield sorted(rows, eventIn);
  }

  async function* many(read: Parameters<typeof streamRows>[1]): AsyncIterable<readonly Row[]> {
    let some: Row[] = [];
    for await (const row of streamRows<Row>(model, read, at)) {
      some.push(row);
      if (some.length < ROWS_AT_ONCE) continue;
      yield some;
      some = [];
    }
    if (some.length > 0) yield some;
  }

  const touching = <Event extends ShownEvent>(reading: Reading<Event>) =>
    async function* (
      guildId: GuildId,
      lanes: readonly string[],
      window: Window,
      calendars: readonly Calendar[],
      texts = true,
    ): AsyncIterable<Found<Event>> {
      const wanted = { ...reading, projection: { ...reading.projection, ...(texts ? {} : WITHOUT_TEXTS) } };
      for (let first = 0; first < lanes.length; first += LANES_AT_ONCE) {
        yield* found(windowFilter(guildId, lanes.slice(first, first + LANES_AT_ONCE), window, calendars), wanted);
      }
    };

  /** What looks at a moment is asked apart. */
  const byIds =
    at === undefined
      ? together(model)
      : (ids: readonly string[]) => readRows<Row>(model, { filter: { _id: { $in: ids } }, projection: UNFILED }, at);

  return {
    async find(guildId, id, occurrence) {
      const ids = occurrence === undefined ? [id] : [id, occurrence];
      const { events, moved } = sorted(await byIds(ids), eventOf);
      const [event] = events;
      if (event?.guildId !== guildId) return undefined;
      return moved[0] === undefined ? { event } : { event, override: moved[0] };
    },

    async findAll(ids) {
      return [...sorted(await byIds(ids), eventOf).events];
    },

    touching: touching(WHOLE),
    shownTouching: touching({ projection: SHOWN, eventIn: shownOf }),

    async singlesStarting(guildId, lanes, { from, until }, most, texts = true) {
      const filter = { guildId, lane: { $in: lanes.filter(isSingles) }, startsAt: { $gte: from, $lt: until } };
      const sort = { startsAt: 1 } as const;
      const projection = texts ? UNFILED : { ...UNFILED, ...WITHOUT_TEXTS };
      const read = { filter, projection, sort, hint: IN_ORDER, limit: most };
      const rows = await readRows<Row>(model, read, at);
      return [...sorted(rows, eventOf).events];
    },

    async overrides(ids, { from, until }) {
      const filter = { eventId: { $in: ids }, original: { $gte: from, $lt: until } };
      const rows = await readRows<OverrideRow>(model, { filter, projection: UNFILED }, at);
      return rows.map(overrideOf);
    },

    async overriddenStarts(eventId) {
      const read = { filter: { eventId }, projection: { original: 1 } } as const;
      const rows = await readRows<Pick<OverrideRow, "original">>(model, read, at);
      return rows.map(({ original }) => original);
    },
  };
}

function together(model: Model<AnyRow>): (ids: readonly string[]) => Promise<Row[]> {
  const read = coalescedReads<Row & { readonly _id: string }>(model, UNFILED);
  return async (ids) => (await Promise.all(ids.map(read))).filter((row) => row !== null);
}

/** What is read of rows, and how an event is made of it. */
interface Reading<Event extends ShownEvent> {
  readonly projection: Readonly<Record<string, 0>>;
  readonly eventIn: (row: Exclude<Row, OverrideRow>) => Event | undefined;
}

/** Texts may be 7 kB an event, and ten thousand are read at a time. */
const WITHOUT_TEXTS = { name: 0, description: 0, location: 0, image: 0 } as const;

const WHOLE: Reading<StoredEvent> = { projection: UNFILED, eventIn: eventOf };

function sorted<Event extends ShownEvent>(rows: readonly Row[], eventIn: Reading<Event>["eventIn"]): Found<Event> {
  const events = rows.map((row) => (isOverrideRow(row) ? undefined : eventIn(row)));
  const moved = rows.filter(isOverrideRow).map(overrideOf);
  return { events: events.filter((event) => event !== undefined), moved };
}
