import type { IncomingMessage } from "node:http";
import { childTraceparent } from "../../../mixins/observability/trace-context.ts";

const TRACEPARENT = Symbol("traceparent");

/** A request that carries what was found out about it: a table beside it would cost more than finding it out. */
interface TracedMessage extends IncomingMessage {
  [TRACEPARENT]?: string;
}

/** The `traceparent` of all that is done for a request; the same however often it is asked for. */
export function traceparentOf(request: TracedMessage): string {
  return (request[TRACEPARENT] ??= childTraceparent(givenTraceparent(request)));
}

/** The client's own `traceparent`; it may be malformed. */
export function givenTraceparent({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === "string" ? traceparent : undefined;
}

/** Names the span of the request, which all that is done for it is part of. */
export function setTraceparent(request: TracedMessage, traceparent: string): void {
  request[TRACEPARENT] = traceparent;
}
