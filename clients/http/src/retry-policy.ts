import type { ApiError, NoResponseError } from "./client-types.ts";

/** Wait before the second attempt, where the service names none; it doubles with each further one. */
const FIRST_WAIT_MS = 200;
const MAX_WAIT_MS = 5_000;
/** Clients that were refused at the same moment come back at different ones. */
const SPREAD_MS = 250;

const CHANGED_NOTHING: ReadonlySet<ApiError["code"]> = new Set(["UNAVAILABLE", "TOO_MANY_REQUESTS", "WRITE_CONFLICT"]);

/**
 * Milliseconds to wait before another attempt; undefined where none may be made.
 *
 * - UNAVAILABLE, TOO_MANY_REQUESTS and WRITE_CONFLICT changed nothing: any request is sent again.
 * - After OUTCOME_UNKNOWN, after no response, and after a response of a proxy, a write may have been done: a request is sent
 *   again if it is a read, or names its write by an `Idempotency-Key`.
 * - Every other error is the same at the next attempt.
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
  if (mayBeDone(error) ? !isRepeatable : !isRefusedForNow(error)) return undefined;
  const retryAfterMs = error.name === "ApiError" ? error.retryAfterMs : undefined;
  return retryAfterMs === undefined ? backoff : retryAfterMs + random * SPREAD_MS;
}

/** Whether a write may have been done although it has this error. */
function mayBeDone(error: ApiError | NoResponseError): boolean {
  if (error.name === "NoResponseError" || error.code === "OUTCOME_UNKNOWN") return true;
  return error.code === "UNEXPECTED_RESPONSE" && error.status >= 500;
}

function isRefusedForNow(error: ApiError | NoResponseError): boolean {
  return error.name === "ApiError" && CHANGED_NOTHING.has(error.code);
}
