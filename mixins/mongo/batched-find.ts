import type { Model } from "mongoose";
import { batched, READ_SLOT_TIMEOUT_MS } from "../async/batch.ts";

/** Largest number of rows of one query by default, for small rows. */
const MAX_SMALL_ROWS = 500;

/** A row as it is read: without the fields that the projection excludes. */
type ReadRow<Stored, Excluded extends PropertyKey> = Omit<Stored, Excluded> & { readonly _id: string };

/**
 * Reads documents by id, without the fields that the projection excludes. One query reads all ids that are requested in
 * the same turn of the event loop, or while two queries are in flight. Nothing is cached: each document is read after it
 * was requested.
 *
 * @param maxRows - Largest number of rows of one query. The driver decodes all rows of a reply in one turn of the event
 * loop, so large rows need a smaller number.
 */
export function batchedFind<Stored extends { _id: string }, Excluded extends PropertyKey>(
  model: Model<Stored>,
  projection: Readonly<Record<Excluded, 0>>,
  maxRows = MAX_SMALL_ROWS,
): (id: string) => Promise<ReadRow<Stored, Excluded> | null> {
  async function readAll(ids: readonly string[]): Promise<(ReadRow<Stored, Excluded> | null)[]> {
    const filter = { _id: { $in: [...new Set(ids)] } };
    const rows = await model.find(filter as never, projection).lean<ReadRow<Stored, Excluded>[]>();
    const found = new Map(rows.map((row) => [row._id, row]));
    return ids.map((id) => found.get(id) ?? null);
  }

  return batched<string, ReadRow<Stored, Excluded> | null>(readAll, {
    maxSize: maxRows,
    slotTimeoutMs: READ_SLOT_TIMEOUT_MS,
  });
}
