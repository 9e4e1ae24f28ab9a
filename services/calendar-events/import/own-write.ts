import { currentDeadline, currentOrigin, runInWriteContext } from "../../../mixins/mongo/write-context.ts";
import { newWriteId } from "../../../mixins/mongo/write-id.ts";

/**
 * Runs one of the writes of a call as a write of its own, with the deadline of the call: a record stores the id of a write
 * once, and an import may write one series for each of its occurrences. A repeated call compares with what is stored.
 */
export function asOwnWrite<Result>(work: () => Promise<Result>): Promise<Result> {
  return runInWriteContext({ deadline: currentDeadline(), origin: currentOrigin(), id: newWriteId() }, work);
}
