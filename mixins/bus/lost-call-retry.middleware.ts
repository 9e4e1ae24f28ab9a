import { setTimeout as pause } from "node:timers/promises";
import type { CallingOptions, Middleware, Service, ServiceBroker } from "moleculer";
import { copyOfCall, hasBegunNothing, mayBeRepeated, type Repeatable, wasNotTaken } from "./retry-policy.ts";

/** What has no answer by then may be lost: whoever had it may be gone, or a server of the bus with it. */
const FIRST_RETRY_MS = 800;
/** How long a call is offered to replicas that did not take it. */
const OFFERED_MS = 1_500;
const OFFERED_EVERY_MS = 50;

/** How calls of one kind are asked again, so that an owner that is slow gets no second load. */
interface RetryLimits {
  /** How often one call is asked again. Each time waits twice as long as the one before. */
  readonly times: number;
  /** How many may be asked again at once. */
  readonly most: number;
}

/** A read may be long, and its owner slow because of it. */
const READS: RetryLimits = { times: 1, most: 50 };
/** A write is short, and its tries that meet in its owner are one. */
const WRITES: RetryLimits = { times: 2, most: 200 };
/** How many more each call adds to those that may be asked again. */
const RETRIES_PER_CALL = 0.1;

/** The options of a call, with how long it is offered to replicas that did not take it. */
export interface RetryOptions extends CallingOptions {
  readonly offeredForMs?: number;
}

/**
 * Calls to other processes, whose messages may be lost. What was not taken is offered again, whatever it is. What is not
 * answered is asked again where that is the same as asking once: a read, or a write that its owner does once under its id
 * (`CallMeta`). The first answer counts; but that one try of a write has begun nothing is no answer while others are not
 * answered: one of them may be done.
 */
export function lostCallRetry(firstRetryMs = FIRST_RETRY_MS): Middleware {
  const budgets = { reads: budgetOf(READS), writes: budgetOf(WRITES) };
  return {
    name: "asked again",
    remoteAction(next, action: Repeatable) {
      const isRead = action.isRead === true;
      const budget = isRead ? budgets.reads : budgets.writes;
      return function asking(this: Service, context) {
        const { broker, options, nodeID } = context;
        const { offeredForMs = OFFERED_MS } = options as RetryOptions;
        const asked: string[] = [];
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        const ask = () => {
          const each = asked.length === 0 ? context : copyOfCall(context, nodeID);
          asked.push(each.id);
          return next.call(this, each);
        };
        let unanswered = 0;
        const fail = (error: unknown) => {
          unanswered -= 1;
          if (isRead || unanswered === 0 || !hasBegunNothing(error)) reject(error);
        };
        const offer = () => {
          unanswered += 1;
          void retryWhileNotTaken(ask, offeredForMs).then(resolve, fail);
        };
        const retry = (times: number) => {
          if (budget.take()) offer();
          if (times < budget.times) retryTimer = setTimeout(retry, firstRetryMs * 2 ** times, times + 1);
        };
        let retryTimer = mayBeRepeated(action, context) ? setTimeout(retry, firstRetryMs, 1) : undefined;
        budget.add();
        offer();
        return promise.finally(() => {
          clearTimeout(retryTimer);
          // Moleculer itself never forgets what it got no answer to.
          forgetAll(broker, asked);
        });
      };
    },
  };
}

function budgetOf({ times, most }: RetryLimits) {
  let spare = most;
  return {
    times,
    /** Takes one, where there is one. */
    take() {
      if (spare < 1) return false;
      spare -= 1;
      return true;
    },
    add() {
      spare = Math.min(most, spare + RETRIES_PER_CALL);
    },
  };
}

async function retryWhileNotTaken(ask: () => Promise<unknown>, forMs: number): Promise<unknown> {
  const deadline = performance.now() + forMs;
  for (;;) {
    const askedAt = performance.now();
    try {
      return await ask();
    } catch (error) {
      if (!wasNotTaken(error) || askedAt >= deadline) throw error;
      await pause(OFFERED_EVERY_MS);
    }
  }
}

function forgetAll({ transit }: ServiceBroker, ids: readonly string[]): void {
  const requests = transit as unknown as { removePendingRequest(id: string): void };
  for (const id of ids) requests.removePendingRequest(id);
}
