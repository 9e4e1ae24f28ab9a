import type { IncomingMessage } from "node:http";
import { tracer, type WorkSpan } from "../../../mixins/observability/tracer.ts";
import type { Served } from "../http/http-server.ts";
import { routeOf } from "./request-metrics.ts";
import { givenTraceparent, setTraceparent } from "./request-traceparent.ts";

const spans = new WeakMap<IncomingMessage, WorkSpan>();

/** Does the work of a request to an endpoint as a span of its client's trace, or of a new one. Pages and probes have none. */
export function inRequestSpan<Result>(request: IncomingMessage, requestId: string, work: () => Result): Result {
  const used = tracer();
  const route = used === undefined ? undefined : routeOf(request);
  if (used === undefined || route === undefined) return work();
  const span = used.start({
    name: `${request.method} ${route}`,
    kind: "server",
    parent: givenTraceparent(request),
    attributes: {
      "http.request.method": request.method,
      "http.route": route,
      "guildcal.request_id": requestId,
    },
  });
  setTraceparent(request, span.traceparent);
  spans.set(request, span);
  return span.run(work);
}

/** Ends the span of a request that was answered. */
export function endRequestSpan({ request, status }: Pick<Served, "request" | "status">): void {
  spans.get(request)?.end({ "http.response.status_code": status }, status >= 500);
}
