import type { ApiError, NoResponseError } from "./client-types.ts";

/**
 * Longest wait before the second attempt if the response has no Retry-After; doubled for each further attempt. A random part
 * of up to one half is subtracted.
 */
const FIRST_WAIT_MS = 200;
const MAX_WAIT_MS = 5_000;
/** Longest random wait after Retry-After, so that clients that were refused together do not retry together. */
const SPREAD_MS = 250;

const CHANGED_NOTHING: ReadonlySet<ApiError["code"]> = new Set(["UNAVAILABLE", "TOO_MANY_REQUESTS", "WRITE_CONFLICT"]);

/**
 * Milliseconds to wait before another attempt; undefined if there must be none.
 *
 * - After UNAVAILABLE, TOO_MANY_REQUESTS and WRITE_CONFLICT nothing was changed: any request is sent again.
 * - After OUTCOME_UNKNOWN, no response, or the response of a proxy, a write may have been performed: a request is sent again
 *   if it is a read, or has an `Idempotency-Key`.
 * - After every other error another attempt would fail in the same way.
 */
export function waitBeforeRetry(
  error: ApiError | NoResponseError,
  {
    attempt,
    isRepeatable,
    random,
  }: { readonly attempt: number; readonly isRepeatable: boolean; readonly random: number },
): number | undefined {
  const backoff = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + random / 2);
  const isRetried = mayBeDone(error) ? isRepeatable : isRefusedForNow(error);
  if (!isRetried) return undefined;
  const retryAfterMs = error.name === "ApiError" ? error.retryAfterMs : undefined;
  return retryAfterMs === undefined ? backoff : retryAfterMs + random * SPREAD_MS;
}

/** Whether a write with this error may have been performed. */
function mayBeDone(error: ApiError | NoResponseError): boolean {
  if (error.name === "NoResponseError" || error.code === "OUTCOME_UNKNOWN") return true;
  return error.code === "UNEXPECTED_RESPONSE" && error.status >= 500;
}

/** Whether the request changed nothing, and may succeed later. */
function isRefusedForNow(error: ApiError | NoResponseError): boolean {
  return error.name === "ApiError" && CHANGED_NOTHING.has(error.code);
}
