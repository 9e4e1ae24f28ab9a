import type { Context, Middleware, Service } from "moleculer";
import { CallAttempts, type Send } from "./call-attempts.ts";
import { RetryBudget } from "./retry-budget.ts";
import { RETRY_POLICY, type RetryableAction } from "./retry-policy.ts";

type Handler = (this: Service, context: Context) => Promise<unknown>;

/**
 * Retries failed calls by the policy in mixins/README.md. The caller retries a call, within its timeout. At the timeout
 * Moleculer's own middleware ends a call within the process, and `CallAttempts` a call over the bus.
 *
 * Moleculer's own retries give each attempt the whole timeout again. A request could take three times as long as its
 * caller waits, and a write could still be stored after its caller had given it up and made another one.
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
      // received. Over the bus a call may find no service; therefore `remoteAction` handles every write.
      if (action.isRead !== true && action.isIdempotent !== true) return next;
      return function callWithRetries(context) {
        // A call from another process has the node id of that process here. That process retries the call.
        if (context.nodeID !== context.broker.nodeID) return next.call(this, context);
        const send: Send = (attempt) => next.call(this, attempt);
        return new CallAttempts({ send, context, action }).run();
      };
    },

    remoteAction(next: Handler, action: RetryableAction): Handler {
      const budget = action.isRead === true ? budgets.reads : budgets.writes;
      return function callWithRetries(context) {
        const send: Send = (attempt) => next.call(this, attempt);
        return new CallAttempts({ send, context, action, lostMessages: { budget, noResponseMs } }).run();
      };
    },
  };
}
