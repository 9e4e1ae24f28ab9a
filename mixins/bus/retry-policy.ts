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
  /** Retries of one call after temporary errors and without a response, both together. */
  maxRetries: 2,
  /** Pause before the first retry after an error; each further pause is twice as long. */
  firstPauseMs: 50,
  maxPauseMs: 200,
  /** Time since the first failure of this kind for which a call that no service receives is repeated. */
  notReceivedMs: 2_500,
  /**
   * Delay of the first retry of a call without a response; the next delay is twice as long. A message may be lost with a
   * replica or a NATS server.
   */
  noResponseMs: 800,
  /** Retries of reads without a response, in the full budget of a process. A read may take long: its owner may be slow. */
  readBudget: 50,
  /** The same for writes. A write is short, and its owner performs concurrent attempts of one write once. */
  writeBudget: 200,
  /** Part of a retry that each call adds to its budget. */
  retriesPerCall: 0.1,
} as const;

/** The pause before a retry after an error: min(200, 50 · 2^n) ms after n earlier ones of the call. */
export function pauseBeforeRetry(retriesBefore: number): number {
  return Math.min(RETRY_POLICY.maxPauseMs, backoff(RETRY_POLICY.firstPauseMs, retriesBefore));
}

/** Each delay is twice the one before: firstMs · 2^n after n delays. */
export function backoff(firstMs: number, delaysBefore: number): number {
  return firstMs * 2 ** delaysBefore;
}

/** Whether a call may be retried: a read, or an idempotent write with an id (`CallMeta`). */
export function isRetryable({ isRead, isIdempotent }: RetryableAction, { meta }: Context<unknown, CallMeta>): boolean {
  return isRead === true || (isIdempotent === true && meta.writeId !== undefined);
}

/** Moleculer's errors for a call that no service received. */
const NOT_RECEIVED = new Set(["SERVICE_NOT_FOUND", "SERVICE_NOT_AVAILABLE"]);
/** Errors of an owner that has not started this attempt; other attempts may have been performed. */
const NOT_STARTED = new Set(["UNAVAILABLE", "TOO_MANY_REQUESTS"]);
const TIMED_OUT = 504;

/** The consequences of an attempt's error. UNAVAILABLE is temporary and was not started. */
export interface AttemptFailure {
  readonly error: unknown;
  /** No service received the attempt. */
  readonly isNotReceived: boolean;
  /** The attempt was not started, or not even received; another attempt may have been started. */
  readonly isNotStarted: boolean;
  /** The service responded that it is temporarily unavailable. A timeout is not worth another attempt. */
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
