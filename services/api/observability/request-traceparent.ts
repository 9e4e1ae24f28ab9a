import type { IncomingMessage } from "node:http";
import { childTraceparent } from "../../../mixins/observability/trace-context.ts";

const TRACEPARENT = Symbol("traceparent");

/** A request that caches its traceparent: a WeakMap would cost more than the parsing. */
interface TracedMessage extends IncomingMessage {
  [TRACEPARENT]?: string;
}

/** The `traceparent` of the work for a request; each call returns the same one. */
export function traceparentOf(request: TracedMessage): string {
  return (request[TRACEPARENT] ??= childTraceparent(clientTraceparent(request)));
}

/** The client's `traceparent`, which may be malformed. */
export function clientTraceparent({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === "string" ? traceparent : undefined;
}

/** Sets the span of the request as the parent of its work. */
export function setTraceparent(request: TracedMessage, traceparent: string): void {
  request[TRACEPARENT] = traceparent;
}
