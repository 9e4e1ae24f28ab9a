import mongoose from "mongoose";
import { withTimeout } from "../async/timeout.ts";
import { DUPLICATE_KEY, type stampedReplacement } from "./change-feed.ts";
import type { Tracked } from "./tracked-record.ts";
import { isDatabaseUnavailable } from "./database.mixin.ts";
import { batched } from "../async/batch.ts";
import { DeadlinePassed, deadlineStages, isRefusedAsLate } from "./write-context.ts";
import { type UpdatableModel, type UpdateStatement, bulkUpdate } from "./bulk-update.ts";

/**
 * Timeout of a batch, its second attempt included. The callers have given up by then, and a batch without a response must
 * not delay the next one.
 */
const BATCH_TIMEOUT_MS = 10_000;

/** Largest number of inserts in one command. */
const MAX_INSERTS = 100;

/** The first revision of a record, and the update that stores it. */
export interface Insert {
  readonly record: Pick<Tracked, "_id" | "guildId">;
  readonly replacement: ReturnType<typeof stampedReplacement>;
}

/**
 * Returns a function that stores the first revision of a record. Concurrent calls share a command. A call resolves with
 * true when the record is durable, and with false if another record has the id. It rejects with DeadlinePassed if the
 * insert reached the database after the deadline of its write.
 *
 * An insert cannot use `$$NOW`, so each insert is an upsert. If the outcome of a command is unknown, as when the primary
 * was lost, the command is sent once more; a record that exists then was stored by the first attempt. Therefore no other
 * write may use the id: ids come from write ids (mixins/README.md).
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
      return (await insertAll(statements)).map((outcome) => afterSecondAttempt(outcome, error as Error));
    }
  }

  const insert = batched(
    (statements: readonly UpdateStatement[]) =>
      withTimeout(BATCH_TIMEOUT_MS, "the batched insert", insertWithRetry(statements)),
    { maxSize: MAX_INSERTS },
  );
  // `deadlineStages` is called here, in the context of the write: a batch has inserts of several writes.
  return ({ record: { _id, guildId }, replacement }) =>
    insert({
      // Matches no stored record, so the upsert inserts, or fails with DUPLICATE_KEY. The guild is the shard key.
      q: { _id, guildId, revision: { $exists: false } },
      u: [...replacement, ...deadlineStages()],
      upsert: true,
    });
}

/** The outcome of an insert after both attempts. `firstError` is the error of the first attempt, which had no outcome. */
function afterSecondAttempt(outcome: boolean | Error, firstError: Error): boolean | Error {
  // An insert that is too late now may have been stored by the first attempt.
  if (outcome instanceof DeadlinePassed) return firstError;
  // False: the record exists, so the first attempt has stored it.
  return outcome === false ? true : outcome;
}

/** True for a stored record, false if another record has the id. */
function outcomeOf(refused: (Error & { readonly code?: unknown }) | undefined): boolean | Error {
  if (refused === undefined) return true;
  if (refused.code === DUPLICATE_KEY) return false;
  return isRefusedAsLate(refused) ? new DeadlinePassed() : refused;
}
