import type { IncomingMessage } from "node:http";
import { traceparentAfter } from "../../mixins/trace-context.ts";

const known = new WeakMap<IncomingMessage, string>();

/** The `traceparent` of all that is done for a request; the same however often it is asked for. */
export function traceparentOf(request: IncomingMessage): string {
  const before = known.get(request);
  if (before !== undefined) return before;
  const { traceparent } = request.headers;
  const after = traceparentAfter(typeof traceparent === "string" ? traceparent : undefined);
  known.set(request, after);
  return after;
}
