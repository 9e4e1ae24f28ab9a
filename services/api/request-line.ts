import { traceIdIn } from "../../mixins/observability/trace-context.ts";
import type { Served } from "./http-server.ts";
import { pathOf } from "./request-steps.ts";
import { traceparentOf } from "./request-trace.ts";

const LONGEST_PATH = 200;

/** What the log says of a request; nothing of its query, its headers or its body. */
export function requestLine({ request, requestId, status, ms }: Served): object {
  return {
    method: request.method,
    path: printable(pathOf(request)),
    status,
    ms: Math.round(ms * 10) / 10,
    requestId,
    traceId: traceIdIn(traceparentOf(request)),
  };
}

/** What the client did wrong is for whoever helps it to look up by its request id (D4); what we did, for us. */
export function requestLevel({ status }: Pick<Served, "status">): "debug" | "info" | "warn" {
  if (status >= 500) return "warn";
  return status >= 400 ? "info" : "debug";
}

/** Text from outside as it may enter a log: one line, visible ASCII, not endless. */
function printable(text: string): string {
  return text.slice(0, LONGEST_PATH).replaceAll(/[^\x21-\x7e]/g, "?");
}
