import { type ChatResponse, htmlPage } from "./responses.ts";

export interface ChatServerLimits {
  /** Maximum number of requests of a bucket in `perMs`, for each channel. */
  readonly perBucket: number;
  readonly perMs: number;
  /** Maximum number of requests of all routes in `overallMs`. */
  readonly overall: number;
  readonly overallMs: number;
  /** Number of 401, 403 and 429 in 10 minutes after which the address is banned. */
  readonly invalidRequests: number;
}

/** Five messages in 5 seconds per channel were observed; the other limits are documented. */
export const USUAL_LIMITS: ChatServerLimits = {
  perBucket: 5,
  perMs: 5_000,
  overall: 50,
  overallMs: 1_000,
  invalidRequests: 10_000,
};

const BAN_WINDOW_MS = 600_000;

export interface Limiter {
  /** Counts a request; returns its refusal, or the headers of its response. */
  admit(bucket: string, channel: string, now: number): { refused: ChatResponse } | { headers: Record<string, string> };
  /** Counts a response. */
  recordResponse(response: ChatResponse, now: number): void;
  /** Number of responses in the last 10 minutes that count as invalid requests. */
  invalidRequests(now: number): number;
}

export function newLimiter({ perBucket, perMs, overall, overallMs, invalidRequests }: ChatServerLimits): Limiter {
  const buckets = new Map<string, { used: number; resetsAt: number }>();
  /** Times of the requests in the last `overallMs`. */
  let recent: number[] = [];
  let invalid: number[] = [];

  function admitOverall(now: number): ChatResponse | undefined {
    recent = recent.filter((at) => at > now - overallMs);
    const oldest = recent[0];
    if (oldest !== undefined && recent.length >= overall) return tooMany(oldest + overallMs - now, true, {});
    recent.push(now);
    return undefined;
  }

  return {
    admit(bucket, channel, now) {
      if (countInvalid(now) >= invalidRequests) return { refused: htmlPage(429, { "retry-after": "600" }) };
      const refused = admitOverall(now);
      if (refused !== undefined) return { refused };
      const key = `${bucket} ${channel}`;
      const before = buckets.get(key);
      const state = before !== undefined && before.resetsAt > now ? before : { used: 0, resetsAt: now + perMs };
      buckets.set(key, state);
      const isOver = state.used >= perBucket;
      if (!isOver) state.used += 1;
      const headers = {
        "x-ratelimit-bucket": bucket,
        "x-ratelimit-limit": String(perBucket),
        "x-ratelimit-remaining": String(perBucket - state.used),
        "x-ratelimit-reset-after": ((state.resetsAt - now) / 1_000).toFixed(3),
      };
      return isOver ? { refused: tooMany(state.resetsAt - now, false, headers) } : { headers };
    },

    recordResponse({ status, headers }, now) {
      const isShared = headers?.["x-ratelimit-scope"] === "shared";
      if ((status === 401 || status === 403 || status === 429) && !isShared) invalid.push(now);
    },

    invalidRequests: countInvalid,
  };

  function countInvalid(now: number): number {
    invalid = invalid.filter((at) => at > now - BAN_WINDOW_MS);
    return invalid.length;
  }
}

/** The response 429. Its header has the wait in whole seconds, rounded up; its body has the exact wait. */
function tooMany(waitMs: number, global: boolean, headers: Record<string, string>): ChatResponse {
  return {
    status: 429,
    headers: {
      ...headers,
      "retry-after": String(Math.ceil(waitMs / 1_000)),
      "x-ratelimit-scope": global ? "global" : "user",
      ...(global ? { "x-ratelimit-global": "true" } : {}),
    },
    body: { message: "You are being rate limited.", retry_after: waitMs / 1_000, global },
  };
}
