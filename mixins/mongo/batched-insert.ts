import mongoose, { type Connection } from "mongoose";
import { LAST_EPOCH_MS, type EpochMs } from "../../services/contracts/ids.ts";
import { batched } from "../async/batch.ts";
import { OperationTimeout, withTimeout } from "../async/timeout.ts";
import { bulkUpdate, type UpdatableModel, type UpdateStatement } from "./bulk-update.ts";
import { DUPLICATE_KEY, type stampedNewRecord } from "./change-feed.ts";
import { isDatabaseUnavailable } from "./database.mixin.ts";
import type { Tracked } from "./tracked-record.ts";
import { currentDeadline, DeadlinePassed, deadlineStages, isRefusedAsLate } from "./write-context.ts";

/**
 * Timeout of a batch, its second attempt included. The callers have given up by then, and a batch without a response must
 * not delay the next one.
 */
const BATCH_TIMEOUT_MS = 10_000;

/** Largest number of inserts in one command. */
const MAX_INSERTS = 100;

/** MongoDB's error code of a `$replaceWith` whose value is no object. */
const NO_OBJECT = 40_228;

/** The members of a mongoose model that an insert uses. */
export interface InsertableModel extends UpdatableModel {
  readonly db: Pick<Connection, "aggregate">;
  readonly collection: { readonly name: string };
}

/** The first revision of a record, and the stage that makes its row. */
export interface NewRecord {
  readonly record: Pick<Tracked, "_id" | "guildId">;
  readonly replacement: ReturnType<typeof stampedNewRecord>;
}

interface Insert extends NewRecord {
  readonly deadline: EpochMs | undefined;
}

/**
 * Returns a function that stores the first revision of a record. Concurrent calls share a command. A call resolves when a
 * record with the id is durable: if there is one already, another attempt of the same write has stored it. Therefore no
 * other write may use the id: ids come from write ids (mixins/README.md). A call rejects with DeadlinePassed if the insert
 * reached the database after the deadline of its write.
 *
 * If the command fails, each record is inserted by its own statement, so that only the refused ones fail.
 */
export function batchedInsert(model: InsertableModel): (record: NewRecord) => Promise<void> {
  async function insertAll(inserts: readonly Insert[]): Promise<readonly (undefined | Error)[]> {
    try {
      await insertTogether(model, inserts);
      return inserts.map(() => undefined);
    } catch (error) {
      if (!(error instanceof Error) || !isWorthSecondAttempt(error)) throw error;
      const outcomes = await insertEach(model, inserts);
      return isLate(error) ? outcomes : outcomes.map((outcome) => afterSecondAttempt(outcome, error));
    }
  }

  const insert = batched(
    (inserts: readonly Insert[]) => withTimeout(BATCH_TIMEOUT_MS, "the batched insert", insertAll(inserts)),
    { maxSize: MAX_INSERTS },
  );
  // The deadline is read here, in the context of the write: a batch has inserts of several writes.
  return ({ record, replacement }) => insert({ record, replacement, deadline: currentDeadline() });
}

/**
 * Stores the records. If it rejects, each may have been stored or not, unless one of them was late: then none was.
 *
 * `$merge` is the only way to insert records with the time of the database server except an upsert of each record, which
 * takes MongoDB three times as long (test/lab/bench/README.md).
 */
async function insertTogether(model: InsertableModel, inserts: readonly Insert[]): Promise<void> {
  const records = inserts.map(({ replacement: [{ $replaceWith: record }], deadline = LAST_EPOCH_MS }) => ({
    record,
    deadline: new Date(deadline),
  }));
  await model.db.aggregate([
    { $documents: records },
    { $replaceWith: { $cond: [{ $lt: ["$$NOW", "$deadline"] }, "$record", null] } },
    { $merge: { into: model.collection.name, whenMatched: "fail", whenNotMatched: "insert" } },
  ]);
}

/** Stores each record that does not exist. Resolves with the error of each that was refused. */
async function insertEach(model: InsertableModel, inserts: readonly Insert[]): Promise<readonly (undefined | Error)[]> {
  const { refused } = await bulkUpdate(model, inserts.map(statementOf));
  return inserts.map((_, at) => outcomeOf(refused.get(at)));
}

function statementOf({ record: { _id, guildId }, replacement, deadline }: Insert): UpdateStatement {
  // Matches no stored record, so the upsert inserts, or fails with DUPLICATE_KEY. The guild is the shard key.
  const q = { _id, guildId, revision: { $exists: false } };
  return { q, u: [...replacement, ...deadlineStages(deadline)], upsert: true };
}

function outcomeOf(refused: (Error & { readonly code?: unknown }) | undefined): undefined | Error {
  if (refused === undefined || refused.code === DUPLICATE_KEY) return undefined;
  return isRefusedAsLate(refused) ? new DeadlinePassed() : refused;
}

/** The outcome of an insert after both attempts. One that is too late now may have been stored by the first attempt. */
function afterSecondAttempt(outcome: undefined | Error, { message }: Error): undefined | Error {
  return outcome instanceof DeadlinePassed ? new OperationTimeout(`no outcome of an insert: ${message}`) : outcome;
}

/** Whether the database has refused a record, or may have lost the command. If no server was found for seconds, none is now. */
function isWorthSecondAttempt(error: Error): boolean {
  const { MongoServerError, MongoServerSelectionError } = mongoose.mongo;
  if (error instanceof MongoServerSelectionError) return false;
  return error instanceof MongoServerError || isDatabaseUnavailable(error);
}

function isLate(error: Error & { readonly code?: unknown }): boolean {
  return error.code === NO_OBJECT;
}
