import type { Model } from "mongoose";
import { batched, READ_SLOT_TIMEOUT_MS } from "../async/batch.ts";

/** Largest number of rows of one query by default, for small rows. */
const MAX_SMALL_ROWS = 500;

/** A row as it is read: without the fields that the projection excludes. */
type ReadRow<Stored, Excluded extends PropertyKey> = Omit<Stored, Excluded> & RowKey;

/** The id of a row, and the guild that the row must belong to. */
export interface RowKey {
  readonly _id: string;
  readonly guildId: string;
}

/**
 * Reads documents by id, without the fields that the projection excludes. One query reads all ids that are requested in
 * the same turn of the event loop, or while two queries are in flight. Nothing is cached: each document is read after it
 * was requested. A document of another guild counts as missing.
 *
 * The query has the guilds, which are the shard key, and so it asks only their shards.
 *
 * @param maxRows - Largest number of rows of one query. The driver decodes all rows of a reply in one turn of the event
 * loop, so large rows need a smaller number.
 */
export function batchedFind<Stored extends RowKey, Excluded extends PropertyKey>(
  model: Model<Stored>,
  projection: Readonly<Record<Excluded, 0>>,
  maxRows = MAX_SMALL_ROWS,
): (key: RowKey) => Promise<ReadRow<Stored, Excluded> | null> {
  async function readAll(keys: readonly RowKey[]): Promise<(ReadRow<Stored, Excluded> | null)[]> {
    const filter = { _id: { $in: distinct(keys, "_id") }, guildId: { $in: distinct(keys, "guildId") } };
    // The hint, because the guilds alone would let the database consider other indexes.
    const rows = await model
      .find(filter as never, projection, { hint: { _id: 1 } })
      .lean<ReadRow<Stored, Excluded>[]>();
    const found = new Map(rows.map((row) => [textOf(row), row]));
    return keys.map((key) => found.get(textOf(key)) ?? null);
  }

  return batched<RowKey, ReadRow<Stored, Excluded> | null>(readAll, {
    maxSize: maxRows,
    slotTimeoutMs: READ_SLOT_TIMEOUT_MS,
  });
}

function distinct(keys: readonly RowKey[], field: keyof RowKey): string[] {
  return [...new Set(keys.map((key) => key[field]))];
}

function textOf({ _id, guildId }: RowKey): string {
  return `${guildId}/${_id}`;
}
