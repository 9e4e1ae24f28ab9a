import type { Model } from "mongoose";
import { type SnapshotTime, streamPages } from "../../../mixins/mongo/find-command.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import type { EpochMs, EventId, GuildId } from "../../contracts/ids.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import type { StoredEvent } from "../domain/event/event.ts";
import { inCalendars } from "../window-index/query.ts";
import { type AnyRow, FEED_INDEX } from "./calendar-event.document.ts";

/** The fields of an event that tell when its times were changed (D69). */
export type ChangeStamps = Pick<
  StoredEvent,
  "id" | "calendarNumber" | "createdAt" | "follows" | "scheduledAt" | "endSetAt"
> & { readonly hasOverrides: boolean };

const PROJECTION = {
  calendarNumber: 1,
  createdAt: 1,
  follows: 1,
  scheduledAt: 1,
  endSetAt: 1,
  hasOverrides: 1,
} as const;

type StampsRow = Pick<AnyRow, "_id" | keyof typeof PROJECTION>;

/** Rows of about 150 bytes. */
const PAGE_ROWS = 5_000;

/** Reads the stamps of the events that `timesChangedSince` matches, in pages. */
export async function* readChangeStamps(
  model: Model<AnyRow>,
  { guildId, calendars }: { readonly guildId: GuildId; readonly calendars: readonly Calendar[] },
  since: EpochMs,
  snapshotAt: SnapshotTime | undefined,
): AsyncIterable<readonly ChangeStamps[]> {
  const filter = { ...inCalendars(guildId, calendars), ...timesChangedSince(since) };
  const read = { filter, projection: PROJECTION, hint: FEED_INDEX, batchSize: PAGE_ROWS };
  for await (const rows of streamPages<StampsRow>(model, read, snapshotAt)) yield rows.map(stampsOf);
}

/**
 * Matches events that got other times after their creation, at the instant or later, and series with overrides that were changed
 * since. New events, of which an import stores many at once, do not match.
 */
function timesChangedSince(at: EpochMs): object {
  const since = { $gte: new Date(at) };
  const times = { $or: [{ scheduledAt: since }, { endSetAt: since }] };
  const isLater = ["$scheduledAt", "$endSetAt"].map((stamp) => ({ $gt: [stamp, "$createdAt"] }));
  // A series that was split from another one is created by the split, which may have given it other times.
  const either = [
    { hasOverrides: true },
    { ...times, $expr: { $or: isLater } },
    { ...times, follows: { $exists: true } },
  ];
  return { changedAt: since, $or: either };
}

function stampsOf(row: StampsRow): ChangeStamps {
  const { _id, calendarNumber, createdAt, follows, scheduledAt, endSetAt, hasOverrides = false } = row;
  return {
    id: _id as EventId,
    calendarNumber,
    hasOverrides,
    scheduledAt: scheduledAt?.getTime() ?? 0,
    ...definedFields({ follows, createdAt: createdAt?.getTime(), endSetAt: endSetAt?.getTime() }),
  };
}
