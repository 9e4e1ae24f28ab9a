import type { Context, Middleware, Service } from "moleculer";
import { CallAttempts, type Send } from "./call-attempts.ts";
import { RetryBudget } from "./retry-budget.ts";
import { RETRY_POLICY, type RetryableAction } from "./retry-policy.ts";

type Handler = (this: Service, context: Context) => Promise<unknown>;

/**
 * Retries failed calls by the policy in mixins/README.md. The caller retries a call, within its timeout.
 *
 * Moleculer's own retries give each attempt the whole timeout again. A request could take three times as long as its
 * caller waits, and a write that its caller gave up could be stored after a later one.
 */
export function retries({
  noResponseMs = RETRY_POLICY.noResponseMs,
}: { readonly noResponseMs?: number } = {}): Middleware {
  const budgets = {
    reads: new RetryBudget(RETRY_POLICY.readBudget),
    writes: new RetryBudget(RETRY_POLICY.writeBudget),
  };
  return {
    name: "retries",

    localAction(next: Handler, action: RetryableAction): Handler {
      // A write that is not idempotent is retried only if no service received it. Within a process each call is
      // received; over the bus a call may not be, so `remoteAction` skips no write.
      if (action.isRead !== true && action.isIdempotent !== true) return next;
      return function callWithRetries(context) {
        // The other process, which has made the call over the bus, retries it.
        if (context.nodeID !== context.broker.nodeID) return next.call(this, context);
        const send: Send = (each) => next.call(this, each);
        return new CallAttempts({ send, context, action }).run();
      };
    },

    remoteAction(next: Handler, action: RetryableAction): Handler {
      const budget = action.isRead === true ? budgets.reads : budgets.writes;
      return function callWithRetries(context) {
        const send: Send = (each) => next.call(this, each);
        return new CallAttempts({ send, context, action, lostMessages: { budget, noResponseMs } }).run();
      };
    },
  };
}
