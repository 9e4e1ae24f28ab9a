import moleculer, { type CallingOptions, type Context } from "moleculer";
import type { RetryBudget } from "./retry-budget.ts";
import {
  type AttemptFailure,
  backoff,
  classify,
  mayRunTwice,
  pauseBeforeRetry,
  RETRY_POLICY,
  type RetryableAction,
} from "./retry-policy.ts";

export type Send = (context: Context) => Promise<unknown>;

/** Moleculer's options of a call, and one of `CallAttempts`. */
export interface CallOptions extends CallingOptions {
  /**
   * Receives the milliseconds from the start of the call to the start of the attempt that responded, with a result or an
   * error: 0 for the first attempt. Not called at the timeout.
   */
  readonly onResponse?: (msBeforeAttempt: number) => void;
}

interface CallAttemptsOptions {
  readonly send: Send;
  readonly context: Context;
  readonly action: RetryableAction;
  /** For a call over the bus, whose messages may be lost. */
  readonly lostMessages?: {
    readonly budget: RetryBudget;
    /** Delay of the first retry, in milliseconds. */
    readonly noResponseMs: number;
  };
}

/**
 * One call and its attempts (mixins/README.md, "Retries"). The first result counts, with one exception. An attempt of a
 * write that was not started does not end the call while other attempts run or wait. If another attempt may have been
 * performed, the call ends with the error of that attempt.
 */
