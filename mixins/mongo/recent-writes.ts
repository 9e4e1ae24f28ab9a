import type { Model } from "mongoose";
import type { EpochMs, GuildId } from "../../services/contracts/ids.ts";
import { currentWriteId, WRITE_DEADLINE_MS } from "./write-context.ts";
import { NOW_MS, type RecentWrite, type Tracked } from "./tracked-record.ts";

/**
 * Time for which a write id is stored: longer than any attempt of the write can still change something. One clock, the
 * database server's, stamps the write and ends its attempts. The further second covers the difference between the clocks
 * of two members, if another one becomes primary.
 */
const REMEMBERED_MS: EpochMs = WRITE_DEADLINE_MS + 1_000;

/**
 * The recent writes of a record, with the current one, as a field of the update that stores its next revision; empty
 * for a record without a revision.
 *
 * Their number is bounded by the number of writes in the time: one at a time in a process (`write-queue.ts`), and
 * `REQUESTS_PER_GUILD`, by default 100 a second, of one guild. So a record has at most 1 300 of them, of 85 bytes
 * each. Without that limit it has about 5 000: a process made 250 to 400 writes a second, whether the record had 2 000
 * entries or none.
 *
 * They are deleted when half of them are too old, and not one by one. An appended entry is the only change that
 * MongoDB writes to its oplog, 460 bytes. An entry that is removed from the front moves all others: the oplog got 36
 * kB for each write of a record with 650 entries, and 173 kB with 2 500, so the writes of one guild removed from the
 * oplog what slow secondaries still had to read.
 */
export function recentWritesField(record: { readonly revision?: number }): object {
  const id = currentWriteId();
  const { revision } = record;
  if (revision === undefined) return {};
  if (id === undefined) return { writes: "$writes" };
  return { writes: { $concatArrays: [writesBefore(), [{ id, revision, at: NOW_MS }]] } };
}

/** The stored entries, the oldest first; without those that are too old if these are at least half of all. */
function writesBefore(): object {
  const stored = { $ifNull: ["$writes", []] };
  const oldest = { $subtract: [NOW_MS, REMEMBERED_MS] };
  const middle = { $floor: { $divide: [{ $subtract: [{ $size: stored }, 1] }, 2] } };
  const isHalfTooOld = { $lt: [{ $toLong: { $arrayElemAt: ["$writes.at", middle] } }, oldest] };
  const known = { $filter: { input: stored, cond: { $gte: [{ $toLong: "$$this.at" }, oldest] } } };
  return { $cond: [isHalfTooOld, known, stored] };
}

/** A filter of an update: no other attempt of the current write has stored it. */
export function notWrittenFilter(): object {
  const id = currentWriteId();
  return id === undefined ? {} : { "writes.id": { $ne: id } };
}

/** The id of a record, and the guild that it must belong to. */
interface RecordKey {
  readonly _id: string;
  readonly guildId: GuildId;
}

/** The revision that another attempt of the current write has stored in the record; undefined if none has. */
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

/**
 * Whether another attempt of the current write has created the record. The id of the record comes from the write, so a
 * record with the id, even removed since, is proof.
 */
export async function wasCreated<Row extends Tracked>(
  model: Model<Row>,
  { guildId, _id }: RecordKey,
): Promise<boolean> {
  return (await model.exists({ _id, guildId } as never)) !== null;
}
