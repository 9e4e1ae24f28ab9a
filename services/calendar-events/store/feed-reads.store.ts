import mongoose, { type Connection } from "mongoose";
import { type SnapshotTime, findRows, streamRows } from "../../../mixins/mongo/find-command.ts";
import { distinctInSnapshot, findRowsInSnapshot } from "../../../mixins/mongo/snapshot-reads.ts";
import type { Color } from "../../contracts/calendar-events.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import {
  type AnyRow,
  type EventRow,
  FEED_INDEX,
  SEARCH_PROJECTION,
  OVERRIDES_INDEX,
  type OverrideRow,
  overrideOf,
  LIST_PROJECTION,
  listedEventOf,
} from "./calendar-event.document.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import type { FeedEvent } from "../domain/feed/event-component.ts";
import type { FeedPosition } from "../domain/feed/feed-cursor.ts";
import type { Override } from "../domain/event/override.ts";
import { calendarOf, type CalendarRow, calendarRowId } from "./calendars.store.ts";
import type { SeriesKey } from "./former-events.store.ts";
import { START_INDEX } from "../window-index/entries.ts";

interface OfCalendar {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
}

/** The last write of an event of a guild, and the snapshot in which it was read. */
export interface LastChange {
  /** 0 where the guild never had an event. Database time, as is `readAt`. */
  readonly changedAt: EpochMs;
  readonly readAt: EpochMs;
  readonly moment: string;
}

/** Which overrides of a series are read, by their original starts. */
interface OverridesQuery {
  readonly after: EpochMs;
  readonly until: EpochMs;
  readonly limit: number;
}

/** Reads for a feed. Those with a `moment` read the snapshot of that cluster time. */
export interface FeedReads {
  lastChange(guildId: GuildId): Promise<LastChange>;
  /** The current revision of the calendar, which is not read in a snapshot. */
  calendarRevision(of: OfCalendar): Promise<number>;
  calendar(of: OfCalendar, moment: string): Promise<Calendar | undefined>;
  /** Events after a position in the order of the feed; of other colors only those that may have occurrences of the color. */
  events(of: OfCalendar, color: Color | undefined, behind: FeedPosition, moment: string): AsyncIterable<FeedEvent>;
  event(of: OfCalendar, id: string, moment: string): Promise<FeedEvent | undefined>;
  /** In the order of their original starts. */
  overrides(of: SeriesKey, query: OverridesQuery, moment: string): Promise<Override[]>;
  overridesAt(of: SeriesKey, originals: readonly EpochMs[], moment: string): Promise<Override[]>;
  /** No series of the calendar starts earlier; undefined for a calendar without events. */
  earliestStart(of: OfCalendar, moment: string): Promise<EpochMs | undefined>;
  /** The zones in which the calendar's series were set. */
  zonesOfSeries(of: OfCalendar): Promise<string[]>;
}

/** Largest number of events in one reply: 2 MB with the longest texts, 20 kB each. */
const EVENTS_AT_ONCE = 100;

const { revision: _, changedAt: __, ...WITHOUT_CHANGE } = LIST_PROJECTION;
const PROJECTION = WITHOUT_CHANGE;
const IN_ORDER = { changedAt: 1, _id: 1 } as const;

type FeedRow = Omit<EventRow, keyof typeof PROJECTION>;

