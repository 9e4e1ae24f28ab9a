import type { ActionSchema, Context } from "moleculer";
import type { CallMeta } from "../../services/contracts/contract.ts";

/** An action that says of itself whether it may be asked again. */
export interface Repeatable extends ActionSchema {
  readonly isRead?: boolean;
  /** A write that is done once under its id. */
  readonly isIdempotent?: boolean;
}

/** Whether a call may be asked again: a read, or a write that is done once and has an id (`CallMeta`). */
export function mayBeRepeated({ isRead, isIdempotent }: Repeatable, { meta }: Context<unknown, CallMeta>): boolean {
  return isRead === true || (isIdempotent === true && meta.writeId !== undefined);
}

/**
 * The same call under an id of its own, to `nodeID`: to the node that the first try was meant for, or with null to any
 * replica. Each answer puts its sender's node id into the context. A copy with that id would be a request to that one
 * node, which no user of the bus may make.
 */
export function copyOfCall(context: Context, nodeID: string | null): Context {
  return Object.assign(context.copy(), { nodeID });
}

/** Errors of Moleculer's own, with which a call was not taken: nobody has begun it. */
const NOT_TAKEN = new Set(["SERVICE_NOT_FOUND", "SERVICE_NOT_AVAILABLE"]);
/** Errors of an owner that has begun nothing: it says nothing about other tries of the call. */
const NOT_BEGUN = new Set(["UNAVAILABLE", "TOO_MANY_REQUESTS"]);

/** Whether an error says that nobody has begun what was asked for. */
export function wasNotTaken(error: unknown): boolean {
  return NOT_TAKEN.has(typeOf(error));
}

/** Whether an error says that this try of a call has begun nothing; another one may have. */
export function hasBegunNothing(error: unknown): boolean {
  return wasNotTaken(error) || NOT_BEGUN.has(typeOf(error));
}

function typeOf(error: unknown): string {
  return (Object(error) as { type?: string }).type ?? "";
}
