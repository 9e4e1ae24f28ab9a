import { traceIdIn } from "../../../mixins/observability/trace-context.ts";
import { withoutToken } from "../feeds/feed-path.ts";
import type { Served } from "../http/http-server.ts";
import { pathOf } from "../request-handler.ts";
import { traceparentOf } from "./request-traceparent.ts";

const MAX_PATH_LENGTH = 200;

/** The log fields of a request; never its query, headers or body, nor the token of a feed. */
export function accessLogFields({ request, requestId, status, ms }: Served): object {
  return {
    method: request.method,
    path: printable(withoutToken(pathOf(request))),
    status,
    ms: Math.round(ms * 10) / 10,
    requestId,
    traceId: traceIdIn(traceparentOf(request)),
  };
}

/** `info` for a client's error, which support looks up by the request id (D4); `warn` for the server's own. */
export function accessLogLevel({ status }: Pick<Served, "status">): "debug" | "info" | "warn" {
  if (status >= 500) return "warn";
  return status >= 400 ? "info" : "debug";
}

/** Makes text from a client safe for the log: one line of visible ASCII, of limited length. */
function printable(text: string): string {
  return text.slice(0, MAX_PATH_LENGTH).replaceAll(/[^\x21-\x7e]/g, "?");
}
