import type { ClientSession, Connection } from "mongoose";
import mongoose from "mongoose";
import { isDatabaseOutOfReach } from "./database.mixin.ts";

/** What the driver's transactions are begun anew for. */
const MAY_BE_REPEATED = "TransientTransactionError";
/** For so long after its beginning a transaction is begun anew: an election takes less. */
const REPEATED_MS = 5_000;

/**
 * Does all of the work, or nothing of it. The work is done again, with another session's writes in between, when the
 * database could not be reached in the middle of it: nothing of it was committed then.
 *
 * The driver does so by itself, but not where a write found no connection, as when others of the pool have just lost
 * theirs to a primary that was killed.
 */
export function inTransaction<Result>(
  connection: Pick<Connection, "transaction">,
  work: (session: ClientSession) => Promise<Result>,
  clock = () => performance.now(),
): Promise<Result> {
  const began = clock();
  return connection.transaction(async (session) => {
    try {
      return await work(session);
    } catch (error) {
      const mayBeRepeated = isDatabaseOutOfReach(error) && clock() - began < REPEATED_MS;
      if (mayBeRepeated && error instanceof mongoose.mongo.MongoError) error.addErrorLabel(MAY_BE_REPEATED);
      throw error;
    }
  });
}
