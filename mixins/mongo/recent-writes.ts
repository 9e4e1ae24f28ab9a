import type { Model } from "mongoose";
import type { EpochMs, GuildId } from "../../services/contracts/ids.ts";
import { currentWriteId, WRITE_DEADLINE_MS } from "./write-context.ts";
import type { RecentWrite, Tracked } from "./tracked-record.ts";

/**
 * A write is known for longer than any of its tries can still change something. The database server's clock stamps it and
 * ends its tries, so that a second is enough between two primaries.
 */
const REMEMBERED_MS: EpochMs = WRITE_DEADLINE_MS + 1_000;

/**
 * The writes of a record, with the one that is being made, as a part of the update that stores its next revision; nothing
 * for what has no revision of its own.
 *
 * Their number is bounded by how many writes there can be in the time: one at a time in a process (`write-queue.ts`), and of
 * one guild `REQUESTS_PER_GUILD`, by default 100 a second. So a record has 1 300 of them at most, of 85 bytes each, and
 * without that limit about 5 000: a process made 250 to 400 writes a second, which were as fast with 2 000 as with none.
 *
 * They are forgotten when half of them are too old, and not each at its time: an entry that is appended is all of the change
 * that MongoDB has to keep, 460 bytes in its oplog. One taken from the front moves all others, and 36 kB were kept for each
 * write of a record with 650, or 173 kB with 2 500: one guild took the oplog from the members that were behind.
 */
export function recentWritesField(record: { readonly revision?: number }): object {
  const id = currentWriteId();
  const { revision } = record;
  if (revision === undefined) return {};
  if (id === undefined) return { writes: "$writes" };
  return { writes: { $concatArrays: [writesBefore(), [{ id, revision, at: "$$NOW" }]] } };
}

/** Those that are stored, the oldest first; without the ones that are too old where these are half of them or more. */
function writesBefore(): object {
  const stored = { $ifNull: ["$writes", []] };
  const oldest = { $subtract: ["$$NOW", REMEMBERED_MS] };
  const middle = { $floor: { $divide: [{ $subtract: [{ $size: stored }, 1] }, 2] } };
  const isHalfTooOld = { $lt: [{ $arrayElemAt: ["$writes.at", middle] }, oldest] };
  const known = { $filter: { input: stored, cond: { $gte: ["$$this.at", oldest] } } };
  return { $cond: [isHalfTooOld, known, stored] };
}

/** The condition of an update: no other try of the write that is being made has stored it. */
export function notWrittenFilter(): object {
  const id = currentWriteId();
  return id === undefined ? {} : { "writes.id": { $ne: id } };
}

/** A record, and the guild that it has to be of. */
interface RecordKey {
  readonly _id: string;
  readonly guildId: GuildId;
}

/** The revision that another try of the write that is being made has stored in the record; undefined where none has. */
export async function revisionWritten<Row extends Tracked>(
  model: Model<Row>,
  { guildId, _id }: RecordKey,
): Promise<number | undefined> {
  const id = currentWriteId();
  if (id === undefined) return undefined;
  const row = await model
    .findOne({ _id, guildId, "writes.id": id } as never, { writes: 1 })
    .lean<{ readonly writes: readonly RecentWrite[] }>();
  return row?.writes.find((write) => write.id === id)?.revision;
}

/** Whether another try of the create has made the record, which has its id from the write, whatever became of it since. */
export async function wasCreated<Row extends Tracked>(
  model: Model<Row>,
  { guildId, _id }: RecordKey,
): Promise<boolean> {
  return (await model.exists({ _id, guildId } as never)) !== null;
}
