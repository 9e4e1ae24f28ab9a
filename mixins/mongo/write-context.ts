import { AsyncLocalStorage } from "node:async_hooks";
import type { ChangeOrigin } from "../../services/contracts/contract.ts";
import type { EpochMs, WriteId } from "../../services/contracts/ids.ts";

/**
 * Milliseconds after the request until which the database may start an update of its write. It is half a second less
 * than the caller waits (`REQUEST_TIMEOUT_MS`, moleculer.config.ts), which is the time for the update and its response.
 */
export const WRITE_DEADLINE_MS = 5_500;

/** MongoDB's error code of an update that would change `_id`. */
const IMMUTABLE_FIELD = 66;

/** The current write, on the way from its action to the database. */
export interface WriteContext {
  /**
   * The database must start the update before this time, by its own clock. Undefined for a write without a deadline.
   */
  readonly deadline?: EpochMs | undefined;
  /** The id of the write, the same in each of its attempts (services/contracts/contract.ts). */
  readonly id?: WriteId | undefined;
  /**
   * The request that caused the write; undefined for a write that the service makes itself. Without the time, because
   * the database stamps the change by its own clock.
   */
  readonly origin?: Omit<ChangeOrigin, "at"> | undefined;
}

const current = new AsyncLocalStorage<WriteContext>();

/** A write reached the database after its deadline and has changed nothing. */
export class DeadlinePassed extends Error {}

/**
 * Makes the write known to the updates in the work. Each update must itself end with `deadlineStages()`, be awaited
 * through `rejectIfLate`, and, if it must be stored once, use the filter and the field of recent-writes.ts. Reads run
 * in a context too, without an id.
 */
export function runInWriteContext<Result>(write: WriteContext, work: () => Result): Result {
  return current.run(write, work);
}

/**
 * Runs work that a write causes, but that is not a part of the write, such as the handler of a broadcast. In the process of
 * the write the work would otherwise inherit the deadline of the write, and so would everything that the work starts later.
 */
export function runOutsideWrite<Result>(work: () => Result): Result {
  return current.run({}, work);
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
export function deadlineStages(deadline = currentDeadline()): readonly { $set: object }[] {
  if (deadline === undefined) return [];
  return [{ $set: { _id: { $cond: [{ $lt: ["$$NOW", new Date(deadline)] }, "$_id", null] } } }];
}

/**
 * Whether the database refused the update because it was late. No other update would change `_id`, so this error code
 * has no other cause.
 */
export function isRefusedAsLate({ code }: { readonly code?: unknown }): boolean {
  return code === IMMUTABLE_FIELD;
}

/** Settles as the update does, but rejects with DeadlinePassed if the database refused it as late. */
export async function rejectIfLate<Result>(update: PromiseLike<Result>): Promise<Result> {
  try {
    return await update;
  } catch (error) {
    if (error instanceof Error && isRefusedAsLate(error as { code?: unknown })) throw new DeadlinePassed();
    throw error;
  }
}
