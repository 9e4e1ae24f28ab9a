import { MAX_JOIN_WAIT_MS } from "../async/timeout.ts";
import { type Readable, readRows, type ShortRead } from "./short-reads.ts";
import { batched } from "../async/batch.ts";

/** More ids than this in one query are two queries. */
const MAX_IDS = 500;

/**
 * Reads documents by id, as stored, or without what the projection leaves out. Ids that are asked for in the same turn of
 * the event loop, or while two queries are under way, are one query. Nothing is kept: each answer was read after it was
 * asked for.
 */
export function coalescedReads<Row extends { readonly _id: string }>(
  model: Readable,
  projection: ShortRead["projection"] = {},
): (id: string) => Promise<Row | null> {
  async function readAll(ids: readonly string[]): Promise<(Row | null)[]> {
    const rows = await readRows<Row>(model, { filter: { _id: { $in: [...new Set(ids)] } }, projection });
    const found = new Map(rows.map((row) => [row._id, row]));
    return ids.map((id) => found.get(id) ?? null);
  }

  return batched<string, Row | null>(readAll, { most: MAX_IDS, placeMs: MAX_JOIN_WAIT_MS });
}
