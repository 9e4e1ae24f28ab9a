import type { Context, Middleware, Service } from "moleculer";
import { RetriedCall, type Send } from "./retried-call.ts";
import { RetryBudget } from "./retry-budget.ts";
import { NO_ANSWER_MS, type RetryableAction } from "./retry-policy.ts";

type Handler = (this: Service, context: Context) => Promise<unknown>;

/** A read may take long: no answer can mean that its owner is slow. */
const READ_BUDGET = 50;
/** A write is short, and its owner performs concurrent tries of one write once. */
const WRITE_BUDGET = 200;

/**
 * Retries failed calls by the policy in mixins/README.md. The caller retries a call, within its timeout.
 *
 * Moleculer's own retries give each try the whole timeout again. A request could take three times as long as its
 * caller waits, and a write that its caller gave up could be stored after a later one.
 */
export function retries({ noAnswerMs = NO_ANSWER_MS } = {}): Middleware {
  const budgets = { reads: new RetryBudget(READ_BUDGET), writes: new RetryBudget(WRITE_BUDGET) };
  return {
    name: "retries",

    localAction(next: Handler, action: RetryableAction): Handler {
      if (action.isRead !== true && action.isIdempotent !== true) return next;
      return function callWithRetries(context) {
        // The other process, which has made the call over the bus, retries it.
        if (context.nodeID !== context.broker.nodeID) return next.call(this, context);
        const send: Send = (each) => next.call(this, each);
        return new RetriedCall({ send, context, action }).run();
      };
    },

    remoteAction(next: Handler, action: RetryableAction): Handler {
      const budget = action.isRead === true ? budgets.reads : budgets.writes;
      return function callWithRetries(context) {
        const send: Send = (each) => next.call(this, each);
        return new RetriedCall({ send, context, action, lostMessages: { budget, noAnswerMs } }).run();
      };
    },
  };
}
