import { traceIdIn } from "../../../mixins/observability/trace-context.ts";
import { withoutToken } from "../feeds/feed-path.ts";
import type { ServedRequest } from "../http/http-server.ts";
import { requestPath } from "../http/request-path.ts";
import { traceparentOf } from "./request-traceparent.ts";

const MAX_PATH_LENGTH = 200;

/**
 * The log fields of a request. Of its headers they have only the request id and the trace id. They never have its query, its
 * body or the token of a feed.
 */
export function accessLogFields({ request, requestId, status, ms }: ServedRequest): object {
  return {
    method: request.method,
    path: printable(withoutToken(requestPath(request))),
    status,
    ms: Math.round(ms * 10) / 10,
    requestId,
    traceId: traceIdIn(traceparentOf(request)),
  };
}

/** `info` for an error of the client, which support looks up by the request id (D4); `warn` for an error of the server. */
export function accessLogLevel({ status }: Pick<ServedRequest, "status">): "debug" | "info" | "warn" {
  if (status >= 500) return "warn";
  return status >= 400 ? "info" : "debug";
}

/** Makes a client's text safe for the log: one line of visible ASCII, of limited length. */
function printable(text: string): string {
  return text.slice(0, MAX_PATH_LENGTH).replaceAll(/[^\x21-\x7e]/g, "?");
}
