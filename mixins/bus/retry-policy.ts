import type { ActionSchema, Context } from "moleculer";
import type { CallMeta } from "../../services/contracts/contract.ts";

/** An action with the properties that decide about retries. */
export interface RetryableAction extends ActionSchema {
  readonly isRead?: boolean;
  /** A write that its owner performs once under its id. */
  readonly isIdempotent?: boolean;
}

/** Retries of one call after a temporary error or without an answer. */
export const MAX_RETRIES = 2;
/** Time for which a call that no service receives is repeated. */
export const NOT_RECEIVED_RETRY_MS = 1_500;
/** Delay of the first retry of a call without an answer: a message may be lost with a replica or a NATS server. */
export const NO_ANSWER_MS = 800;

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 200;

/** The pause before a retry. `retriesBefore` is the number of earlier retries of the call. */
export function pauseBeforeRetry(retriesBefore: number): number {
  return Math.min(backoff(FIRST_PAUSE_MS, retriesBefore), MAX_PAUSE_MS);
}

/** Each delay is twice the one before. */
export function backoff(firstMs: number, before: number): number {
  return firstMs * 2 ** before;
}

/** Whether a call may be retried: a read, or an idempotent write with an id (`CallMeta`). */
export function isRetryable({ isRead, isIdempotent }: RetryableAction, { meta }: Context<unknown, CallMeta>): boolean {
  return isRead === true || (isIdempotent === true && meta.writeId !== undefined);
}

/** Moleculer's errors for a call that no service received. */
const NOT_RECEIVED = new Set(["SERVICE_NOT_FOUND", "SERVICE_NOT_AVAILABLE"]);
/** Errors of an owner that has not started this try; other tries may have been performed. */
const NOT_STARTED = new Set(["UNAVAILABLE", "TOO_MANY_REQUESTS"]);
const TIMED_OUT = 504;

/** Whether the error means that no service received the call. */
export function wasNotReceived(error: unknown): boolean {
  return NOT_RECEIVED.has(typeOf(error));
}

/** Whether the error means that this try was not started; another try may have been. */
export function wasNotStarted(error: unknown): boolean {
  return wasNotReceived(error) || NOT_STARTED.has(typeOf(error));
}

/** Whether a service answered that it is temporarily unavailable. An error after a timeout is not worth another try. */
export function isTemporary(error: unknown): boolean {
  const { retryable, code } = Object(error) as { retryable?: boolean; code?: unknown };
  return retryable === true && code !== TIMED_OUT && !wasNotReceived(error);
}

function typeOf(error: unknown): string {
  return (Object(error) as { type?: string }).type ?? "";
}
