import type { IncomingMessage } from "node:http";
import { tracer, type RunningSpan } from "../../../mixins/observability/tracer.ts";
import type { ServedRequest } from "../http/http-server.ts";
import { routeOf } from "./request-metrics.ts";
import { clientTraceparent, setTraceparent } from "./request-traceparent.ts";

const spans = new WeakMap<IncomingMessage, RunningSpan>();

/** Runs the work of a request in a span of the client's trace, or of a new one. Only endpoints have spans. */
export function inRequestSpan<Result>(request: IncomingMessage, requestId: string, work: () => Result): Result {
  const activeTracer = tracer();
  const route = activeTracer === undefined ? undefined : routeOf(request);
  if (activeTracer === undefined || route === undefined) return work();
  const span = activeTracer.start({
    name: `${request.method} ${route}`,
    kind: "server",
    parent: clientTraceparent(request),
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

export function endRequestSpan({ request, status }: Pick<ServedRequest, "request" | "status">): void {
  spans.get(request)?.end({ "http.response.status_code": status }, status >= 500);
}
