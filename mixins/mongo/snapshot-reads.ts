import mongoose from "mongoose";
import {
  batchOf,
  databaseOf,
  FIRST_BATCH_ROWS,
  type FindCommand,
  findRows,
  type ReadableModel,
  type Reply,
  type SnapshotTime,
} from "./find-command.ts";

/*
 * Reads with the time of their snapshot. A replica set chooses the time. A mongos chooses the latest time that it knows from any
 * shard, and a shard that has written nothing since must first write to its oplog: with two shards of one member each a read took
 * 90 ms in place of 0.9. Therefore, behind a mongos, a first read with read concern `majority` shows a time that its shard has
 * reached. That read includes every acknowledged write, so the snapshot does, too.
 */

/**
 * MongoDB interrupts a read after 10 ms or 1 000 steps, and goes on with a newer state (`internalQueryExecYieldPeriodMS`,
 * `internalQueryExecYieldIterations`). A faster read of few rows sees one moment.
 */
const UNINTERRUPTED_MS = 10;
const UNINTERRUPTED_ROWS = 100;

interface SnapshotRows<Row> {
  readonly rows: Row[];
  readonly at: SnapshotTime;
}

type Db = ReturnType<typeof databaseOf>;

const shardedDbs = new WeakMap<Db, boolean>();

/**
 * Reads rows as they are now, with the snapshot time, at which further reads can be made.
 *
 * @param isAlone - Whether no further read follows these rows. Without a snapshot they are read once.
 */
export async function findRowsInSnapshot<Row>(
  model: ReadableModel,
  read: FindCommand,
  isAlone: (rows: readonly Row[]) => boolean = () => false,
): Promise<SnapshotRows<Row>> {
  const db = databaseOf(model);
  const find = { find: model.collection.name, ...read, ...batchOf(read) };
  if (!(await isBehindMongos(db))) {
    const { cursor, at } = await runInSnapshot<Row>(db, find);
    // A cursor reads the rows of a longer result at the same snapshot time.
    return { rows: cursor.id === 0 ? cursor.firstBatch : await findRows<Row>(model, read, at), at };
  }
  const began = performance.now();
  const { cursor, at } = await runBeforeSnapshot<Row>(db, find);
  const isOneMoment = performance.now() - began < UNINTERRUPTED_MS && cursor.firstBatch.length <= UNINTERRUPTED_ROWS;
  if (cursor.id === 0 && isOneMoment && isAlone(cursor.firstBatch)) return { rows: cursor.firstBatch, at };
  return { rows: await findRows<Row>(model, read, at), at };
}

/**
 * Reads the distinct values of a field in the rows of a filter, with the snapshot time. Only for fields with few values: it
 * returns at most FIRST_BATCH_ROWS.
 */
export async function distinctInSnapshot(
  model: ReadableModel,
  field: string,
  filter: object,
): Promise<{ values: unknown[]; at: SnapshotTime }> {
  const db = databaseOf(model);
  const pipeline = [{ $match: filter }, { $group: { _id: `$${field}` } }];
  const aggregate = { aggregate: model.collection.name, pipeline, cursor: { batchSize: FIRST_BATCH_ROWS } };
  const time = (await isBehindMongos(db)) ? (await runBeforeSnapshot(db, aggregate)).at : undefined;
  const { cursor, at } = await runInSnapshot<{ readonly _id: unknown }>(db, aggregate, time);
  return { values: cursor.firstBatch.map(({ _id }) => _id), at };
}

/** Runs a command at a snapshot time; without one the database chooses it. */
async function runInSnapshot<Row>(db: Db, command: object, time?: SnapshotTime): Promise<Reply<Row> & SnapshotAt> {
  const readConcern = { level: "snapshot", ...(time === undefined ? {} : { atClusterTime: time }) };
  const reply = await runTwice<Row>(db, { ...command, readConcern });
  return { ...reply, at: needTime(reply.cursor.atClusterTime) };
}

/** Runs a command, and returns a snapshot time that its shard has reached and that is not before its result. */
async function runBeforeSnapshot<Row>(db: Db, command: object): Promise<Reply<Row> & SnapshotAt> {
  const reply = await runTwice<Row>(db, { ...command, readConcern: { level: "majority" } });
  const { id } = reply.cursor;
  if (id !== 0) {
    const [name] = Object.values(command) as [string];
    await db.command({ killCursors: name, cursors: [mongoose.mongo.Long.fromValue(id)] });
  }
  return { ...reply, at: needTime(reply.operationTime) };
}

interface SnapshotAt {
  readonly at: SnapshotTime;
}

function needTime(at: SnapshotTime | undefined): SnapshotTime {
  if (at === undefined) throw new mongoose.MongooseError("a snapshot without its time");
  return at;
}

/** Runs a command, and again if it fails, as after an election. */
async function runTwice<Row>(db: Db, command: object): Promise<Reply<Row>> {
  return (await db.command(command).catch((error: unknown) => {
    if (error instanceof mongoose.mongo.MongoServerSelectionError) throw error;
    return db.command(command);
  })) as Reply<Row>;
}

async function isBehindMongos(db: Db): Promise<boolean> {
  const known = shardedDbs.get(db);
  if (known !== undefined) return known;
  const isSharded = ((await runTwice(db, { hello: 1 })) as { readonly msg?: string }).msg === "isdbgrid";
  shardedDbs.set(db, isSharded);
  return isSharded;
}
