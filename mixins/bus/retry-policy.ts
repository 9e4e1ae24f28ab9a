import type { ActionSchema, Context } from "moleculer";
import type { CallMeta } from "../../services/contracts/contract.ts";

/** An action with the properties that decide about retries. */
export interface RetryableAction extends ActionSchema {
  readonly isRead?: boolean;
  /** A write that its owner performs once under its id. */
  readonly isIdempotent?: boolean;
}

/** Whether a call may be retried: a read, or an idempotent write with an id (`CallMeta`). */
export function isRetryable({ isRead, isIdempotent }: RetryableAction, { meta }: Context<unknown, CallMeta>): boolean {
  return isRead === true || (isIdempotent === true && meta.writeId !== undefined);
}

/**
 * A copy of the call with a new id, addressed to `nodeID`; null means any replica. The node id must be reset:
 * Moleculer writes the sender of an answer into the context, and the NATS permissions allow no request to a single
 * node.
 */
export function copyOfCall(context: Context, nodeID: string | null): Context {
  return Object.assign(context.copy(), { nodeID });
}

/** Moleculer's errors for a call that no service received. */
const NOT_RECEIVED = new Set(["SERVICE_NOT_FOUND", "SERVICE_NOT_AVAILABLE"]);
/** Errors of an owner that has not started this try; other tries may have been performed. */
const NOT_STARTED = new Set(["UNAVAILABLE", "TOO_MANY_REQUESTS"]);

/** Whether the error means that no service received the call. */
export function wasNotReceived(error: unknown): boolean {
  return NOT_RECEIVED.has(typeOf(error));
}

/** Whether the error means that this try was not started; another try may have been. */
export function wasNotStarted(error: unknown): boolean {
  return wasNotReceived(error) || NOT_STARTED.has(typeOf(error));
}

function typeOf(error: unknown): string {
  return (Object(error) as { type?: string }).type ?? "";
}
