import type { Middleware, Service } from "moleculer";
import { ERRORS } from "../../services/contracts/errors.ts";
import { isInternalAction } from "./internal-action.ts";
import { actionSeconds, broadcastsSent } from "./metrics.ts";

/**
 * Measures the actions that a process serves, and counts its broadcasts. Moleculer's own metrics do more, and reduce
 * the throughput of local calls by nine tenths; this middleware costs about a microsecond a call.
 */
export const callMetrics: Middleware = {
  name: "call-metrics",

  localAction(next, schema) {
    if (isInternalAction(schema)) return next;
    const { name: action = "" } = schema;
    const observe = (code: string, startedAt: number) =>
      actionSeconds.observe({ action, code }, (performance.now() - startedAt) / 1000);
    return async function measured(this: Service, context) {
      const startedAt = performance.now();
      try {
        const result: unknown = await next.call(this, context);
        observe("OK", startedAt);
        return result;
      } catch (error) {
        observe(codeOf(error), startedAt);
        throw error;
      }
    };
  },

  broadcast(next: (event: string, ...rest: unknown[]) => unknown) {
    return ((event: string, ...rest: unknown[]) => {
      broadcastsSent.inc({ event });
      return next(event, ...rest);
    }) as never;
  },
};

/** The error type, if it is in the error table: a label must not have arbitrary values. */
function codeOf(error: unknown): string {
  const { type } = (error ?? {}) as { type?: unknown };
  return typeof type === "string" && Object.hasOwn(ERRORS, type) ? type : "INTERNAL";
}
