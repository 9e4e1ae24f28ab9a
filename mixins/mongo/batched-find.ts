import type { Model } from "mongoose";
import { batched } from "../async/batch.ts";
import { MAX_JOIN_WAIT_MS } from "../async/timeout.ts";

/** More ids than this in one query are two queries. */
const MAX_IDS = 500;

/** A row as it is read: without what the projection leaves out. */
type Read<Stored, Left extends PropertyKey> = Omit<Stored, Left> & { readonly _id: string };

/**
 * Reads documents by id, as stored, or without what the projection leaves out. Ids that are asked for in the same turn of
 * the event loop, or while two queries are under way, are one query. Nothing is kept: each answer was read after it was
 * asked for.
 */
export function batchedFind<Stored extends { _id: string }, Left extends PropertyKey>(
  model: Model<Stored>,
  projection: Readonly<Record<Left, 0>>,
): (id: string) => Promise<Read<Stored, Left> | null> {
  async function readAll(ids: readonly string[]): Promise<(Read<Stored, Left> | null)[]> {
    const filter = { _id: { $in: [...new Set(ids)] } };
    const rows = await model.find(filter as never, projection).lean<Read<Stored, Left>[]>();
    const found = new Map(rows.map((row) => [row._id, row]));
    return ids.map((id) => found.get(id) ?? null);
  }

  return batched<string, Read<Stored, Left> | null>(readAll, { maxSize: MAX_IDS, slotTimeoutMs: MAX_JOIN_WAIT_MS });
}
