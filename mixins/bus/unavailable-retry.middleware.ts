import { setTimeout as pause } from "node:timers/promises";
import type { Context, Middleware, Service } from "moleculer";
import { copyOfCall, wasNotStarted, isRetryable, type RetryableAction } from "./retry-policy.ts";

type Handler = (this: Service, context: Context) => Promise<unknown>;

const FIRST_PAUSE_MS = 50;
const TIMED_OUT = 504;

/**
 * A call that was answered with "not now" is made again when it may be asked again: twice more at most, and within the
 * time that the call has.
 *
 * Moleculer's own retries give each try the whole time again. A request could take three times as long as its caller
 * waits, and a write that was given up could be done after a later one.
 */
export function unavailableRetry(retries = 2): Middleware {
  const retrying = (isCallerHere: (context: Context) => boolean, next: Handler, action: RetryableAction): Handler =>
    async function retry(context) {
      if (!isRetryable(action, context)) return next.call(this, context);
      const began = performance.now();
      const { nodeID, options } = context;
      const { retries: most, timeout } = options;
      /** The first error after which the call may have been done: that a later try began nothing is not the whole outcome. */
      let uncertainError: unknown;
      for (let tries = 1; ; tries += 1) {
        try {
          return await next.call(this, tries === 1 ? context : copyOfCall(context, nodeID));
        } catch (error) {
          const pauseMs = FIRST_PAUSE_MS * 2 ** (tries - 1);
          const isOver = performance.now() - began + pauseMs >= (timeout || Infinity);
          // A refusal of the write itself holds for each of its tries.
          if (!isNotNow(error) && !wasNotStarted(error)) throw error;
          const isLast = tries > (most ?? retries) || isOver || !isNotNow(error) || !isCallerHere(context);
          if (isLast) throw uncertainError ?? error;
          if (!wasNotStarted(error)) uncertainError ??= error;
          await pause(pauseMs);
        }
      }
    };
  const where =
    (isCallerHere: (context: Context) => boolean) =>
    (next: Handler, action: RetryableAction): Handler =>
      retrying(isCallerHere, next, action);
  return {
    name: "retried",
    // What came over the bus is made again by who made it.
    localAction: where(({ nodeID, broker }) => nodeID === broker.nodeID),
    remoteAction: where(() => true),
  };
}

/** An error that took the call's whole time is not worth another try. */
function isNotNow(error: unknown): boolean {
  const { retryable, code } = Object(error) as { retryable?: boolean; code?: unknown };
  return retryable === true && code !== TIMED_OUT;
}
