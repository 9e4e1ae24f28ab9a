import type { ActionSchema, Context, Middleware, Service } from "moleculer";
import type { CallMeta } from "../../services/contracts/contract.ts";
import { isInternalAction } from "./internal-action.ts";
import type { SpanStart, Tracer } from "./tracer.ts";

type Handler = (this: Service, context: Context<unknown, CallMeta>) => Promise<unknown>;

const FIRST_SERVER_ERROR = 500;

/**
 * Creates a span for each call of an action within a request: one in the process that serves the call, and for a call over the
 * bus also one in the process of the caller. The `meta` of the call carries the trace. Calls outside of any request, such as
 * periodic ones, have no span.
 */
export function tracing(tracer: Tracer): Middleware {
  const traced =
    (spanKind: (context: Context) => SpanStart["kind"]) =>
    (next: Handler, action: ActionSchema): Handler => {
      if (isInternalAction(action)) return next;
      const { name = "" } = action;
      return async function spanned(context) {
        const { meta } = context;
        const { traceparent: parent } = meta;
        if (parent === undefined) return next.call(this, context);
        const attributes = { "rpc.system": "moleculer", "rpc.method": name, "guildcal.request_id": meta.requestId };
        const span = tracer.start({ name, kind: spanKind(context), parent, attributes });
        meta.traceparent = span.traceparent;
        try {
          const result = await span.run(() => next.call(this, context));
          span.end();
          return result;
        } catch (error) {
          const { type, name: className, code } = error as { type?: string; name?: string; code?: unknown };
          const isFailure = typeof code !== "number" || code >= FIRST_SERVER_ERROR;
          span.end({ "error.type": type ?? className }, isFailure);
          throw error;
        } finally {
          // Moleculer copies the meta of a completed call into the meta of its caller, whose next calls are not part of this span.
          meta.traceparent = parent;
        }
      };
    };
  return {
    name: "tracing",
    // The node of a context is that of its caller.
    localAction: traced(({ nodeID, broker }) => (nodeID === broker.nodeID ? "internal" : "server")),
    remoteAction: traced(() => "client"),
  };
}
