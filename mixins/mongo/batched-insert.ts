import mongoose from "mongoose";
import { withTimeout } from "../async/timeout.ts";
import { DUPLICATE_KEY, type stampedReplacement } from "./change-feed.ts";
import type { Tracked } from "./tracked-record.ts";
import { isDatabaseUnavailable } from "./database.mixin.ts";
import { batched } from "../async/batch.ts";
import { DeadlinePassed, deadlineStages, isRefusedAsLate } from "./write-context.ts";
import { type UpdatableModel, type UpdateStatement, bulkUpdate } from "./bulk-update.ts";

/**
 * Timeout of a command. Its callers have given up by then, and a command without a response must not keep others
 * waiting.
 */
const COMMAND_TIMEOUT_MS = 10_000;

/** Largest number of inserts in one command. */
const MAX_INSERTS = 100;

/** The first revision of a record, and the update that stores it. */
export interface Insert {
  readonly record: Pick<Tracked, "_id">;
  readonly replacement: ReturnType<typeof stampedReplacement>;
}

/**
 * Stores first revisions of records; concurrent ones are one command. Each resolves when it is durable: with true, or
 * with false if another record has the id. It rejects with DeadlinePassed if it reached the database after its
 * deadline.
 *
 * An insert cannot use `$$NOW`, so each is an upsert. If the outcome of a command is unknown, as when the primary was
 * lost, the command is sent once more; a record that exists then was stored by the first attempt. Therefore the ids of
 * the records must be random.
 */
export function batchedInsert(model: UpdatableModel): (insert: Insert) => Promise<boolean> {
  const insertAll = async (statements: readonly UpdateStatement[]) => {
    const { refused } = await bulkUpdate(model, statements);
    return statements.map((_, at) => outcomeOf(refused.get(at)));
  };

  async function insertWithRetry(statements: readonly UpdateStatement[]): Promise<readonly (boolean | Error)[]> {
    try {
      return await insertAll(statements);
    } catch (error) {
      // No server was found for seconds; a second attempt would find none either.
      if (error instanceof mongoose.mongo.MongoServerSelectionError || !isDatabaseUnavailable(error)) throw error;
      const outcomes = await insertAll(statements);
      // An insert that is too late now may have been stored by the first attempt.
      return outcomes.map((outcome) => (outcome instanceof DeadlinePassed ? (error as Error) : outcome || true));
    }
  }

  const insert = batched(
    (statements: readonly UpdateStatement[]) =>
      withTimeout(COMMAND_TIMEOUT_MS, "the batched insert", insertWithRetry(statements)),
    { maxSize: MAX_INSERTS },
  );
  return ({ record: { _id }, replacement }) =>
    insert({
      q: { _id, revision: { $exists: false } },
      u: [...replacement, ...deadlineStages()],
      upsert: true,
    });
}

/** True for a stored record, false if another record has the id. */
function outcomeOf(refused: { readonly code: number; readonly errmsg: string } | undefined): boolean | Error {
  if (refused === undefined) return true;
  if (refused.code === DUPLICATE_KEY) return false;
  return isRefusedAsLate(refused) ? new DeadlinePassed() : new Error(refused.errmsg);
}
