import type { Model } from "mongoose";
import { batched } from "../async/batch.ts";
import { MAX_JOIN_WAIT_MS } from "../async/timeout.ts";

/** Largest number of ids in one query. */
const MAX_IDS = 500;

/** A row as it is read: without the fields that the projection excludes. */
type ReadRow<Stored, Excluded extends PropertyKey> = Omit<Stored, Excluded> & { readonly _id: string };

/**
 * Reads documents by id, without the fields that the projection excludes. Ids that are requested in the same turn of
 * the event loop, or while two queries are in flight, are one query. Nothing is cached: each document is read after
 * it was requested.
 */
export function batchedFind<Stored extends { _id: string }, Excluded extends PropertyKey>(
  model: Model<Stored>,
  projection: Readonly<Record<Excluded, 0>>,
): (id: string) => Promise<ReadRow<Stored, Excluded> | null> {
  async function readAll(ids: readonly string[]): Promise<(ReadRow<Stored, Excluded> | null)[]> {
    const filter = { _id: { $in: [...new Set(ids)] } };
    const rows = await model.find(filter as never, projection).lean<ReadRow<Stored, Excluded>[]>();
    const found = new Map(rows.map((row) => [row._id, row]));
    return ids.map((id) => found.get(id) ?? null);
  }

  return batched<string, ReadRow<Stored, Excluded> | null>(readAll, {
    maxSize: MAX_IDS,
    slotTimeoutMs: MAX_JOIN_WAIT_MS,
  });
}
