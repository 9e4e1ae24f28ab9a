import DataLoader from "dataloader";
import { type Readable, readRows, type ShortRead } from "./short-reads.ts";

/** More ids than this in one query are two queries. */
const MOST_IDS = 500;

/**
 * Reads documents by id, as stored, or without what the projection leaves out. Ids that are asked for in the same turn of the event loop are one query: a database
 * driver spends more on a query than on a document. Nothing is kept: each answer was read after it was asked for.
 *
 * By the library `dataloader`, which waits, splits and hands out; its cache is off.
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

  // What the same poll of the sockets brought in is taken together.
  const loader = new DataLoader(readAll, { cache: false, maxBatchSize: MOST_IDS, batchScheduleFn: setImmediate });
  return (id) => loader.load(id);
}
