import type { Connection, Model } from "mongoose";
import { changesSince, saveRevision, stampedReplacement, stampedTombstone } from "../../mixins/change-feed.ts";
import type { ChangesSinceParams, ChangesSinceResult } from "../contracts/change-feed.contract.ts";
import type { EventId, GuildId } from "../contracts/ids.ts";
import {
  BY_END,
  BY_START,
  type EventDocument,
  eventOf,
  type EventRow,
  eventSchema,
  IN_ORDER,
  lanePrefix,
} from "./calendar-event.document.ts";
import type { StoredEvent } from "./domain/event.ts";
import { SINGLE } from "./domain/lanes.ts";
import type { Window } from "./domain/window.ts";
import type { Zone } from "./domain/zone.ts";
import { type EventFilter, windowQuery } from "./window-query.ts";

export interface CalendarEventsStore {
  /** Undefined when the guild has no such event. */
  find(guildId: GuildId, id: EventId): Promise<StoredEvent | undefined>;
  insert(event: EventDocument): Promise<boolean>;
  /** False when another write came between. */
  replace(event: EventDocument, isNew: { rescheduled: boolean; recolored: boolean }): Promise<boolean>;
  remove(event: Pick<StoredEvent, "id" | "guildId" | "revision">): Promise<boolean>;
  /** The names of the lanes that a calendar's events are filed in; of all the guild's calendars without a number. */
  lanes(guildId: GuildId, calendarNumber?: number): Promise<string[]>;
  /** Events and series whose time touches a window, in no order. A series may have no occurrence in it. */
  touching(guildId: GuildId, lanes: readonly string[], window: Window, zones: readonly Zone[]): Events;
  /** Single events that start in a window, soonest first. */
  singlesStarting(guildId: GuildId, lanes: readonly string[], window: Window, most: number): Promise<StoredEvent[]>;
  changesSince(params: ChangesSinceParams): Promise<ChangesSinceResult>;
}

type Events = AsyncIterable<StoredEvent>;

/** So many lanes are asked for at once; a calendar has more only by design. */
const LANES_AT_ONCE = 50;
const BATCH = 1000;

export function calendarEventsStore(connection: Connection): CalendarEventsStore {
  const model = connection.model<EventRow>("CalendarEvent", eventSchema);
  return {
    async find(guildId, id) {
      const event = eventOf(await model.findById(id).lean<EventRow>());
      return event?.guildId === guildId ? event : undefined;
    },

    insert: (event) => saveRevision(model, event, stampedReplacement(event, ["scheduledAt", "coloredAt"])),

    replace(event, { rescheduled, recolored }) {
      const isNew = { scheduledAt: rescheduled, coloredAt: recolored };
      const stamps = Object.entries(isNew);
      const now = stamps.filter(([, changed]) => changed).map(([field]) => field);
      const kept = stamps.filter(([, changed]) => !changed).map(([field]) => field);
      return saveRevision(model, event, stampedReplacement(event, now, kept));
    },

    remove({ id: _id, guildId, revision }) {
      const tombstone = { _id, guildId, revision: revision + 1 };
      return saveRevision(model, tombstone, stampedTombstone(tombstone));
    },

    lanes: (guildId, calendarNumber) => model.distinct("lane", { guildId, lane: lanesOf(calendarNumber) }),

    async *touching(guildId, lanes, window, zones) {
      for (let at = 0; at < lanes.length; at += LANES_AT_ONCE) {
        const query = windowQuery(guildId, lanes.slice(at, at + LANES_AT_ONCE), window, zones);
        yield* eventsOf(model, query.byEnd, BY_END);
        yield* eventsOf(model, query.byStart, BY_START);
      }
    },

    async singlesStarting(guildId, lanes, { from, until }, most) {
      const rows = await model
        .find({ guildId, lane: { $in: lanes.filter(isSingles) }, startsAt: { $gte: from, $lt: until } })
        .hint(IN_ORDER)
        .sort({ startsAt: 1 })
        .limit(most)
        .lean<EventRow[]>();
      return rows.map(eventOf).filter((event) => event !== undefined);
    },

    changesSince: (params) => changesSince(model, params),
  };
}

/** Whether a lane holds what doesn't recur. */
export function isSingles(lane: string): boolean {
  return lane.endsWith(`/${SINGLE}`);
}

/** "0" is the character after "/". */
function lanesOf(calendarNumber: number | undefined): EventFilter {
  return calendarNumber === undefined ? { $gt: "" } : { $gte: lanePrefix(calendarNumber), $lt: `${calendarNumber}0` };
}

async function* eventsOf(model: Model<EventRow>, filter: EventFilter, index: Record<string, 1>): Events {
  const rows = model.find(filter).hint(index).lean<EventRow>().cursor({ batchSize: BATCH });
  for await (const row of rows) {
    const event = eventOf(row);
    if (event !== undefined) yield event;
  }
}
