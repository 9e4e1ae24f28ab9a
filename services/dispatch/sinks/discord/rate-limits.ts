import type { IncomingHttpHeaders } from "node:http";
import { headerNumber, retryAfterMs } from "../../../../mixins/http/retry-after.ts";
import type { HttpResult } from "../../../../mixins/http/http-client.ts";
import { type SlidingWindow, slidingWindow } from "../sliding-window.ts";
import { type ResponseBody, parseResponseBody } from "./response-body.ts";

/** After a 429 without a duration. */
const DEFAULT_WAIT_MS = 5_000;
/** Discord bans an address at 10 000 invalid requests in 10 minutes. */
const MAX_INVALID_REQUESTS = 1_000;
const INVALID_REQUESTS_WINDOW_MS = 600_000;
/** With more states, those whose limit has passed are forgotten. */
const MAX_STATES = 10_000;

/** A route on a channel. Discord limits each separately. */
export interface RateLimitBucket {
  readonly route: string;
  readonly channel: string;
}

/**
 * Discord's rate limits as its responses have shown them; none are assumed. Times are milliseconds of a monotonic clock.
 * Nothing here waits: the caller gets the milliseconds to wait.
 */
export interface RateLimits {
  /** 0 if a request may be sent now. */
  waitMs(bucket: RateLimitBucket, now: number): number;
  /** As `waitMs`, without the process's requests per second, for which posts wait before they are claimed. */
  bucketWaitMs(bucket: RateLimitBucket, now: number): number;
  /** Whether a global limit, a trial after it (`isHalfOpen`), or the limit of invalid requests holds the posts of all channels. */
  isStopped(now: number): boolean;
  /** Whether a global limit was met, and no request that began after it has had a response other than 429. */
  isHalfOpen(): boolean;
  /** Counts a request. The returned function takes its result, once. */
  startRequest(bucket: RateLimitBucket, now: number): ResultHandler;
}

/** Returns the wait that the response requires before a retry. */
type ResultHandler = (result: HttpResult, now: number) => number;

interface BucketState {
  remaining: number;
  resetsAt: number;
  inFlight: number;
}

/** @param requestsPerSecond - Of this process; may change. */
export function rateLimits(requestsPerSecond: () => number): RateLimits {
  const states = new Map<string, BucketState>();
  /** Discord's last bucket id of each route; several routes may share a bucket. */
  const bucketIds = new Map<string, string>();
  const allRequests = slidingWindow(requestsPerSecond, 1_000);
  const invalid = slidingWindow(() => MAX_INVALID_REQUESTS, INVALID_REQUESTS_WINDOW_MS);
  let stoppedUntil = 0;
  let isHalfOpen = false;

  const stateOf = ({ route, channel }: RateLimitBucket): BucketState => {
    const key = `${bucketIds.get(route) ?? route} ${channel}`;
    const state = states.get(key) ?? { remaining: Infinity, resetsAt: 0, inFlight: 0 };
    states.set(key, state);
    return state;
  };

  function bucketWaitMs(bucket: RateLimitBucket, now: number): number {
    const { remaining, resetsAt } = stateOf(bucket);
    // After its reset a bucket is full again; the next response shows its size.
    const untilReset = remaining > 0 ? 0 : resetsAt - now;
    return Math.max(0, untilReset, stoppedUntil - now, invalid.waitMs(now));
  }

  return {
    bucketWaitMs,
    isStopped: (now) => isHalfOpen || now < stoppedUntil || invalid.waitMs(now) > 0,
    isHalfOpen: () => isHalfOpen,
    waitMs: (bucket, now) => Math.max(bucketWaitMs(bucket, now), allRequests.waitMs(now)),

    startRequest(bucket, now) {
      if (states.size > MAX_STATES) forgetIdle(states, now);
      const state = stateOf(bucket);
      state.remaining -= 1;
      state.inFlight += 1;
      allRequests.add(now);
      return (result, then) => {
        state.inFlight -= 1;
        if (result.kind !== "response") return 0;
        // The response to a request from before the limit does not show that the limit is over.
        if (result.status !== 429 && now >= stoppedUntil) isHalfOpen = false;
        return learn(bucket, result, then);
      };
    },
  };

  function learn(bucket: RateLimitBucket, response: ReceivedResponse, now: number): number {
    const id = textOf(response.headers, "x-ratelimit-bucket");
    if (id !== undefined) bucketIds.set(bucket.route, id);
    const state = stateOf(bucket);
    readBucket(state, response.headers, now);
    countInvalid(invalid, response, now);
    const afterMs = requiredWait(response);
    if (response.status !== 429) return afterMs;
    if (isGlobal(response)) {
      stoppedUntil = Math.max(stoppedUntil, now + afterMs);
      isHalfOpen = true;
    } else Object.assign(state, { remaining: 0, resetsAt: Math.max(state.resetsAt, now + afterMs) });
    return afterMs;
  }
}

/** Responses may arrive in another order, so requests in flight are subtracted from the remaining ones. */
function readBucket(state: BucketState, headers: IncomingHttpHeaders, now: number): void {
  const remaining = headerNumber(headers, "x-ratelimit-remaining");
  const resetAfter = headerNumber(headers, "x-ratelimit-reset-after");
  if (remaining === undefined || resetAfter === undefined) return;
  state.remaining = remaining - state.inFlight;
  state.resetsAt = now + retryAfterMs(resetAfter);
}

/** Discord does not count a limit that is shared by all users of a resource. */
function countInvalid(invalid: SlidingWindow, { status, headers }: ReceivedResponse, now: number): void {
  const isShared = status === 429 && textOf(headers, "x-ratelimit-scope") === "shared";
  if ((status === 401 || status === 403 || status === 429) && !isShared) invalid.add(now);
}

type ReceivedResponse = HttpResult & { kind: "response" };

/** The larger of the waits in header and body. */
function requiredWait({ status, headers, body }: ReceivedResponse): number {
  const inBody = status === 429 ? parseResponseBody(body)?.retryAfter : undefined;
  const waits = [headerNumber(headers, "retry-after"), inBody].filter((seconds = -1) => seconds >= 0) as number[];
  if (waits.length === 0) return status === 429 ? DEFAULT_WAIT_MS : 0;
  return retryAfterMs(Math.max(...waits));
}

/** A 429 without Discord's body comes from a proxy and concerns the address, so it is global. */
function isGlobal({ headers, body }: ReceivedResponse): boolean {
  const error: ResponseBody | undefined = parseResponseBody(body);
  const scope = textOf(headers, "x-ratelimit-scope");
  return (
    error?.global === true || scope === "global" || headers["x-ratelimit-global"] !== undefined || error === undefined
  );
}

function forgetIdle(states: Map<string, BucketState>, now: number): void {
  for (const [key, { resetsAt, inFlight }] of states) if (resetsAt <= now && inFlight === 0) states.delete(key);
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
