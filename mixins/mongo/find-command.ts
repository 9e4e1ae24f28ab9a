import mongoose, { type Connection } from "mongoose";
import { TimeSlice } from "../async/time-slice.ts";

/** The parameters of MongoDB's command `find`. */
export interface FindCommand {
  readonly filter: object;
  /** 1 includes a field, 0 excludes it; a text is an expression whose value is returned under that name. */
  readonly projection?: Readonly<Record<string, 0 | 1 | string>>;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly hint?: Readonly<Record<string, 1 | -1>>;
  /** 0 for no limit. */
  readonly limit?: number;
}

/** The members of a mongoose model that a read uses. */
export interface ReadableModel {
  readonly db: Pick<Connection, "db">;
  readonly collection: { readonly name: string };
}

/** A point in time of the database (`atClusterTime`). Several reads at it see one snapshot: no later write. */
export type SnapshotTime = InstanceType<typeof mongoose.mongo.Timestamp>;

/** Number of rows in the first batch. A reply holds at most 16 MiB. */
export const FIRST_BATCH_ROWS = 10_001;

/**
 * Reads rows as they are stored; with a snapshot time, as they were then.
 *
 * Nearly always all rows fit in one reply, and the plain command is enough. For fifty rows the plain command takes half the
 * time of the driver's `find`, which makes a query object, a cursor and a decoder for each row. If there are more rows, or
 * the command fails, a cursor of the driver reads all batches, so a read is retried once after an election.
 */
export async function findRows<Row>(model: ReadableModel, read: FindCommand, at?: SnapshotTime): Promise<Row[]> {
  const db = databaseOf(model);
  const { name } = model.collection;
  const command = { find: name, ...read, ...batchOf(read), readConcern: readConcernFor(at) };
  try {
    const { cursor } = (await db.command(command)) as Reply<Row>;
    if (cursor.id === 0) return cursor.firstBatch;
    await db.command({ killCursors: name, cursors: [mongoose.mongo.Long.fromValue(cursor.id)] });
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerSelectionError) throw error;
  }
  return (await db.runCursorCommand(command).toArray()) as Row[];
}

/** Reads rows in batches. */
export function streamRows<Row>(
  model: ReadableModel,
  read: FindCommand & { readonly batchSize: number },
  at?: SnapshotTime,
): AsyncIterable<Row> {
  return cursorOf(model, read, at) as AsyncIterable<Row>;
}

function cursorOf(...[model, { batchSize, ...read }, at]: Parameters<typeof streamRows>) {
  const command = { find: model.collection.name, ...read, batchSize, readConcern: readConcernFor(at) };
  return databaseOf(model).runCursorCommand(command).setBatchSize(batchSize);
}

/** The results of an aggregation in pages, as those of `streamPages`. */
export function streamPipeline<Row>(
  model: ReadableModel,
  {
    batchSize,
    ...read
  }: { readonly pipeline: readonly object[]; readonly hint?: FindCommand["hint"]; readonly batchSize: number },
  at?: SnapshotTime,
): AsyncIterable<readonly Row[]> {
  const readConcern = readConcernFor(at);
  const command = { aggregate: model.collection.name, ...read, cursor: { batchSize }, readConcern };
  return pagesOf(databaseOf(model).runCursorCommand(command).setBatchSize(batchSize), batchSize);
}

/**
 * The rows of `streamRows` in pages of at most `batchSize` rows. The cursor decodes one row after the other. A page ends, and the event
 * loop rests, when that has taken a slice of time.
 */
export function streamPages<Row>(...[model, read, at]: Parameters<typeof streamRows>): AsyncIterable<readonly Row[]> {
  return pagesOf(cursorOf(model, read, at), read.batchSize);
}

async function* pagesOf<Row>(cursor: ReturnType<typeof cursorOf>, pageRows: number): AsyncIterable<readonly Row[]> {
  const slice = new TimeSlice();
  let page: Row[] = [];
  try {
    for (;;) {
      const waits = cursor.bufferedCount() === 0;
      const row = (await cursor.next()) as Row | null;
      if (row === null) break;
      if (waits) slice.begin();
      page.push(row);
      if (page.length < pageRows && !slice.isOver) continue;
      yield page;
      page = [];
      if (slice.isOver) await slice.rest();
    }
  } finally {
    await cursor.close();
  }
  if (page.length > 0) yield page;
}

/**
 * Reads rows in pages of at most `batchSize` rows, like `streamPages`. If all rows fit in one page, they are read by the plain
 * command, which leaves them encoded: they are decoded one after the other.
 */
export async function* findPages<Row>(
  model: ReadableModel,
  read: FindCommand & { readonly batchSize: number },
): AsyncIterable<readonly Row[]> {
  const { batchSize, limit = 0, ...query } = read;
  const first = limit === 0 ? batchSize + 1 : Math.min(limit, batchSize + 1);
  const rows = await encodedRows(model, { ...query, limit: first, batchSize: first }).catch((error: unknown) => {
    if (error instanceof mongoose.mongo.MongoServerSelectionError) throw error;
    return undefined;
  });
  // A longer result is read again from its first row. A cursor reads again what failed, as during an election.
  if (rows === undefined || (rows.length > batchSize && rows.length !== limit)) {
    yield* streamPages<Row>(model, read);
    return;
  }
  const slice = new TimeSlice();
  let page: Row[] = [];
  for (const row of rows) {
    page.push(mongoose.mongo.BSON.deserialize(row) as Row);
    if (!slice.isOver) continue;
    yield page;
    page = [];
    await slice.rest();
  }
  if (page.length > 0) yield page;
}

/** The rows of the plain command as MongoDB sends them; undefined if one reply does not hold all of them. */
async function encodedRows(
  model: ReadableModel,
  read: FindCommand & { readonly batchSize: number },
): Promise<Uint8Array[] | undefined> {
  const db = databaseOf(model);
  const { name } = model.collection;
  const command = { find: name, ...read, readConcern: readConcernFor(undefined) };
  const { cursor } = (await db.command(command, { fieldsAsRaw: { firstBatch: true } })) as Reply<Uint8Array>;
  if (cursor.id === 0) return cursor.firstBatch;
  await db.command({ killCursors: name, cursors: [mongoose.mongo.Long.fromValue(cursor.id)] });
  return undefined;
}

/** A read of one row needs no cursor: without it the database takes three quarters of the time for a read by id. */
export function batchOf({ limit }: Pick<FindCommand, "limit">): object {
  return limit === 1 ? { singleBatch: true } : { batchSize: FIRST_BATCH_ROWS };
}

/** The driver's database object; throws while there is no connection. */
export function databaseOf({ db: { db } }: ReadableModel): NonNullable<Connection["db"]> {
  if (db === undefined) throw new mongoose.MongooseError("not connected");
  return db;
}

/**
 * A command does not inherit the read concern of the connection: without one it would read data that no majority has.
 */
function readConcernFor(at: SnapshotTime | undefined): object {
  return at === undefined ? { level: "majority" } : { level: "snapshot", atClusterTime: at };
}

/** The reply to a command with a cursor. */
export interface Reply<Row> {
  readonly cursor: {
    readonly id: number | InstanceType<typeof mongoose.mongo.Long>;
    readonly firstBatch: Row[];
    /** The time of the snapshot that was read. */
    readonly atClusterTime?: SnapshotTime;
  };
  /** After a read with read concern `majority`: a time at which its shard has all that it had then. */
  readonly operationTime?: SnapshotTime;
}
