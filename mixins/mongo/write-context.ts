import { AsyncLocalStorage } from "node:async_hooks";
import type { ChangeOrigin } from "../../services/contracts/contract.ts";
import type { EpochMs, WriteId } from "../../services/contracts/ids.ts";

/** How long after its request came a write may still change something: half a second less than its caller waits. */
export const WRITE_DEADLINE_MS = 5_500;

/** MongoDB's code for an update that would change `_id`. */
const IMMUTABLE_FIELD = 66;

/** The write that is being made, on the way from its action to the database. */
export interface WriteContext {
  /** When it must have been begun, by the database server's clock. Absent: it has no deadline. */
  readonly until?: EpochMs | undefined;
  /** Its id, the same in each of its tries (services/contracts/contract.ts). */
  readonly id?: WriteId | undefined;
  /** The request that it is made for. Absent: nobody's. */
  readonly origin?: Omit<ChangeOrigin, "at"> | undefined;
}

const current = new AsyncLocalStorage<WriteContext>();

/** A write reached the database after its deadline, and has changed nothing. */
export class DeadlinePassed extends Error {}

/** Does the work; every write in it is this one: it changes nothing after its deadline, and is done once under its id. */
export function runInWriteContext<Result>(write: WriteContext, work: () => Result): Result {
  return current.run(write, work);
}

/** The id of the write that is being made; undefined outside of any, as in dispatch's own. */
export function currentWriteId(): WriteId | undefined {
  return current.getStore()?.id;
}

/** The request that the write is made for; undefined outside of any, and for a write of the service's own. */
export function currentOrigin(): WriteContext["origin"] {
  return current.getStore()?.origin;
}

/**
 * The last stage of an update's pipeline, or none where there is no deadline. The database itself compares its time with
 * the deadline when it begins the update: a command that it reads late, after a pause of its own or of the network,
 * changes nothing. A time limit of the driver's counts from when the command was sent, and `maxTimeMS` from when it was
 * read; neither refuses what was read late.
 *
 * An update has no way to fail by an expression. So a late one asks for another `_id`, which MongoDB refuses.
 */
export function deadlineStages(): readonly { $set: object }[] {
  const until = current.getStore()?.until;
  if (until === undefined) return [];
  return [{ $set: { _id: { $cond: [{ $lt: ["$$NOW", new Date(until)] }, "$_id", null] } } }];
}

/** Whether the database refused an update because its deadline had passed. */
export function isPastDeadline({ code }: { readonly code?: unknown }): boolean {
  return code === IMMUTABLE_FIELD;
}

/** Rejects with DeadlinePassed where the database refused the update because of its deadline. */
export async function rejectIfLate<Result>(update: PromiseLike<Result>): Promise<Result> {
  try {
    return await update;
  } catch (error) {
    if (error instanceof Error && isPastDeadline(error as { code?: unknown })) throw new DeadlinePassed();
    throw error;
  }
}
