import { traceIdIn } from "./trace-context.ts";

/** The fields by which a reader finds a line in the log of any service: the request (D4) and its trace. */
export function requestFields({
  requestId,
  traceparent,
}: {
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
} = {}): { readonly requestId: string | undefined; readonly traceId: string | undefined } {
  return { requestId, traceId: traceIdIn(traceparent) };
}
