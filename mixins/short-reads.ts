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
 * The rows of a read, as they are stored; in a snapshot session, as they were at its moment. Where they fit in one reply,
 * which is nearly always, it is the command alone, without a query object, a cursor, and a decoder for each row: half the
 * driver's time for fifty rows. Where they don't, or the command fails, the driver's own `find` does it, which goes on
 * through all batches and tries again after an election.
 */
export async function readRows<Row>(
  model: Readable,
  read: ShortRead,
  session: ClientSession | null = null,
): Promise<Row[]> {
  const db = databaseOf(model);
  const { name } = model.collection;
  const command = { find: name, ...read, batchSize: FIRST_BATCH, ...visibility(session) };
  const { filter, ...options } = read;
  try {
    const { cursor } = (await db.command(command, inSession(session))) as Reply<Row>;
    if (cursor.id === 0) return cursor.firstBatch;
    await db.command({ killCursors: name, cursors: [mongoose.mongo.Long.fromValue(cursor.id)] });
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerSelectionError) throw error;
  }
  return (await cursorOf(db, name, filter, options, session).toArray()) as Row[];
}

/** The rows of a read that may be many, a batch of them at a time. */
export function streamRows<Row>(
  model: Readable,
  { filter, ...options }: ShortRead & { readonly batchSize: number },
  session: ClientSession | null = null,
): AsyncIterable<Row> {
  return cursorOf(databaseOf(model), model.collection.name, filter, options, session) as AsyncIterable<Row>;
}

/** The driver's own database object; throws while there is no connection. */
export function databaseOf({ db: { db } }: Readable): NonNullable<Connection["db"]> {
  if (db === undefined) throw new mongoose.MongooseError("not connected");
  return db;
}

function cursorOf(
  db: NonNullable<Connection["db"]>,
  name: string,
  filter: object,
  options: object,
  session: ClientSession | null,
) {
  return db.collection(name).find(filter, { ...options, ...inSession(session), ...visibility(session) } as never);
}

function inSession(session: ClientSession | null): { session?: ClientSession } {
  return session === null ? {} : { session };
}

/**
 * Said for each read: under a connection's own read concern the driver would read a snapshot session's rows as they are
 * at the moment, and then write the session's time into what all other reads share.
 */
function visibility(session: ClientSession | null): { readonly readConcern: { level: "majority" | "snapshot" } } {
  return { readConcern: { level: session === null ? "majority" : "snapshot" } };
}

interface Reply<Row> {
  readonly cursor: { readonly id: number | InstanceType<typeof mongoose.mongo.Long>; readonly firstBatch: Row[] };
}
