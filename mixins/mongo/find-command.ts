import mongoose, { type Connection } from "mongoose";

/** What is read of a collection; as MongoDB's `find` takes it. */
export interface ShortRead {
  readonly filter: object;
  /** Of each field whether it is wanted; a text is an expression whose value is wanted under that name. */
  readonly projection?: Readonly<Record<string, 0 | 1 | string>>;
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

/** A moment of the database, at which several reads look: what was written after it is not seen. */
export type Moment = InstanceType<typeof mongoose.mongo.Timestamp>;

/** So many rows come in the first batch; a reply holds 16 MiB at most. */
const FIRST_BATCH = 10_001;

/**
 * The rows of a read, as they are stored; with a moment, as they were then. Where they fit in one reply, which is nearly
 * always, it is the command alone, without a query object, a cursor, and a decoder for each row: half the driver's time
 * for fifty rows. Where they don't, or the command fails, a cursor of the driver's does it, which goes on through all
 * batches: so a read is tried again once after an election.
 */
export async function readRows<Row>(model: Readable, read: ShortRead, at?: Moment): Promise<Row[]> {
  const db = databaseOf(model);
  const { name } = model.collection;
  const command = { find: name, ...read, ...batchOf(read), readConcern: visibility(at) };
  try {
    const { cursor } = (await db.command(command)) as Reply<Row>;
    if (cursor.id === 0) return cursor.firstBatch;
    await db.command({ killCursors: name, cursors: [mongoose.mongo.Long.fromValue(cursor.id)] });
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerSelectionError) throw error;
  }
  return (await db.runCursorCommand(command).toArray()) as Row[];
}

/** The rows of a read that may be many, a batch of them at a time. */
export function streamRows<Row>(
  model: Readable,
  { batchSize, ...read }: ShortRead & { readonly batchSize: number },
  at?: Moment,
): AsyncIterable<Row> {
  const command = { find: model.collection.name, ...read, batchSize, readConcern: visibility(at) };
  return databaseOf(model).runCursorCommand(command).setBatchSize(batchSize) as AsyncIterable<Row>;
}

/** The rows of a read as they are now, and the moment of that, for further reads to look at. */
export async function readRowsNow<Row>(model: Readable, read: ShortRead): Promise<RowsAt<Row>> {
  const find = { find: model.collection.name, ...read, ...batchOf(read) };
  const { cursor, at } = await replyNow<Row>(databaseOf(model), find);
  // A cursor reads the rows that do not fit in one reply, at the same moment.
  return { rows: cursor.id === 0 ? cursor.firstBatch : await readRows<Row>(model, read, at), at };
}

/** One row needs no cursor: the database reads it by its id in three quarters of the time. */
function batchOf({ limit }: Pick<ShortRead, "limit">): object {
  return limit === 1 ? { singleBatch: true } : { batchSize: FIRST_BATCH };
}

/** The different values of a field in the rows of a filter, and the moment of that. */
export async function distinctNow(
  model: Readable,
  field: string,
  filter: object,
): Promise<{ values: unknown[]; at: Moment }> {
  const pipeline = [{ $match: filter }, { $group: { _id: `$${field}` } }];
  const aggregate = { aggregate: model.collection.name, pipeline, cursor: { batchSize: FIRST_BATCH } };
  const { cursor, at } = await replyNow<{ readonly _id: unknown }>(databaseOf(model), aggregate);
  return { values: cursor.firstBatch.map(({ _id }) => _id), at };
}

/** A command's reply at a moment that the database chooses; asked once more where that fails, as after an election. */
async function replyNow<Row>(db: ReturnType<typeof databaseOf>, command: object): Promise<ReplyNow<Row>> {
  const atOnce = { ...command, readConcern: { level: "snapshot" } };
  const { cursor } = (await db.command(atOnce).catch((error: unknown) => {
    if (error instanceof mongoose.mongo.MongoServerSelectionError) throw error;
    return db.command(atOnce);
  })) as Reply<Row>;
  if (cursor.atClusterTime === undefined) throw new mongoose.MongooseError("a snapshot without its time");
  return { cursor, at: cursor.atClusterTime };
}

/** The driver's own database object; throws while there is no connection. */
function databaseOf({ db: { db } }: Readable): NonNullable<Connection["db"]> {
  if (db === undefined) throw new mongoose.MongooseError("not connected");
  return db;
}

/** Said in each command: without it a command sees what no majority has. */
function visibility(at: Moment | undefined): object {
  return at === undefined ? { level: "majority" } : { level: "snapshot", atClusterTime: at };
}

interface RowsAt<Row> {
  readonly rows: Row[];
  readonly at: Moment;
}

interface ReplyNow<Row> extends Reply<Row> {
  readonly at: Moment;
}

interface Reply<Row> {
  readonly cursor: {
    readonly id: number | InstanceType<typeof mongoose.mongo.Long>;
    readonly firstBatch: Row[];
    readonly atClusterTime?: Moment;
  };
}
