import { createHash } from "node:crypto";
import { CHANGE_FEED_OVERLAP_MS } from "../../services/contracts/change-feed.contract.ts";
import type {
  ChangedRecord,
  ChangedRecords,
  ChangedRecordsParams,
  RecordKey,
} from "../../services/contracts/guild-changes.contract.ts";
import { type FindCommand, findRows, type ReadableModel } from "./find-command.ts";
import { findRowsInSnapshot } from "./snapshot-reads.ts";

/** The records of a guild, in a collection. */
export interface RecordsOfGuild {
  readonly model: ReadableModel;
  /** Matches the records of the guild. */
  readonly filter: object;
  /** The field with the time of the last write, by the database server's clock. */
  readonly stamp: "changedAt" | "recordedAt";
  /** An index by which the records of the guild are found. */
  readonly hint: NonNullable<FindCommand["hint"]>;
  /** The fields of the records that are returned. */
  readonly projection: NonNullable<FindCommand["projection"]>;
}

/** The records of rows, in the same order. */
type ToViews<Row, View> = (rows: readonly Row[]) => readonly View[] | Promise<readonly View[]>;

interface KeyRow {
  readonly _id: string;
  readonly revision?: number;
  readonly deletedAt?: Date;
  readonly changedAt?: Date;
  readonly recordedAt?: Date;
  readonly readAt: Date;
}

/** Number of whole records in one reply: the largest records have 70 kB. */
const RECORDS_AT_ONCE = 20;
/** Size of the records in one result, as JSON; the last record may exceed it. */
const MAX_BYTES = 262_144;

/**
 * Reads the records of a guild that changed after a position and were not delivered yet. All reads see one snapshot.
 *
 * A write gets its time when it begins and appears when it is stored, so it may appear before writes with a later time.
 * `settledUntil` is before every write that is not in the snapshot: it is the time of the snapshot, and at most the time of
 * the read, minus the longest time that MongoDB takes for a write. The snapshot is older than the read while the members of
 * the replica set lag behind.
 */
export async function changedRecords<Row extends { readonly _id: string }, View>(
  { model, filter, stamp, hint, projection }: RecordsOfGuild,
  { after, limit }: Omit<ChangedRecordsParams, "guildId">,
  viewsOf: ToViews<Row, View>,
): Promise<ChangedRecords<View>> {
  const at = new Date(after.at);
  const { rows, at: snapshot } = await findRowsInSnapshot<KeyRow>(model, {
    filter: {
      ...filter,
      [stamp]: { $gte: at },
      $or: [{ [stamp]: { $gt: at } }, { [stamp]: at, _id: { $gt: after.id } }],
    },
    projection: { [stamp]: 1, revision: 1, deletedAt: 1, readAt: "$$NOW" },
    sort: { [stamp]: 1, _id: 1 },
    hint,
    limit: limit + after.delivered.length + 1,
  });
  const [first] = rows;
  if (first === undefined) return { delivered: [], changed: [], settledUntil: 0, more: false };

  const known = new Set(after.delivered);
  const keys = rows.map((row) => keyOf(row, stamp));
  const existing = new Set(rows.filter(({ deletedAt }) => deletedAt === undefined).map(({ _id }) => _id));
  const delivered = keys.filter(({ digest }) => known.has(digest));
  const undelivered = keys.filter(({ digest }) => !known.has(digest));

  const changed: ChangedRecord<View>[] = [];
  let bytes = 0;
  for (let from = 0; from < Math.min(limit, undelivered.length) && bytes < MAX_BYTES; from += RECORDS_AT_ONCE) {
    const page = undelivered.slice(from, Math.min(limit, from + RECORDS_AT_ONCE));
    const ids = page.map(({ id }) => id).filter((id) => existing.has(id));
    const read = { filter: { ...filter, _id: { $in: ids } }, projection };
    const found = ids.length === 0 ? [] : await findRows<Row>(model, read, snapshot);
    const views = await viewsOf(found);
    const byId = new Map(found.map(({ _id }, index) => [_id, views[index]]));
    for (const key of page) {
      if (bytes >= MAX_BYTES) break;
      const record = byId.get(key.id);
      changed.push(record === undefined ? { ...key, deleted: true } : { ...key, deleted: false, record });
      bytes += record === undefined ? 0 : Buffer.byteLength(JSON.stringify(record));
    }
  }
  const readAt = Math.min(first.readAt.getTime(), Number(snapshot.toBigInt() >> 32n) * 1000);
  return {
    delivered,
    changed,
    settledUntil: Math.max(0, readAt - CHANGE_FEED_OVERLAP_MS),
    more: undelivered.length > changed.length,
  };
}

function keyOf(row: KeyRow, stamp: RecordsOfGuild["stamp"]): RecordKey {
  const { _id: id, revision = 1 } = row;
  return { at: row[stamp]?.getTime() ?? 0, id, revision, digest: digestOf(id, revision) };
}

/** 64 bits: of a million revisions, two are the same with a probability of 3 · 10⁻⁸, and only those of seconds are compared. */
function digestOf(id: string, revision: number): string {
  return createHash("sha256").update(`${id}@${revision}`).digest().subarray(0, 8).toString("base64url");
}
