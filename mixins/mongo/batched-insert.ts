import mongoose from "mongoose";
import { withTimeout } from "../async/timeout.ts";
import { DUPLICATE_KEY, type stampedReplacement } from "./change-feed.ts";
import type { Tracked } from "./tracked-record.ts";
import { isDatabaseUnavailable } from "./database.mixin.ts";
import { batched } from "../async/batch.ts";
import { DeadlinePassed, deadlineStages, isPastDeadline } from "./write-context.ts";
import { type UpdatableModel, type UpdateStatement, bulkUpdate } from "./bulk-update.ts";

/** Whoever asked has given up by then; one that never answers must not hold its place for ever. */
const COMMAND_TIMEOUT_MS = 10_000;

/** More than this in one command are two. */
const MAX_INSERTS = 100;

/** A record's first revision, and with what it is stored. */
export interface Insert {
  readonly record: Pick<Tracked, "_id">;
  readonly replacement: ReturnType<typeof stampedReplacement>;
}

/**
 * Stores first revisions; those that come together are one command. False where another record has the id; each resolves
 * when it is durable, and rejects with DeadlinePassed where it came too late.
 *
 * An insert can't say `$$NOW`, so each is an upsert. Where nobody knows what became of a command, as when the primary was
 * lost, it is sent once more: a record that is there by then was stored by the first try. So this is for records whose ids
 * are random.
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
      // Nobody was found to ask, for seconds.
      if (error instanceof mongoose.mongo.MongoServerSelectionError || !isDatabaseUnavailable(error)) throw error;
      const outcomes = await insertAll(statements);
      // What is too late now may have been stored before.
      return outcomes.map((outcome) => (outcome instanceof DeadlinePassed ? (error as Error) : outcome || true));
    }
  }

  const insert = batched(
    (statements: readonly UpdateStatement[]) =>
      withTimeout(COMMAND_TIMEOUT_MS, "a command of new records", insertWithRetry(statements)),
    { maxSize: MAX_INSERTS },
  );
  return ({ record: { _id }, replacement }) =>
    insert({
      q: { _id, revision: { $exists: false } },
      u: [...replacement, ...deadlineStages()],
      upsert: true,
    });
}

/** True for a record that was stored, false for one whose id another record has. */
function outcomeOf(refused: { readonly code: number; readonly errmsg: string } | undefined): boolean | Error {
  if (refused === undefined) return true;
  if (refused.code === DUPLICATE_KEY) return false;
  return isPastDeadline(refused) ? new DeadlinePassed() : new Error(refused.errmsg);
}
