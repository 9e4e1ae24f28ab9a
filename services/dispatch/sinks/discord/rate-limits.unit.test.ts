import { describe, expect, test } from "@jest/globals";
import type { HttpResult } from "../http-client.ts";
import { type RateLimitBucket, type RateLimits, rateLimits } from "./rate-limits.ts";

const lane: RateLimitBucket = { route: "create", channel: "1" };
const other: RateLimitBucket = { route: "create", channel: "2" };

function answered(status: number, headers: Record<string, string> = {}, body: unknown = {}): HttpResult {
  return { kind: "answered", status, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
}

function bucket(remaining: number, resetAfter: number, name = "b"): Record<string, string> {
  return {
    "x-ratelimit-bucket": name,
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset-after": String(resetAfter),
  };
}

/** One request and its answer, in the same instant. */
function ask(limits: RateLimits, now: number, answer: HttpResult, on = lane): number {
  return limits.startRequest(on, now)(answer, now);
}

describe("Discord's limits, as its answers tell them", () => {
  test("what is not known does not hold anything up", () => {
    expect(rateLimits(50).waitMs(lane, 0)).toBe(0);
  });

  test("a lane without requests left waits for its reset, and no other lane does", () => {
    const limits = rateLimits(50);
    ask(limits, 1_000, answered(200, bucket(0, 2.5)));
    expect(limits.waitMs(lane, 1_000)).toBe(2_500);
    expect(limits.waitMs(lane, 3_499)).toBe(1);
    expect(limits.waitMs(lane, 3_500)).toBe(0);
    expect(limits.waitMs(other, 1_000)).toBe(0);
  });

  test("requests under way are counted before their answers are there", () => {
    const limits = rateLimits(50);
    ask(limits, 0, answered(200, bucket(2, 5)));
    limits.startRequest(lane, 0);
    expect(limits.waitMs(lane, 0)).toBe(0);
    limits.startRequest(lane, 0);
    expect(limits.waitMs(lane, 0)).toBe(5_000);
  });

  test("an answer that overtook others does not give back what they use", () => {
    const limits = rateLimits(50);
    ask(limits, 0, answered(200, bucket(3, 5)));
    limits.startRequest(lane, 0);
    const learnFrom = limits.startRequest(lane, 0);
    learnFrom(answered(200, bucket(1, 5)), 0);
    expect(limits.waitMs(lane, 0)).toBe(5_000);
  });

  test("routes of one bucket use it up together", () => {
    const limits = rateLimits(50);
    const list = { route: "list", channel: "1" };
    ask(limits, 0, answered(200, bucket(5, 5, "shared")), list);
    ask(limits, 0, answered(200, bucket(0, 5, "shared")));
    expect(limits.waitMs(list, 0)).toBe(5_000);
  });

  test("a 429 waits for the larger of header and body", () => {
    const limits = rateLimits(50);
    expect(ask(limits, 0, answered(429, { "retry-after": "1" }, { retry_after: 1.4, global: false }))).toBe(1_400);
    expect(limits.waitMs(lane, 0)).toBe(1_400);
    expect(ask(limits, 5_000, answered(429, { "retry-after": "2" }, { retry_after: 1.4 }))).toBe(2_000);
    expect(limits.waitMs(lane, 5_000)).toBe(2_000);
  });

  test("a 429 waits for the reset of its bucket when that is later than what it asks for", () => {
    const limits = rateLimits(50);
    ask(limits, 0, answered(429, { ...bucket(0, 9), "retry-after": "1" }, { retry_after: 1 }));
    expect(limits.waitMs(lane, 0)).toBe(9_000);
  });

  test.each([
    ["body", answered(429, {}, { retry_after: 2, global: true })],
    ["scope", answered(429, { "x-ratelimit-scope": "global", "retry-after": "2" }, {})],
    ["header", answered(429, { "x-ratelimit-global": "true", "retry-after": "2" }, {})],
    ["lack of a body that Discord would send", answered(429, { "retry-after": "2" }, "<html>")],
  ])("a limit on everything, told by its %s, stops every lane", (_by, answer) => {
    const limits = rateLimits(50);
    ask(limits, 0, answer);
    expect(limits.waitMs(other, 0)).toBe(2_000);
    expect(limits.waitMs(other, 2_000)).toBe(0);
  });

  test("a limit on everything is over when what was asked after it is answered well", () => {
    const limits = rateLimits(50);
    const before = limits.startRequest(lane, 0);
    expect(limits.isHalfOpen()).toBe(false);
    ask(limits, 0, answered(429, {}, { retry_after: 2, global: true }));
    before(answered(200), 2_100);
    expect(limits.isHalfOpen()).toBe(true);
    limits.startRequest(lane, 2_200)({ kind: "unanswered", reason: "ECONNRESET", mayHaveArrived: true }, 2_300);
    ask(limits, 2_400, answered(429, {}, { retry_after: 2, global: false }));
    expect(limits.isHalfOpen()).toBe(true);
    ask(limits, 4_500, answered(403));
    expect(limits.isHalfOpen()).toBe(false);
  });

  test("a 429 that does not say how long waits a while all the same", () => {
    const limits = rateLimits(50);
    expect(ask(limits, 0, answered(429, {}, {}))).toBeGreaterThan(0);
    expect(limits.waitMs(lane, 0)).toBeGreaterThan(0);
  });

  test.each(["-1", "NaN", "soon", "1e9", "Infinity"])("a wait of %s is not taken at its word", (text) => {
    const limits = rateLimits(50);
    ask(limits, 0, answered(200, { ...bucket(0, 0), "x-ratelimit-reset-after": text }));
    ask(limits, 0, answered(429, { "retry-after": text }, { retry_after: Number(text) }));
    expect(limits.waitMs(lane, 0)).toBeGreaterThan(0);
    expect(limits.waitMs(lane, 0)).toBeLessThanOrEqual(3_600_000);
  });

  test("Discord's own trouble may ask for a wait too", () => {
    expect(ask(rateLimits(50), 0, answered(503, { "retry-after": "3" }))).toBe(3_000);
  });

  test("a lane's own wait is not that for the requests a second, which go by turns", () => {
    const limits = rateLimits(2);
    for (const each of [lane, other]) ask(limits, 0, answered(200, bucket(3, 5)), each);
    expect([limits.waitMs(lane, 10), limits.bucketWaitMs(lane, 10)]).toEqual([990, 0]);
    ask(limits, 10, answered(429, { "x-ratelimit-global": "true", "retry-after": "2" }, { global: true }));
    expect(limits.bucketWaitMs(other, 10)).toBe(2_000);
  });

  test("no more requests a second go out than are allowed, over all lanes", () => {
    const limits = rateLimits(2);
    limits.startRequest(lane, 0);
    limits.startRequest(other, 400);
    expect(limits.waitMs({ route: "create", channel: "3" }, 500)).toBe(500);
    expect(limits.waitMs({ route: "create", channel: "3" }, 1_000)).toBe(0);
  });

  test.each([401, 403, 429])(
    "a thousand answers of %i in ten minutes stop everything until the first is forgotten",
    (status) => {
      const limits = rateLimits(1_000_000);
      for (let at = 0; at < 1_000; at += 1) {
        expect(limits.waitMs(other, at)).toBe(0);
        ask(limits, at, answered(status, bucket(9, 0), { retry_after: 0 }));
      }
      expect(limits.waitMs(other, 1_000)).toBe(599_000);
      expect(limits.waitMs(other, 600_000)).toBe(0);
    },
  );

  test("a limit that others share is not counted among them", () => {
    const limits = rateLimits(1_000_000);
    const shared = answered(429, { "x-ratelimit-scope": "shared" }, { retry_after: 0, global: false });
    for (let at = 0; at < 1_000; at += 1) ask(limits, at, shared);
    expect(limits.waitMs(other, 1_000)).toBe(0);
  });

  test("of very many lanes only those whose limit has passed are forgotten", () => {
    const limits = rateLimits(1_000_000);
    ask(limits, 0, answered(200, bucket(0, 5)));
    for (let at = 0; at < 10_010; at += 1) ask(limits, 1, answered(200, bucket(4, 0)), { ...lane, channel: `c${at}` });
    expect(limits.waitMs(lane, 1)).toBe(4_999);
  });

  test("a lost answer gives its place back and teaches nothing", () => {
    const limits = rateLimits(50);
    ask(limits, 0, answered(200, bucket(2, 5)));
    expect(ask(limits, 0, { kind: "unanswered", reason: "ECONNRESET", mayHaveArrived: true })).toBe(0);
    expect(limits.waitMs(lane, 0)).toBe(0);
    ask(limits, 0, answered(200, bucket(1, 5)));
    expect(limits.waitMs(lane, 0)).toBe(0);
  });
});
