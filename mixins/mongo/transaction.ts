import { setTimeout as pause } from "node:timers/promises";
import type { ClientSession, Connection } from "mongoose";
import mongoose from "mongoose";
import { OperationTimeout } from "../async/timeout.ts";
import { isDatabaseUnavailable } from "./database.mixin.ts";

/** For so long after its beginning a transaction is begun anew or committed: an election takes less, and a caller waits longer. */
const TRANSACTION_TIMEOUT_MS = 5_000;
/** The longest pause before a transaction is begun anew; the actual one is random. */
const MAX_PAUSE_MS = 50;

/**
 * Does all of the work, or nothing of it: nothing also where the work aborts the transaction. The work is done again, with
 * another session's writes in between, when it conflicted, or when the database could not be reached in the middle of it.
 *
 * The driver's `withTransaction` goes on for two minutes, and would so commit what its caller gave up long before; and it
 * does not begin anew where a write found no connection, as when others of the pool have just lost theirs to a primary that
 * was killed.
 *
 * `clock` is monotonic, in milliseconds.
 */
export async function inTransaction<Result>(
  connection: Pick<Connection, "startSession">,
  work: (session: ClientSession) => Promise<Result>,
  clock = () => performance.now(),
): Promise<Result> {
  const began = clock();
  const leftMs = () => began + TRANSACTION_TIMEOUT_MS - clock();
  const session = await connection.startSession();
  try {
    for (;;) {
      session.startTransaction();
      let isBeingCommitted = false;
      try {
        const result = await work(session);
        isBeingCommitted = session.inTransaction();
        if (isBeingCommitted) await commit(session, leftMs);
        return result;
      } catch (error) {
        if (session.inTransaction() && !isBeingCommitted) await session.abortTransaction();
        if (leftMs() <= 0 || !mayRetryTransaction(error, isBeingCommitted)) throw error;
      }
      await pause(Math.random() * MAX_PAUSE_MS);
    }
  } finally {
    await session.endSession();
  }
}

/** Asks for the commit until it is known to be done; not after the transaction's time, as after a pause of this process. */
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

/** A transaction whose commit failed may be done, unless the database says that it is not. */
function mayRetryTransaction(error: unknown, isBeingCommitted: boolean): boolean {
  return hasLabel(error, "TransientTransactionError") || (!isBeingCommitted && isDatabaseUnavailable(error));
}

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof mongoose.mongo.MongoError && error.hasErrorLabel(label);
}