/** Needs the models of events and calendars on the connection. */
export function feedReads(connection: Connection): FeedReads {
  const events = () => connection.model<AnyRow>("CalendarEvent");
  const calendars = () => connection.model<CalendarRow>("Calendar");

  const overridesOf = async (filter: object, limit: number, moment: string) => {
    const read = {
      filter,
      projection: SEARCH_PROJECTION,
      sort: { original: 1 },
      hint: OVERRIDES_INDEX,
      limit,
    } as const;
    const rows = await findRows<OverrideRow>(events(), read, snapshotTimeOf(moment));
    return rows.map(overrideOf);
  };

  return {
    async lastChange(guildId) {
      const filter = { guildId, changedAt: { $gte: new Date(0) } };
      const read = { filter, sort: { changedAt: -1 }, hint: FEED_INDEX, limit: 1 } as const;
      const projection = { _id: 0, changedAt: 1, readAt: "$$NOW" } as const;
      const { rows, at } = await findRowsInSnapshot<Record<"changedAt" | "readAt", Date>>(events(), {
        ...read,
        projection,
      });
      const [row] = rows;
      const moment = at.toBigInt().toString();
      if (row === undefined) return { changedAt: 0, readAt: Infinity, moment };
      return { changedAt: row.changedAt.getTime(), readAt: row.readAt.getTime(), moment };
    },

    async calendarRevision({ guildId, calendarNumber }) {
      const filter = { _id: calendarRowId(guildId, calendarNumber), guildId };
      const read = { filter, projection: { _id: 0, revision: 1 }, hint: { _id: 1 }, limit: 1 } as const;
      const [row] = await findRows<Pick<CalendarRow, "revision">>(calendars(), read);
      return row?.revision ?? 0;
    },

    async calendar({ guildId, calendarNumber }, moment) {
      const read = {
        filter: { _id: calendarRowId(guildId, calendarNumber), guildId },
        hint: { _id: 1 },
        limit: 1,
      } as const;
      const [row] = await findRows<CalendarRow>(calendars(), read, snapshotTimeOf(moment));
      return row === undefined ? undefined : calendarOf(row);
    },

    async *events(of, color, { changedAt, id }, moment) {
      const at = new Date(changedAt);
      const behind = { $or: [{ changedAt: { $gt: at } }, { changedAt: at, _id: { $gt: id } }] };
      const ofColor = color === undefined ? [] : [{ $or: [{ color }, { hasOverrides: true }] }];
      const filter = { ...of, changedAt: { $gte: at }, $and: [behind, ...ofColor] };
      const read = { filter, projection: PROJECTION, sort: IN_ORDER, hint: FEED_INDEX, batchSize: EVENTS_AT_ONCE };
      for await (const row of streamRows<FeedRow>(events(), read, snapshotTimeOf(moment))) yield feedEventOf(row);
    },

    async event(of, id, moment) {
      const read = { filter: { _id: id, ...of, changedAt: { $gte: new Date(0) } }, projection: PROJECTION };
      const [row] = await findRows<FeedRow>(events(), read, snapshotTimeOf(moment));
      return row === undefined ? undefined : feedEventOf(row);
    },

    overrides: ({ guildId, id: eventId }, { after, until, limit }, moment) =>
      overridesOf({ guildId, eventId, original: { $gt: after, $lt: until } }, limit, moment),

    overridesAt: ({ guildId, id: eventId }, originals, moment) =>
      overridesOf({ guildId, eventId, original: { $in: originals } }, 0, moment),

    async earliestStart(of, moment) {
      const read = { filter: { ...of, startsAt: { $gte: 0 } }, sort: { startsAt: 1 }, limit: 1 } as const;
      const projection = { _id: 0, startsAt: 1 } as const;
      const where = { ...read, projection, hint: START_INDEX };
      const [row] = await findRows<{ readonly startsAt: EpochMs }>(events(), where, snapshotTimeOf(moment));
      return row?.startsAt;
    },

    async zonesOfSeries(of) {
      const { values } = await distinctInSnapshot(events(), "anchor.timezone", {
        ...of,
        recurrence: { $exists: true },
      });
      return values as string[];
    },
  };
}

function feedEventOf(row: FeedRow): FeedEvent {
  const { revision, changedAt } = row;
  return { ...listedEventOf(row), revision, changedAt: changedAt.getTime() };
}

/** A cursor contains the cluster time of the snapshot as the decimal digits of its 64 bits. */
function snapshotTimeOf(text: string): SnapshotTime {
  return new mongoose.mongo.Timestamp(BigInt(text));
}
