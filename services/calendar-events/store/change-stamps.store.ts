import type { Model } from "mongoose";
import { findRows, type SnapshotTime, streamPages, streamPipeline } from "../../../mixins/mongo/find-command.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import type { EpochMs, EventId, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import type { Window } from "../../contracts/window.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import type { StoredEvent } from "../domain/event/event.ts";
import type { Override } from "../domain/event/override.ts";
import { inCalendars } from "../window-index/query.ts";
import { type AnyRow, FEED_INDEX, OVERRIDES_INDEX, type OverrideRow, overrideOf } from "./calendar-event.document.ts";
import { projectionOf } from "./event-rows.ts";
import { BY_ID, ofGuild } from "./rows-by-id.store.ts";

/** The fields of an event that tell when its times were changed (D69). */
export type ChangeStamps = Pick<StoredEvent, "id" | "createdAt" | "follows" | "scheduledAt" | "endSetAt">;

/** The same of an occurrence that was moved itself. */
export type MovedStamps = Pick<Override, "eventId" | "original" | "scheduledAt" | "endSetAt">;

/** The reads of changed times. They have no texts but those of `overridesWithIds`: a guild may change all its events at once. */
export interface ChangeStampReads {
  /** Events whose times were set in a window, after their creation, in pages; the soonest change first. */
  changedIn(guildId: GuildId, calendars: readonly Calendar[], window: Window): AsyncIterable<readonly ChangeStamps[]>;
  /** Series with overrides that were changed, or of which an override was, at an instant or later; in pages. */
  overriddenSince(
    guildId: GuildId,
    calendars: readonly Calendar[],
    since: EpochMs,
  ): AsyncIterable<readonly ChangeStamps[]>;
  /** The occurrences of these series whose own times were set at an instant or later, in pages. */
  movedSince(guildId: GuildId, ids: readonly EventId[], since: EpochMs): AsyncIterable<readonly MovedStamps[]>;
  overridesWithIds(
    guildId: GuildId,
    ids: readonly OccurrenceId[],
    options: { readonly texts: boolean },
  ): Promise<Override[]>;
}

const EVENT_STAMPS = { createdAt: 1, follows: 1, scheduledAt: 1, endSetAt: 1 } as const;
const OVERRIDE_STAMPS = { _id: 0, eventId: 1, original: 1, scheduledAt: 1, endSetAt: 1 } as const;

type EventStampsRow = Pick<AnyRow, "_id" | keyof typeof EVENT_STAMPS>;
type OverrideStampsRow = Pick<OverrideRow, Exclude<keyof typeof OVERRIDE_STAMPS, "_id">>;

/** Rows of about 150 bytes. */
const PAGE_ROWS = 1_000;

/** @param snapshotAt - The time of the snapshot that is read; undefined for the present state. */
export function changeStampReads(model: Model<AnyRow>, snapshotAt: () => SnapshotTime | undefined): ChangeStampReads {
  return {
    async *changedIn(guildId, calendars, { from, until }) {
      const timesSetAt = { $max: ["$scheduledAt", "$endSetAt"] };
      const pipeline = [
        { $match: { ...inCalendars(guildId, calendars), changedAt: { $gte: new Date(from) }, ...timesSetLater() } },
        { $project: { ...EVENT_STAMPS, timesSetAt } },
        { $match: { timesSetAt: { $gte: new Date(from), $lt: new Date(until) } } },
        { $sort: { timesSetAt: 1, _id: 1 } },
      ];
      const read = { pipeline, hint: FEED_INDEX, batchSize: PAGE_ROWS };
      for await (const rows of streamPipeline<EventStampsRow>(model, read, snapshotAt())) yield rows.map(eventStamps);
    },

    async *overriddenSince(guildId, calendars, since) {
      const changedAt = { $gte: new Date(since) };
      const filter = { ...inCalendars(guildId, calendars), changedAt, hasOverrides: true };
      const read = { filter, projection: EVENT_STAMPS, hint: FEED_INDEX, batchSize: PAGE_ROWS };
      for await (const rows of streamPages<EventStampsRow>(model, read, snapshotAt())) yield rows.map(eventStamps);
    },

    async *movedSince(guildId, ids, since) {
      const timesSet = ["scheduledAt", "endSetAt"].map((stamp) => ({ [stamp]: { $gte: new Date(since) } }));
      const filter = { guildId, eventId: { $in: ids }, $or: timesSet };
      const read = { filter, projection: OVERRIDE_STAMPS, hint: OVERRIDES_INDEX, batchSize: PAGE_ROWS };
      for await (const rows of streamPages<OverrideStampsRow>(model, read, snapshotAt()))
        yield rows.map(overrideStamps);
    },

    async overridesWithIds(guildId, ids, { texts }) {
      const read = { filter: ofGuild(guildId, ids), projection: projectionOf(texts), hint: BY_ID };
      return (await findRows<OverrideRow>(model, read, snapshotAt())).map(overrideOf);
    },
  };
}

/**
 * Matches events that got other times after their creation. New events, of which an import stores many at once, do not match; a part
 * of a series does, since the split that created it may have given it other times.
 */
function timesSetLater(): object {
  const isLater = ["$scheduledAt", "$endSetAt"].map((stamp) => ({ $gt: [stamp, "$createdAt"] }));
  return { $or: [{ $expr: { $or: isLater } }, { follows: { $exists: true } }] };
}

function eventStamps(row: EventStampsRow): ChangeStamps {
  const { _id, createdAt, follows, scheduledAt, endSetAt } = row;
  return {
    id: _id as EventId,
    scheduledAt: scheduledAt?.getTime() ?? 0,
    ...definedFields({ follows, createdAt: createdAt?.getTime(), endSetAt: endSetAt?.getTime() }),
  };
}

function overrideStamps({ eventId, original, scheduledAt, endSetAt }: OverrideStampsRow): MovedStamps {
  const stamps = { scheduledAt: scheduledAt?.getTime(), endSetAt: endSetAt?.getTime() };
  return { eventId, original, ...definedFields(stamps) };
}
