import { AsyncLocalStorage } from "node:async_hooks";
import type { ChangeOrigin } from "../../services/contracts/contract.ts";
import type { EpochMs, WriteId } from "../../services/contracts/ids.ts";

/** Time from the request in which a write may be started: half a second less than its caller waits. */
export const WRITE_DEADLINE_MS = 5_500;

/** MongoDB's error code of an update that would change `_id`. */
const IMMUTABLE_FIELD = 66;

/** The current write, on the way from its action to the database. */
export interface WriteContext {
  /**
   * The database must start the update before this time, by its own clock. Undefined for a write without a deadline.
   */
  readonly deadline?: EpochMs | undefined;
  /** The id of the write, the same in each of its tries (services/contracts/contract.ts). */
  readonly id?: WriteId | undefined;
  /** The request that caused the write; undefined for a write that the service makes itself. */
  readonly origin?: Omit<ChangeOrigin, "at"> | undefined;
}

const current = new AsyncLocalStorage<WriteContext>();

/** A write reached the database after its deadline and has changed nothing. */
export class DeadlinePassed extends Error {}

/**
 * Runs the work. Every update in it belongs to this write: it changes nothing after the deadline, and is stored once
 * under the write id.
 */
export function runInWriteContext<Result>(write: WriteContext, work: () => Result): Result {
  return current.run(write, work);
}

/** The id of the current write; undefined outside of a write context, as in the writes of dispatch. */
export function currentWriteId(): WriteId | undefined {
  return current.getStore()?.id;
}

/** The deadline of the current write; undefined if it has none. */
export function currentDeadline(): EpochMs | undefined {
  return current.getStore()?.deadline;
}

/** The request that caused the current write; undefined if none did. */
export function currentOrigin(): WriteContext["origin"] {
  return current.getStore()?.origin;
}

/**
 * The last stage of an update's pipeline; empty without a deadline. The database compares its own clock with the
 * deadline when it starts the update. So a command that it reads late, after a pause of its own or of the network,
 * changes nothing. A time limit of the driver counts from the moment of sending, and `maxTimeMS` from the moment of
 * reading; neither refuses a command that was read late.
 *
 * An update cannot fail by an expression. Therefore a late one sets another `_id`, which MongoDB refuses.
 */
export function deadlineStages(): readonly { $set: object }[] {
  const deadline = currentDeadline();
  if (deadline === undefined) return [];
  return [{ $set: { _id: { $cond: [{ $lt: ["$$NOW", new Date(deadline)] }, "$_id", null] } } }];
}

/** Whether the database refused the update because of its deadline. */
export function isPastDeadline({ code }: { readonly code?: unknown }): boolean {
  return code === IMMUTABLE_FIELD;
}

/** Rejects with DeadlinePassed if the database refused the update because of its deadline. */
export async function rejectIfLate<Result>(update: PromiseLike<Result>): Promise<Result> {
  try {
    return await update;
  } catch (error) {
    if (error instanceof Error && isPastDeadline(error as { code?: unknown })) throw new DeadlinePassed();
    throw error;
  }
}
