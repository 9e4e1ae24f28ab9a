import { setTimeout as pause } from "node:timers/promises";
import type { ClientSession, Connection } from "mongoose";
import mongoose from "mongoose";
import { OperationTimeout } from "../async/timeout.ts";
import { isDatabaseUnavailable } from "./database.mixin.ts";

/** Time in which a transaction may be restarted or committed. An election takes less, and a caller waits longer. */
const TRANSACTION_TIMEOUT_MS = 5_000;
/** Longest pause before a restart; the actual pause is random. */
const MAX_PAUSE_MS = 50;

/**
 * Runs the work in a transaction: all of it is stored, or nothing, also if the work aborts the transaction. The work
 * runs again after a conflict, and after a loss of the database in the middle of it; other writes may have been
 * stored in between.
 *
 * The driver's `withTransaction` retries for two minutes, so it could commit a write that its caller gave up long
 * before. It also does not restart if a write found no connection, as when other connections of the pool were just
 * lost with a primary that was killed.
 *
 * @param clock - Monotonic, in milliseconds.
 */
export async function inTransaction<Result>(
  connection: Pick<Connection, "startSession">,
  work: (session: ClientSession) => Promise<Result>,
  clock = () => performance.now(),
): Promise<Result> {
  const startedAt = clock();
  const leftMs = () => startedAt + TRANSACTION_TIMEOUT_MS - clock();
  const session = await connection.startSession();
  try {
    for (;;) {
      session.startTransaction();
      let isCommitting = false;
      try {
        const result = await work(session);
        isCommitting = session.inTransaction();
        if (isCommitting) await commit(session, leftMs);
        return result;
      } catch (error) {
        if (session.inTransaction() && !isCommitting) await session.abortTransaction();
        if (leftMs() <= 0 || !mayRetryTransaction(error, isCommitting)) throw error;
      }
      await pause(Math.random() * MAX_PAUSE_MS);
    }
  } finally {
    await session.endSession();
  }
}

/**
 * Commits until the outcome is known, but not after the time of the transaction, as after a pause of this process.
 */
async function commit(session: ClientSession, leftMs: () => number): Promise<void> {
  for (;;) {
    if (leftMs() <= 0) throw new OperationTimeout("the transaction took too long to be committed");
    try {
      return await session.commitTransaction();
    } catch (error) {
      if (!hasLabel(error, "UnknownTransactionCommitResult")) throw error;
    }
  }
}

/** Whether the transaction was certainly not committed, and failed for a temporary reason. */
function mayRetryTransaction(error: unknown, isCommitting: boolean): boolean {
  return hasLabel(error, "TransientTransactionError") || (!isCommitting && isDatabaseUnavailable(error));
}

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof mongoose.mongo.MongoError && error.hasErrorLabel(label);
}
