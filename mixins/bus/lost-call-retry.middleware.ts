import { setTimeout as pause } from "node:timers/promises";
import type { CallingOptions, Middleware, Service, ServiceBroker } from "moleculer";
import { copyOfCall, wasNotStarted, isRetryable, type RetryableAction, wasNotReceived } from "./retry-policy.ts";

/** Delay of the first retry. A message that has no answer by then may be lost with a replica or a NATS server. */
const FIRST_RETRY_MS = 800;
/** Time for which a call without a subscriber is repeated. */
const NO_RESPONDER_RETRY_MS = 1_500;
const NO_RESPONDER_RETRY_INTERVAL_MS = 50;

/** Limits of the retries of reads or of writes: a slow owner must not get twice the load. */
interface RetryLimits {
  /** Retries of one call. Each delay is twice the one before. */
  readonly times: number;
  /** Size of the retry budget. */
  readonly maxBudget: number;
}

/** A read may take long: no answer can mean that its owner is slow. */
const READS: RetryLimits = { times: 1, maxBudget: 50 };
/** A write is short, and its owner performs concurrent tries of one write once. */
const WRITES: RetryLimits = { times: 2, maxBudget: 200 };
/** Share of a retry that each call adds to the budget. */
const RETRIES_PER_CALL = 0.1;

/** The options of a call. `noResponderRetryMs` is the time for which it is repeated while it has no subscriber. */
export interface RetryOptions extends CallingOptions {
  readonly noResponderRetryMs?: number;
}

/**
 * Retries calls to other processes whose messages may be lost. A call without a subscriber is repeated in any case. A
 * call without an answer is repeated if the repetition is harmless: a read, or a write that its owner performs once
 * under its id (`CallMeta`).
 *
 * The first answer counts, with one exception. If one try of a write was not started, its error does not count while
 * other tries are unanswered, because one of them may have been performed.
 */
export function lostCallRetry(firstRetryMs = FIRST_RETRY_MS): Middleware {
  const budgets = { reads: budgetOf(READS), writes: budgetOf(WRITES) };
  return {
    name: "lost-call-retry",
    remoteAction(next, action: RetryableAction) {
      const isRead = action.isRead === true;
      const budget = isRead ? budgets.reads : budgets.writes;
      return function callWithRetry(this: Service, context) {
        const { broker, options, nodeID } = context;
        const { noResponderRetryMs = NO_RESPONDER_RETRY_MS } = options as RetryOptions;
        const callIds: string[] = [];
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        const send = () => {
          const each = callIds.length === 0 ? context : copyOfCall(context, nodeID);
          callIds.push(each.id);
          return next.call(this, each);
        };
        let unanswered = 0;
        const endTry = (error: unknown) => {
          unanswered -= 1;
          if (isRead || unanswered === 0 || !wasNotStarted(error)) reject(error);
        };
        const startTry = () => {
          unanswered += 1;
          void retryWhileNotReceived(send, noResponderRetryMs).then(resolve, endTry);
        };
        const retry = (times: number) => {
          if (budget.take()) startTry();
          if (times < budget.times) retryTimer = setTimeout(retry, firstRetryMs * 2 ** times, times + 1);
        };
        let retryTimer = isRetryable(action, context) ? setTimeout(retry, firstRetryMs, 1) : undefined;
        budget.add();
        startTry();
        return promise.finally(() => {
          clearTimeout(retryTimer);
          // Moleculer never deletes an unanswered request.
          forgetAll(broker, callIds);
        });
      };
    },
  };
}

function budgetOf({ times, maxBudget }: RetryLimits) {
  let available = maxBudget;
  return {
    times,
    /** Takes one retry from the budget; false if there is none. */
    take() {
      if (available < 1) return false;
      available -= 1;
      return true;
    },
    add() {
      available = Math.min(maxBudget, available + RETRIES_PER_CALL);
    },
  };
}

async function retryWhileNotReceived(send: () => Promise<unknown>, forMs: number): Promise<unknown> {
  const deadline = performance.now() + forMs;
  for (;;) {
    const sentAt = performance.now();
    try {
      return await send();
    } catch (error) {
      if (!wasNotReceived(error) || sentAt >= deadline) throw error;
      await pause(NO_RESPONDER_RETRY_INTERVAL_MS);
    }
  }
}

function forgetAll({ transit }: ServiceBroker, ids: readonly string[]): void {
  const requests = transit as unknown as { removePendingRequest(id: string): void };
  for (const id of ids) requests.removePendingRequest(id);
}
