import type { ActionSchema, Context } from "moleculer";
import type { CallMeta } from "../../services/contracts/contract.ts";

/** An action with the properties that decide about retries. */
export interface RetryableAction extends ActionSchema {
  readonly isRead?: boolean;
  /** A write that its owner performs once under its id. */
  readonly isIdempotent?: boolean;
}

/** The numbers of the policy that mixins/README.md describes ("Retries"). Times are in milliseconds. */
export const RETRY_POLICY = {
  /** Largest number of retries of one call: those after a temporary error and those without a response. */
  maxRetries: 2,
  /** Pause before the first retry after an error; each further pause is twice as long. */
  firstPauseMs: 50,
  maxPauseMs: 200,
  /** A call that no service received is repeated for this long after the first such failure. */
  notReceivedMs: 2_500,
  /**
   * Delay of the first retry of a call without a response; the next delay is twice as long. A message may be lost when a
   * replica or a NATS server is lost.
   */
  noResponseMs: 800,
  /**
   * Number of retries in the full budget of a broker for reads. It is smaller than that for writes: a read without a
   * response may only be slow, and its retry would double the work of the owner.
   */
  readBudget: 50,
  /** The same for writes. A write is short, and its owner performs concurrent attempts of one write once. */
  writeBudget: 200,
  /** Each call adds this part of a retry to the budget. */
  retriesPerCall: 0.1,
} as const;

/** The pause in milliseconds before the next retry of a call that had `retriesBefore` retries after errors. */
export function pauseBeforeRetry(retriesBefore: number): number {
  return Math.min(RETRY_POLICY.maxPauseMs, backoff(RETRY_POLICY.firstPauseMs, retriesBefore));
}

/** Each delay is twice the one before: firstMs · 2^n after n delays. */
export function backoff(firstMs: number, delaysBefore: number): number {
  return firstMs * 2 ** delaysBefore;
}

/** Whether several attempts of a call may run: for a read, or an idempotent write with an id (`CallMeta`). */
export function mayRunTwice({ isRead, isIdempotent }: RetryableAction, { meta }: Context<unknown, CallMeta>): boolean {
  return isRead === true || (isIdempotent === true && meta.writeId !== undefined);
}

/** Moleculer's errors for a call that no service received. */
const NOT_RECEIVED = new Set(["SERVICE_NOT_FOUND", "SERVICE_NOT_AVAILABLE"]);
/** Errors by which an owner says that this attempt has changed nothing; other attempts may have been performed. */
const NOT_STARTED = new Set(["UNAVAILABLE", "TOO_MANY_REQUESTS"]);
const TIMED_OUT = 504;

/** The consequences of an attempt's error. An attempt with UNAVAILABLE is both temporary and not started. */
export interface AttemptFailure {
  readonly error: unknown;
  /** No service received the attempt. */
  readonly isNotReceived: boolean;
  /** The attempt changed nothing: no service received it, or its owner refused it for now. */
  readonly isNotStarted: boolean;
  /**
   * The owner could not perform the attempt now, or does not know whether it has (OUTCOME_UNKNOWN). A timeout is not worth
   * another attempt.
   */
  readonly isTemporary: boolean;
}

/** Classifies the error of an attempt, once for all decisions about retries. */
export function classify(error: unknown): AttemptFailure {
  const { type = "", retryable, code } = Object(error) as { type?: string; retryable?: boolean; code?: unknown };
  const isNotReceived = NOT_RECEIVED.has(type);
  return {
    error,
    isNotReceived,
    isNotStarted: isNotReceived || NOT_STARTED.has(type),
    isTemporary: !isNotReceived && retryable === true && code !== TIMED_OUT,
  };
}
