import type { IncomingMessage } from "node:http";
import { traceparentAfter } from "../../mixins/observability/trace-context.ts";

const TRACEPARENT = Symbol("traceparent");

/** A request that carries what was found out about it: a table beside it would cost more than finding it out. */
interface TracedMessage extends IncomingMessage {
  [TRACEPARENT]?: string;
}

/** The `traceparent` of all that is done for a request; the same however often it is asked for. */
export function traceparentOf(request: TracedMessage): string {
  const { traceparent } = request.headers;
  return (request[TRACEPARENT] ??= traceparentAfter(typeof traceparent === "string" ? traceparent : undefined));
}