export class CallAttempts {
  readonly #options: CallAttemptsOptions;
  /**
   * The node that the call is addressed to; null means any replica. A copy, because Moleculer overwrites `context.nodeID`
   * with the node that responds.
   */
  readonly #nodeId: string | null;
  readonly #isRetryAllowed: boolean;
  readonly #deadline: number;
  readonly #startedAt = performance.now();
  readonly #outcome = Promise.withResolvers<unknown>();
  readonly #callIds: string[] = [];
  #hasEnded = false;
  #retriesLeft: number;
  #runningAttempts = 0;
  /** Number of attempts that wait for the end of their pause. */
  #waitingAttempts = 0;
  /** Number of retries after an error; retries without a response are not counted. */
  #retriesAfterErrors = 0;
  /** Number of delays that passed without a response, also those after which the budget allowed no retry. */
  #noResponseDelays = 0;
  #notReceivedSince: number | undefined;
  /** The first error after which the call may have been performed. */
  #uncertainError: unknown;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CallAttemptsOptions) {
    const { context, action } = options;
    const { timeout } = context.options;
    const retries = context.options.retries ?? RETRY_POLICY.maxRetries;
    this.#options = options;
    this.#nodeId = context.nodeID;
    this.#isRetryAllowed = retries > 0;
    this.#retriesLeft = mayRunTwice(action, context) ? retries : 0;
    this.#deadline = this.#startedAt + (timeout || Infinity);
  }

  run(): Promise<unknown> {
    this.#options.lostMessages?.budget.add();
    this.#start(this.#options.context, this.#startedAt);
    this.#awaitResponse();
    return this.#outcome.promise;
  }

  #start(context: Context, startedAt = performance.now()): void {
    this.#runningAttempts += 1;
    this.#callIds.push(context.id);
    Promise.try(this.#options.send, context).then(
      (result) => this.#endWith(() => this.#outcome.resolve(result), startedAt),
      (error: unknown) => this.#endAttempt(classify(error), startedAt),
    );
  }

  #startAgain(): void {
    if (!this.#hasEnded) this.#start(copyOfCall(this.#options.context, this.#nodeId, this.#msLeft()));
  }

  #endAttempt(failure: AttemptFailure, startedAt: number): void {
    if (this.#hasEnded) return;
    this.#runningAttempts -= 1;
    const { error, isTemporary, isNotStarted } = failure;
    if (isTemporary && !isNotStarted) this.#uncertainError ??= error;
    const pauseMs = this.#pauseAfter(failure, startedAt);
    if (pauseMs !== undefined && pauseMs < this.#msLeft()) {
      this.#waitingAttempts += 1;
      setTimeout(() => {
        this.#waitingAttempts -= 1;
        this.#startAgain();
      }, pauseMs);
      return;
    }
    if (this.#mayOthersSucceed(failure)) return;
    // A refusal is final: each attempt would get it.
    const isRefusal = !isTemporary && !isNotStarted;
    this.#endWith(() => this.#outcome.reject(isRefusal ? error : (this.#uncertainError ?? error)), startedAt);
  }

  /** The pause in milliseconds before the attempt is repeated; undefined if it is not repeated. */
  #pauseAfter({ isNotReceived, isTemporary }: AttemptFailure, startedAt: number): number | undefined {
    if (!this.#isRetryAllowed) return undefined;
    if (isNotReceived) {
      this.#notReceivedSince ??= startedAt;
      if (startedAt - this.#notReceivedSince >= RETRY_POLICY.notReceivedMs) return undefined;
    } else {
      if (!isTemporary || this.#retriesLeft === 0) return undefined;
      this.#retriesLeft -= 1;
    }
    this.#retriesAfterErrors += 1;
    return pauseBeforeRetry(this.#retriesAfterErrors - 1);
  }

  /** Whether other attempts of the write may still succeed after this failure. */
  #mayOthersSucceed({ isNotStarted }: AttemptFailure): boolean {
    const isWrite = this.#options.action.isRead !== true;
    return isWrite && isNotStarted && this.#runningAttempts + this.#waitingAttempts > 0;
  }

  /** Retries the call when it has no response, and ends it at its deadline. */
  #awaitResponse(): void {
    const { lostMessages } = this.#options;
    if (lostMessages === undefined) return;
    const isLast = this.#retriesLeft === 0 || this.#noResponseDelays === RETRY_POLICY.maxRetries;
    const delayMs = isLast ? Infinity : backoff(lostMessages.noResponseMs, this.#noResponseDelays);
    const msLeft = this.#msLeft();
    if (delayMs < msLeft) this.#timer = setTimeout(() => this.#retryWithoutResponse(lostMessages.budget), delayMs);
    else if (msLeft < Infinity) this.#timer = setTimeout(() => this.#timeOut(), Math.max(0, msLeft));
  }

  #retryWithoutResponse(budget: RetryBudget): void {
    this.#noResponseDelays += 1;
    if (this.#runningAttempts > 0 && this.#retriesLeft > 0 && budget.take()) {
      this.#retriesLeft -= 1;
      this.#startAgain();
    }
    this.#awaitResponse();
  }

  #timeOut(): void {
    const { action, context } = this.#options;
    const error = new moleculer.Errors.RequestTimeoutError({ action: action.name, nodeID: context.nodeID });
    this.#end(() => this.#outcome.reject(error));
  }

  /** Ends the call with the response of the attempt that was started then. */
  #endWith(settle: () => void, startedAt: number): void {
    const { onResponse }: CallOptions = this.#options.context.options;
    if (!this.#hasEnded) onResponse?.(startedAt - this.#startedAt);
    this.#end(settle);
  }

  #end(settle: () => void): void {
    const { context, lostMessages } = this.#options;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    // Moleculer deletes only the request of the first attempt, and only if the call fails; the others would stay in memory.
    if (lostMessages !== undefined) for (const id of this.#callIds) context.broker.transit?.removePendingRequest(id);
    settle();
  }

  #msLeft(): number {
    return this.#deadline - performance.now();
  }
}

/**
 * A copy of the call with a new id and the time that is left, addressed to `nodeID`; null means any replica. The node
 * id must be reset: Moleculer writes the sender of a response into the context, and the NATS permissions allow no
 * request to a single node.
 */
function copyOfCall(context: Context, nodeID: string | null, msLeft: number): Context {
  const options = msLeft < Infinity ? { ...context.options, timeout: Math.ceil(msLeft) } : context.options;
  return Object.assign(context.copy(), { nodeID, options, startHrTime: process.hrtime() });
}
