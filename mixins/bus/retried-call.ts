import moleculer, { type Context } from "moleculer";
import type { RetryBudget } from "./retry-budget.ts";
import {
  backoff,
  isRetryable,
  isTemporary,
  MAX_RETRIES,
  NOT_RECEIVED_RETRY_MS,
  pauseBeforeRetry,
  type RetryableAction,
  wasNotReceived,
  wasNotStarted,
} from "./retry-policy.ts";

export type Send = (context: Context) => Promise<unknown>;

interface RetriedCallOptions {
  readonly send: Send;
  readonly context: Context;
  readonly action: RetryableAction;
  /** For a call over the bus, whose messages may be lost. */
  readonly lostMessages?: {
    readonly budget: RetryBudget;
    /** Delay of the first retry. */
    readonly noAnswerMs: number;
  };
}

/**
 * One call and its tries (mixins/README.md, "Retries"). The first result counts, with one exception: if one try of a
 * write was not started, its error does not count while other tries are unanswered, or after one that may have been
 * performed.
 */
export class RetriedCall {
  readonly #options: RetriedCallOptions;
  /** The node that the call is addressed to; null means any replica. Moleculer writes the answering node here later. */
  readonly #nodeId: string | null;
  readonly #mayRepeat: boolean;
  readonly #deadline: number;
  readonly #outcome = Promise.withResolvers<unknown>();
  readonly #callIds: string[] = [];
  #hasEnded = false;
  #retriesLeft: number;
  #unansweredTries = 0;
  /** Number of failed tries that are repeated after a pause. */
  #pausingTries = 0;
  /** Number of tries that were repeated after an error. */
  #repeatedTries = 0;
  /** Number of delays that passed without an answer. */
  #silences = 0;
  #notReceivedSince: number | undefined;
  /** The first error after which the call may have been performed. */
  #uncertainError: unknown;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RetriedCallOptions) {
    const { context, action } = options;
    const { timeout } = context.options;
    const retries = context.options.retries ?? MAX_RETRIES;
    this.#options = options;
    this.#nodeId = context.nodeID;
    this.#mayRepeat = retries > 0;
    this.#retriesLeft = isRetryable(action, context) ? retries : 0;
    this.#deadline = performance.now() + (timeout || Infinity);
  }

  run(): Promise<unknown> {
    this.#options.lostMessages?.budget.add();
    this.#start(this.#options.context);
    this.#awaitAnswer();
    return this.#outcome.promise;
  }

  #start(context: Context): void {
    const startedAt = performance.now();
    this.#unansweredTries += 1;
    this.#callIds.push(context.id);
    Promise.try(this.#options.send, context).then(
      (result) => this.#end(() => this.#outcome.resolve(result)),
      (error: unknown) => this.#endTry(error, startedAt),
    );
  }

  #startAgain(): void {
    if (!this.#hasEnded) this.#start(copyOfCall(this.#options.context, this.#nodeId, this.#msLeft()));
  }

  #endTry(error: unknown, startedAt: number): void {
    if (this.#hasEnded) return;
    this.#unansweredTries -= 1;
    if (isTemporary(error) && !wasNotStarted(error)) this.#uncertainError ??= error;
    const pauseMs = this.#pauseAfter(error, startedAt);
    if (pauseMs !== undefined && pauseMs < this.#msLeft()) {
      this.#pausingTries += 1;
      setTimeout(() => {
        this.#pausingTries -= 1;
        this.#startAgain();
      }, pauseMs);
      return;
    }
    if (this.#mayHaveBeenPerformedByOthers(error)) return;
    // A refusal of the write itself holds for each of its tries.
    const isRefusal = !isTemporary(error) && !wasNotStarted(error);
    this.#end(() => this.#outcome.reject(isRefusal ? error : (this.#uncertainError ?? error)));
  }

  /** The pause before the try is repeated; undefined if it is not. */
  #pauseAfter(error: unknown, startedAt: number): number | undefined {
    if (!this.#mayRepeat) return undefined;
    if (wasNotReceived(error)) {
      this.#notReceivedSince ??= startedAt;
      if (startedAt - this.#notReceivedSince >= NOT_RECEIVED_RETRY_MS) return undefined;
    } else {
      if (!isTemporary(error) || this.#retriesLeft === 0) return undefined;
      this.#retriesLeft -= 1;
    }
    this.#repeatedTries += 1;
    return pauseBeforeRetry(this.#repeatedTries - 1);
  }

  /** Whether the error of one try says nothing about the write, because other tries have no result yet. */
  #mayHaveBeenPerformedByOthers(error: unknown): boolean {
    const isWrite = this.#options.action.isRead !== true;
    return isWrite && wasNotStarted(error) && this.#unansweredTries + this.#pausingTries > 0;
  }

  /** Retries the call when it has no answer, and ends it at its deadline. */
  #awaitAnswer(): void {
    const { lostMessages } = this.#options;
    if (lostMessages === undefined) return;
    const isLast = this.#retriesLeft === 0 || this.#silences === MAX_RETRIES;
    const delayMs = isLast ? Infinity : backoff(lostMessages.noAnswerMs, this.#silences);
    const msLeft = this.#msLeft();
    if (delayMs < msLeft) this.#timer = setTimeout(() => this.#retryWithoutAnswer(lostMessages.budget), delayMs);
    else if (msLeft < Infinity) this.#timer = setTimeout(() => this.#timeOut(), msLeft);
  }

  #retryWithoutAnswer(budget: RetryBudget): void {
    this.#silences += 1;
    if (this.#unansweredTries > 0 && this.#retriesLeft > 0 && budget.take()) {
      this.#retriesLeft -= 1;
      this.#startAgain();
    }
    this.#awaitAnswer();
  }

  #timeOut(): void {
    const { action, context } = this.#options;
    const error = new moleculer.Errors.RequestTimeoutError({ action: action.name, nodeID: context.nodeID });
    this.#end(() => this.#outcome.reject(error));
  }

  #end(settle: () => void): void {
    const { context, lostMessages } = this.#options;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    // Moleculer deletes only the request of the first try, and only if the call fails.
    if (lostMessages !== undefined) for (const id of this.#callIds) context.broker.transit?.removePendingRequest(id);
    settle();
  }

  #msLeft(): number {
    return this.#deadline - performance.now();
  }
}

/**
 * A copy of the call with a new id and the time that is left, addressed to `nodeID`; null means any replica. The node
 * id must be reset: Moleculer writes the sender of an answer into the context, and the NATS permissions allow no
 * request to a single node.
 */
function copyOfCall(context: Context, nodeID: string | null, msLeft: number): Context {
  const options = msLeft < Infinity ? { ...context.options, timeout: Math.ceil(msLeft) } : context.options;
  return Object.assign(context.copy(), { nodeID, options, startHrTime: process.hrtime() });
}
