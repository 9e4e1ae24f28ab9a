import mongoose, { type ClientSession, type Connection } from "mongoose";

/** What is read of a collection; as MongoDB's `find` takes it. */
export interface ShortRead {
  readonly filter: object;
  readonly projection?: Readonly<Record<string, 0 | 1>>;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly hint?: Readonly<Record<string, 1 | -1>>;
  /** 0 for all that there is. */
  readonly limit?: number;
}

/** A mongoose model, as far as a read needs it. */
export interface Readable {
  readonly db: Pick<Connection, "db">;
  readonly collection: { readonly name: string };
}

/** So many rows come in the first batch; a reply holds 16 MiB at most. */
const FIRST_BATCH = 10_001;

/**
 * The rows of a read, as they are stored. Where they fit in one reply, which is nearly always, it is the command alone,
 * without a query object, a cursor, and a decoder for each row: half the driver's time for fifty rows. Where they
 * don't, or the command fails, the driver's own `find` does it, which goes on through all batches and tries again after
 * an election.
 */
export async function readRows<Row>(
  { db: connection, collection: { name } }: Readable,
  { filter, projection = {}, sort = {}, hint, limit = 0 }: ShortRead,
  session: ClientSession | null = null,
): Promise<Row[]> {
  const { db } = connection;
  if (db === undefined) throw new mongoose.MongooseError("not connected");
  const hinted = hint === undefined ? {} : { hint };
  const inSession = session === null ? {} : { session };
  const find = { find: name, filter, projection, sort, limit, batchSize: FIRST_BATCH, ...hinted };
  // A session says by itself what its reads may see.
  const command = session === null ? { ...find, readConcern: { level: "majority" } } : find;
  try {
    const { cursor } = (await db.command(command, inSession)) as Reply<Row>;
    if (cursor.id === 0) return cursor.firstBatch;
    await db.command({ killCursors: name, cursors: [mongoose.mongo.Long.fromValue(cursor.id)] }, inSession);
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerSelectionError) throw error;
  }
  const rows = db.collection(name).find(filter, { projection, sort, limit, ...hinted, ...inSession });
  return (await rows.toArray()) as Row[];
}

interface Reply<Row> {
  readonly cursor: { readonly id: number | InstanceType<typeof mongoose.mongo.Long>; readonly firstBatch: Row[] };
}
