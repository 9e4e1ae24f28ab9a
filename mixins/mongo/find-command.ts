import mongoose, { type Connection } from "mongoose";

/** What is read of a collection; as MongoDB's `find` takes it. */
export interface FindCommand {
  readonly filter: object;
  /** Of each field whether it is wanted; a text is an expression whose value is wanted under that name. */
  readonly projection?: Readonly<Record<string, 0 | 1 | string>>;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly hint?: Readonly<Record<string, 1 | -1>>;
  /** 0 for all that there is. */
  readonly limit?: number;
}

/** A mongoose model, as far as a read needs it. */
export interface ReadableModel {
  readonly db: Pick<Connection, "db">;
  readonly collection: { readonly name: string };
}

/** A moment of the database, at which several reads look: what was written after it is not seen. */
export type SnapshotTime = InstanceType<typeof mongoose.mongo.Timestamp>;

/** So many rows come in the first batch; a reply holds 16 MiB at most. */
const FIRST_BATCH_ROWS = 10_001;

/**
 * The rows of a read, as they are stored; with a moment, as they were then. Where they fit in one reply, which is nearly
 * always, it is the command alone, without a query object, a cursor, and a decoder for each row: half the driver's time
 * for fifty rows. Where they don't, or the command fails, a cursor of the driver's does it, which goes on through all
 * batches: so a read is tried again once after an election.
 */
export async function findRows<Row>(model: ReadableModel, read: FindCommand, at?: SnapshotTime): Promise<Row[]> {
  const db = databaseOf(model);
  const { name } = model.collection;
  const command = { find: name, ...read, batchSize: FIRST_BATCH_ROWS, readConcern: readConcernFor(at) };
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
  model: ReadableModel,
  { batchSize, ...read }: FindCommand & { readonly batchSize: number },
  at?: SnapshotTime,
): AsyncIterable<Row> {
  const command = { find: model.collection.name, ...read, batchSize, readConcern: readConcernFor(at) };
  return databaseOf(model).runCursorCommand(command).setBatchSize(batchSize) as AsyncIterable<Row>;
}

/** The rows of a read as they are now, and the moment of that, for further reads to look at. */
export async function findRowsInSnapshot<Row>(model: ReadableModel, read: FindCommand): Promise<SnapshotRows<Row>> {
  const find = { find: model.collection.name, ...read, batchSize: FIRST_BATCH_ROWS };
  const { cursor, at } = await runInSnapshot<Row>(databaseOf(model), find);
  // A cursor reads the rows that do not fit in one reply, at the same moment.
  return { rows: cursor.id === 0 ? cursor.firstBatch : await findRows<Row>(model, read, at), at };
}

/** The different values of a field in the rows of a filter, and the moment of that. */
export async function distinctInSnapshot(
  model: ReadableModel,
  field: string,
  filter: object,
): Promise<{ values: unknown[]; at: SnapshotTime }> {
  const pipeline = [{ $match: filter }, { $group: { _id: `$${field}` } }];
  const aggregate = { aggregate: model.collection.name, pipeline, cursor: { batchSize: FIRST_BATCH_ROWS } };
  const { cursor, at } = await runInSnapshot<{ readonly _id: unknown }>(databaseOf(model), aggregate);
  return { values: cursor.firstBatch.map(({ _id }) => _id), at };
}

/** A command's reply at a moment that the database chooses; asked once more where that fails, as after an election. */
async function runInSnapshot<Row>(db: ReturnType<typeof databaseOf>, command: object): Promise<SnapshotReply<Row>> {
  const atOnce = { ...command, readConcern: { level: "snapshot" } };
  const { cursor } = (await db.command(atOnce).catch((error: unknown) => {
    if (error instanceof mongoose.mongo.MongoServerSelectionError) throw error;
    return db.command(atOnce);
  })) as Reply<Row>;
  if (cursor.atClusterTime === undefined) throw new mongoose.MongooseError("a snapshot without its time");
  return { cursor, at: cursor.atClusterTime };
}

/** The driver's own database object; throws while there is no connection. */
function databaseOf({ db: { db } }: ReadableModel): NonNullable<Connection["db"]> {
  if (db === undefined) throw new mongoose.MongooseError("not connected");
  return db;
}

/** Said in each command: without it a command sees what no majority has. */
function readConcernFor(at: SnapshotTime | undefined): object {
  return at === undefined ? { level: "majority" } : { level: "snapshot", atClusterTime: at };
}

interface SnapshotRows<Row> {
  readonly rows: Row[];
  readonly at: SnapshotTime;
}

interface SnapshotReply<Row> extends Reply<Row> {
  readonly at: SnapshotTime;
}

interface Reply<Row> {
  readonly cursor: {
    readonly id: number | InstanceType<typeof mongoose.mongo.Long>;
    readonly firstBatch: Row[];
    readonly atClusterTime?: SnapshotTime;
  };
}
