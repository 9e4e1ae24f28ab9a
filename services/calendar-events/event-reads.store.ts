import type { ClientSession, Model } from "mongoose";
import { coalescedReads } from "../../mixins/coalesced-reads.ts";
import type { EpochMs, EventId, GuildId, OccurrenceId } from "../contracts/ids.ts";
import {
  BY_END,
  BY_START,
  type AnyRow,
  eventOf,
  IN_ORDER,
  isOverrideRow,
  lanePrefix,
  type OverrideRow,
  overrideOf,
  type Row,
} from "./calendar-event.document.ts";
import type { Calendar } from "./domain/calendar.ts";
import type { StoredEvent } from "./domain/event.ts";
import type { Override } from "./domain/override.ts";
import type { Window } from "./domain/window.ts";
import { type EventFilter, isSingles, windowQuery } from "./window-query.ts";

/** Some of what was found: events, and occurrences that were moved by hand. */
export interface Found {
  readonly events: readonly StoredEvent[];
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
  /** The names of the lanes that a calendar's events are filed in; of all the guild's calendars without a number. */
  lanes(guildId: GuildId, calendarNumber?: number): Promise<string[]>;
  /** What touches a window, in no order, some at a time. A series may have no occurrence in it. */
  touching(
    guildId: GuildId,
    lanes: readonly string[],
    window: Window,
    calendars: readonly Calendar[],
  ): AsyncIterable<Found>;
  /** Single events that start in a window, soonest first. */
  singlesStarting(guildId: GuildId, lanes: readonly string[], window: Window, most: number): Promise<StoredEvent[]>;
  /** What occurrences have of their own, of these series and with original starts in the window. */
  overrides(ids: readonly EventId[], originals: Window): Promise<Override[]>;
  /** Original starts of all occurrences of a series that have something of their own. */
  overriddenStarts(id: EventId): Promise<EpochMs[]>;
}

/** So many lanes are asked for at once; a calendar has more only by design. */
const LANES_AT_ONCE = 50;
const ROWS_AT_ONCE = 1000;

export function eventReads(model: Model<AnyRow>, session: ClientSession | null = null): EventReads {
  async function* found(conditions: readonly EventFilter[], index: Record<string, 1>): AsyncIterable<Found> {
    if (conditions.length === 0) return;
    const rows = model
      .find({ $or: conditions } as never)
      .hint(index)
      .session(session)
      .lean<Row>();
    let some: Row[] = [];
    for await (const row of rows.cursor({ batchSize: ROWS_AT_ONCE })) {
      some.push(row);
      if (some.length < ROWS_AT_ONCE) continue;
      yield sorted(some);
      some = [];
    }
    if (some.length > 0) yield sorted(some);
  }

  const read = coalescedReads<AnyRow>(model);

  /** A session reads its own moment, and is asked apart. */
  async function byIds(ids: readonly string[]): Promise<Row[]> {
    if (session !== null) {
      return model
        .find({ _id: { $in: ids } })
        .session(session)
        .lean<Row[]>();
    }
    const rows = (await Promise.all(ids.map(read))) as (Row | null)[];
    return rows.filter((row) => row !== null);
  }

  return {
    async find(guildId, id, occurrence) {
      const ids = occurrence === undefined ? [id] : [id, occurrence];
      const { events, moved } = sorted(await byIds(ids));
      const [event] = events;
      if (event?.guildId !== guildId) return undefined;
      return moved[0] === undefined ? { event } : { event, override: moved[0] };
    },

    async findAll(ids) {
      return [...sorted(await byIds(ids)).events];
    },

    lanes: (guildId, calendarNumber) => model.distinct("lane", { guildId, lane: lanesOf(calendarNumber) }),

    async *touching(guildId, lanes, window, calendars) {
      for (let at = 0; at < lanes.length; at += LANES_AT_ONCE) {
        const query = windowQuery(guildId, lanes.slice(at, at + LANES_AT_ONCE), window, calendars);
        yield* found(query.byEnd, BY_END);
        yield* found(query.byStart, BY_START);
      }
    },

    async singlesStarting(guildId, lanes, { from, until }, most) {
      const rows = await model
        .find({ guildId, lane: { $in: lanes.filter(isSingles) }, startsAt: { $gte: from, $lt: until } })
        .hint(IN_ORDER)
        .sort({ startsAt: 1 })
        .limit(most)
        .session(session)
        .lean<Row[]>();
      return [...sorted(rows).events];
    },

    async overrides(ids, { from, until }) {
      const rows = await model
        .find({ eventId: { $in: ids }, original: { $gte: from, $lt: until } } as never)
        .session(session)
        .lean<OverrideRow[]>();
      return rows.map(overrideOf);
    },

    async overriddenStarts(eventId) {
      const rows = await model
        .find({ eventId } as never, { original: 1 })
        .session(session)
        .lean<OverrideRow[]>();
      return rows.map(({ original }) => original);
    },
  };
}

/** "0" is the character after "/". */
function lanesOf(calendarNumber: number | undefined): EventFilter {
  return calendarNumber === undefined ? { $gt: "" } : { $gte: lanePrefix(calendarNumber), $lt: `${calendarNumber}0` };
}

function sorted(rows: readonly Row[]): Found {
  const events = rows.map((row) => (isOverrideRow(row) ? undefined : eventOf(row)));
  const moved = rows.filter(isOverrideRow).map(overrideOf);
  return { events: events.filter((event) => event !== undefined), moved };
}
