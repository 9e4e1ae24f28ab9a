import { setTimeout as pause } from "node:timers/promises";
import type { ClientSession, Connection } from "mongoose";
import mongoose from "mongoose";
import { OperationTimeout } from "../async/timeout.ts";
import { DATABASE_PING_TIMEOUT_MS, databaseTime, isDatabaseUnavailable } from "./database.mixin.ts";
import { monotonicInstantOf } from "./database-clock.ts";
import { currentDeadline, DeadlinePassed } from "./write-context.ts";

/** Time in which a transaction may be restarted or committed. An election takes less, and a caller waits longer. */
const TRANSACTION_TIMEOUT_MS = 5_000;
/** Longest pause before a restart, or before the commit is sent again; the actual pause is random. */
const MAX_PAUSE_MS = 50;

/**
 * Runs the work in a transaction: all writes of the work are stored, or none. If the work aborts the transaction itself,
 * nothing is stored, and the result of the work is returned. The work runs again after a conflict, and if the database is
 * lost before the commit; other writes may have been stored in between.
 *
 * After the deadline of the current write no commit is sent, and the transaction is not restarted. Rejects with
 * DeadlinePassed if the deadline passes before a commit was sent: nothing is changed then.
 *
 * The driver's `withTransaction` retries for two minutes, so it could commit a write that its caller gave up long
 * before. `withTransaction` also does not restart if a write found no connection, as when a primary was killed and other
 * connections of the pool were lost with it.
 *
 * @param clock - Monotonic, in milliseconds.
 */
export async function inTransaction<Result>(
  connection: Connection,
  work: (session: ClientSession) => Promise<Result>,
  clock = () => performance.now(),
): Promise<Result> {
  const deadline = currentDeadline();
  const readServer = () => databaseTime(connection, DATABASE_PING_TIMEOUT_MS);
  let endsAt = clock() + TRANSACTION_TIMEOUT_MS;
  const leftMs = () => endsAt - clock();
  const session = await connection.startSession();
  let isCommitting = false;
  try {
    for (;;) {
      isCommitting = false;
      try {
        if (deadline !== undefined) endsAt = Math.min(endsAt, await monotonicInstantOf(deadline, readServer, clock));
        session.startTransaction();
        const result = await work(session);
        if (!session.inTransaction()) return result;
        if (leftMs() <= 0) throw deadline === undefined ? new OperationTimeout(TOO_LONG) : new DeadlinePassed();
        isCommitting = true;
        await commit(leftMs, () =>
          deadline === undefined ? session.commitTransaction() : commitWithin(leftMs(), connection, session),
        );
        return result;
      } catch (error) {
        if (!mayRetryTransaction(error, isCommitting)) throw error;
        if (leftMs() <= 0) throw deadline === undefined ? error : new DeadlinePassed();
        if (session.inTransaction()) await session.abortTransaction();
      }
      await pause(Math.random() * MAX_PAUSE_MS);
    }
  } finally {
    // Aborts a transaction that is not committed. After a commit nothing waits for the abort: it has no effect, and would
    // wait for the response of a database that hangs.
    const ended = session.endSession();
    if (!isCommitting) await ended;
  }
}

const TOO_LONG = "the transaction took too long to be committed";

/** Sends the commit until its outcome is known, or the time of the transaction is over. */
async function commit(leftMs: () => number, send: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await send();
      return;
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error;
      if (leftMs() <= 0) throw new OperationTimeout(TOO_LONG);
    }
    await pause(Math.min(leftMs(), Math.random() * MAX_PAUSE_MS));
  }
}

/**
 * Commits, unless the time is over before the command is written to its connection. The driver's `commitTransaction` has
 * no limit that a caller can set (its `timeoutMS` has no effect): it waits for a primary and for a connection of the
 * pool, and repeats the commit after a network error, so that it could send the commit after the deadline.
 *
 * The session does not know of this commit. At its end it sends an abort. MongoDB refuses the abort after a commit;
 * otherwise the abort ends the transaction, also while the commit is still on its way.
 */
async function commitWithin(timeoutMs: number, connection: Connection, session: ClientSession): Promise<void> {
  const command = { commitTransaction: 1, writeConcern: { w: "majority", j: true } };
  const signal = AbortSignal.timeout(Math.max(0, Math.floor(timeoutMs)));
  await connection.getClient().db("admin").command(command, { session, signal });
}

/** Whether the transaction was certainly not committed, and failed for a temporary reason. */
function mayRetryTransaction(error: unknown, isCommitting: boolean): boolean {
  return hasLabel(error, "TransientTransactionError") || (!isCommitting && isDatabaseUnavailable(error));
}

/** Whether a commit that failed with the error may be stored. The signal of `commitWithin` ends it with a TimeoutError. */
function isOutcomeUnknown(error: unknown): boolean {
  if (hasLabel(error, "TransientTransactionError")) return false;
  if (hasLabel(error, "UnknownTransactionCommitResult") || isDatabaseUnavailable(error)) return true;
  return error instanceof mongoose.mongo.MongoWriteConcernError || (error as Error).name === "TimeoutError";
}

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof mongoose.mongo.MongoError && error.hasErrorLabel(label);
}
