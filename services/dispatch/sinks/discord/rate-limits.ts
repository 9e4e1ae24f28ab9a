import type { IncomingHttpHeaders } from "node:http";
import { headerNumber, retryAfterMs } from "../retry-after.ts";
import type { HttpAnswer } from "../http-client.ts";
import { type SlidingWindow, slidingWindow } from "../sliding-window.ts";
import { type AnswerBody, readAnswerBody } from "./response-body.ts";

/** After a 429 that does not say how long. */
const UNTOLD_WAIT_MS = 5_000;
/** Discord bans an address at 10 000 invalid requests in 10 minutes. */
const MAX_INVALID_REQUESTS = 1_000;
const INVALID_REQUESTS_WINDOW_MS = 600_000;
/** Lanes whose limit has passed are forgotten when there are more. */
const MANY_LANES = 10_000;

/** One route on one channel, which Discord limits apart from every other. */
export interface RateLimitBucket {
  readonly route: string;
  readonly channel: string;
}

/**
 * What Discord's answers have told of its limits, which are read and never assumed. Times are milliseconds of a
 * clock that never goes back. Nothing here waits: it says how long a request would have to.
 */
export interface RateLimits {
  /** 0 when a request may go now. */
  wait(lane: RateLimitBucket, now: number): number;
  /** The same but for the requests a second over all lanes, for which posts wait by turns before they are claimed. */
  bucketWait(lane: RateLimitBucket, now: number): number;
  /** Whether a limit on everything stands in the way of every lane now. */
  isStopped(now: number): boolean;
  /** Whether no request that went out after the last limit on everything has been answered well yet. */
  onTrial(): boolean;
  /** A request goes out; what it returns reads the answer to it, once. */
  take(lane: RateLimitBucket, now: number): LearnFrom;
}

/** Returns how long the answer asks to wait before a repeat. */
type LearnFrom = (answer: HttpAnswer, now: number) => number;

interface BucketState {
  remaining: number;
  resetsAt: number;
  underWay: number;
}

export function rateLimits(requestsPerSecond: number): RateLimits {
  const lanes = new Map<string, BucketState>();
  /** Which bucket a route was last counted in: the same one may count several routes. */
  const buckets = new Map<string, string>();
  const everything = slidingWindow(requestsPerSecond, 1_000);
  const invalid = slidingWindow(MAX_INVALID_REQUESTS, INVALID_REQUESTS_WINDOW_MS);
  let stoppedUntil = 0;
  let isOnTrial = false;

  const stateOf = ({ route, channel }: RateLimitBucket): BucketState => {
    const key = `${buckets.get(route) ?? route} ${channel}`;
    const state = lanes.get(key) ?? { remaining: Infinity, resetsAt: 0, underWay: 0 };
    lanes.set(key, state);
    return state;
  };

  function laneWait(lane: RateLimitBucket, now: number): number {
    const { remaining, resetsAt } = stateOf(lane);
    // Past its reset the bucket is full again, of a size that the next answer tells.
    const inLane = remaining > 0 ? 0 : resetsAt - now;
    return Math.max(0, inLane, stoppedUntil - now, invalid.wait(now));
  }

  return {
    bucketWait: laneWait,
    isStopped: (now) => isOnTrial || now < stoppedUntil || invalid.wait(now) > 0,
    onTrial: () => isOnTrial,
    wait: (lane, now) => Math.max(laneWait(lane, now), everything.wait(now)),

    take(lane, now) {
      if (lanes.size > MANY_LANES) forgetIdle(lanes, now);
      const state = stateOf(lane);
      state.remaining -= 1;
      state.underWay += 1;
      everything.add(now);
      return (answer, then) => {
        state.underWay -= 1;
        if (answer.kind !== "answered") return 0;
        // An answer to what went out before the limit says nothing about its end.
        if (answer.status !== 429 && now >= stoppedUntil) isOnTrial = false;
        return learn(lane, answer, then);
      };
    },
  };

  function learn(lane: RateLimitBucket, answer: Answered, now: number): number {
    const bucket = textOf(answer.headers, "x-ratelimit-bucket");
    if (bucket !== undefined) buckets.set(lane.route, bucket);
    const state = stateOf(lane);
    readBucket(state, answer.headers, now);
    countInvalid(invalid, answer, now);
    const afterMs = waitAskedFor(answer);
    if (answer.status !== 429) return afterMs;
    if (isGlobal(answer)) {
      stoppedUntil = Math.max(stoppedUntil, now + afterMs);
      isOnTrial = true;
    } else Object.assign(state, { remaining: 0, resetsAt: Math.max(state.resetsAt, now + afterMs) });
    return afterMs;
  }
}

/** Answers may overtake each other: what is under way is taken off what is left. */
function readBucket(state: BucketState, headers: IncomingHttpHeaders, now: number): void {
  const remaining = headerNumber(headers, "x-ratelimit-remaining");
  const resetAfter = headerNumber(headers, "x-ratelimit-reset-after");
  if (remaining === undefined || resetAfter === undefined) return;
  state.remaining = remaining - state.underWay;
  state.resetsAt = now + retryAfterMs(resetAfter);
}

/** A limit shared with others on the same resource is not held against us. */
function countInvalid(invalid: SlidingWindow, { status, headers }: Answered, now: number): void {
  const isShared = status === 429 && textOf(headers, "x-ratelimit-scope") === "shared";
  if ((status === 401 || status === 403 || status === 429) && !isShared) invalid.add(now);
}

type Answered = HttpAnswer & { kind: "answered" };

/** The larger of what header and body ask for. */
function waitAskedFor({ status, headers, body }: Answered): number {
  const inBody = status === 429 ? readAnswerBody(body)?.retryAfter : undefined;
  const asked = [headerNumber(headers, "retry-after"), inBody].filter((seconds = -1) => seconds >= 0) as number[];
  if (asked.length === 0) return status === 429 ? UNTOLD_WAIT_MS : 0;
  return retryAfterMs(Math.max(...asked));
}

/** A 429 from before Discord, without its body, is about the address: it stops everything. */
function isGlobal({ headers, body }: Answered): boolean {
  const told: AnswerBody | undefined = readAnswerBody(body);
  const scope = textOf(headers, "x-ratelimit-scope");
  return (
    told?.global === true || scope === "global" || headers["x-ratelimit-global"] !== undefined || told === undefined
  );
}

function forgetIdle(lanes: Map<string, BucketState>, now: number): void {
  for (const [key, { resetsAt, underWay }] of lanes) if (resetsAt <= now && underWay === 0) lanes.delete(key);
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
