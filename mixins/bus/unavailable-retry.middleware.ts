import { setTimeout as pause } from "node:timers/promises";
import type { Context, Middleware, Service } from "moleculer";
import { copyOfCall, wasNotStarted, isRetryable, type RetryableAction } from "./retry-policy.ts";

type Handler = (this: Service, context: Context) => Promise<unknown>;

const FIRST_PAUSE_MS = 50;
const TIMED_OUT = 504;

/**
 * Retries a call whose answer says that the service is temporarily unavailable, if the call may be retried: at most
 * twice more, and within the time-out of the call.
 *
 * Moleculer's own retries give each try the whole time-out again. A request could take three times as long as its
 * caller waits, and a write that its caller gave up could be stored after a later one.
 */
export function unavailableRetry(retries = 2): Middleware {
  const handlerWithRetry = (
    isCallerHere: (context: Context) => boolean,
    next: Handler,
    action: RetryableAction,
  ): Handler =>
    async function retry(context) {
      if (!isRetryable(action, context)) return next.call(this, context);
      const startedAt = performance.now();
      const { nodeID, options } = context;
      const { retries: maxRetries, timeout } = options;
      /**
       * The first error after which the call may have been performed. It is the outcome even if a later try was not
       * started.
       */
      let uncertainError: unknown;
      for (let tries = 1; ; tries += 1) {
        try {
          return await next.call(this, tries === 1 ? context : copyOfCall(context, nodeID));
        } catch (error) {
          const pauseMs = FIRST_PAUSE_MS * 2 ** (tries - 1);
          const isOver = performance.now() - startedAt + pauseMs >= (timeout || Infinity);
          // A refusal of the write itself holds for each of its tries.
          if (!isTemporary(error) && !wasNotStarted(error)) throw error;
          const isLast = tries > (maxRetries ?? retries) || isOver || !isTemporary(error) || !isCallerHere(context);
          if (isLast) throw uncertainError ?? error;
          if (!wasNotStarted(error)) uncertainError ??= error;
          await pause(pauseMs);
        }
      }
    };
  const forCalls =
    (isCallerHere: (context: Context) => boolean) =>
    (next: Handler, action: RetryableAction): Handler =>
      handlerWithRetry(isCallerHere, next, action);
  return {
    name: "unavailable-retry",
    // The caller of a call over the bus retries it.
    localAction: forCalls(({ nodeID, broker }) => nodeID === broker.nodeID),
    remoteAction: forCalls(() => true),
  };
}

/** Whether the error is temporary. An error that took the whole time-out of the call is not worth another try. */
function isTemporary(error: unknown): boolean {
  const { retryable, code } = Object(error) as { retryable?: boolean; code?: unknown };
  return retryable === true && code !== TIMED_OUT;
}
