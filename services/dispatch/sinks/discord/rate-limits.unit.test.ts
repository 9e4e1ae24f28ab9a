import { describe, expect, test } from "@jest/globals";
import type { HttpResult } from "../../../../mixins/http/http-client.ts";
import { type RateLimitBucket, type RateLimits, rateLimits } from "./rate-limits.ts";

const createBucket: RateLimitBucket = { route: "create", channel: "1" };
const other: RateLimitBucket = { route: "create", channel: "2" };

function responseWith(status: number, headers: Record<string, string> = {}, body: unknown = {}): HttpResult {
  return { kind: "response", status, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
}

function bucket(remaining: number, resetAfter: number, name = "b"): Record<string, string> {
  return {
    "x-ratelimit-bucket": name,
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset-after": String(resetAfter),
  };
}

/** One request and its response at the same instant. */
function send(limits: RateLimits, now: number, response: HttpResult, on = createBucket): number {
  return limits.startRequest(on, now)(response, now);
}

describe("Discord's rate limits", () => {
  test("are not assumed before a response shows them", () => {
    expect(rateLimits(() => 50).waitMs(createBucket, 0)).toBe(0);
  });

  test("make a used bucket wait for its reset, and no other bucket", () => {
    const limits = rateLimits(() => 50);
    send(limits, 1_000, responseWith(200, bucket(0, 2.5)));
    expect(limits.waitMs(createBucket, 1_000)).toBe(2_500);
    expect(limits.waitMs(createBucket, 3_499)).toBe(1);
    expect(limits.waitMs(createBucket, 3_500)).toBe(0);
    expect(limits.waitMs(other, 1_000)).toBe(0);
  });

  test("count requests in flight", () => {
    const limits = rateLimits(() => 50);
    send(limits, 0, responseWith(200, bucket(2, 5)));
    limits.startRequest(createBucket, 0);
    expect(limits.waitMs(createBucket, 0)).toBe(0);
    limits.startRequest(createBucket, 0);
    expect(limits.waitMs(createBucket, 0)).toBe(5_000);
  });

  test("subtract requests in flight from the remaining ones of an early response", () => {
    const limits = rateLimits(() => 50);
    send(limits, 0, responseWith(200, bucket(3, 5)));
    limits.startRequest(createBucket, 0);
    const learnFrom = limits.startRequest(createBucket, 0);
    learnFrom(responseWith(200, bucket(1, 5)), 0);
    expect(limits.waitMs(createBucket, 0)).toBe(5_000);
  });

  test("are shared by the routes of one bucket", () => {
    const limits = rateLimits(() => 50);
    const list = { route: "list", channel: "1" };
    send(limits, 0, responseWith(200, bucket(5, 5, "shared")), list);
    send(limits, 0, responseWith(200, bucket(0, 5, "shared")));
    expect(limits.waitMs(list, 0)).toBe(5_000);
  });

  test("follow the larger wait of header and body of a 429", () => {
    const limits = rateLimits(() => 50);
    expect(send(limits, 0, responseWith(429, { "retry-after": "1" }, { retry_after: 1.4, global: false }))).toBe(1_400);
    expect(limits.waitMs(createBucket, 0)).toBe(1_400);
    expect(send(limits, 5_000, responseWith(429, { "retry-after": "2" }, { retry_after: 1.4 }))).toBe(2_000);
    expect(limits.waitMs(createBucket, 5_000)).toBe(2_000);
  });

  test("follow the reset of the bucket if it is later than the wait of a 429", () => {
    const limits = rateLimits(() => 50);
    send(limits, 0, responseWith(429, { ...bucket(0, 9), "retry-after": "1" }, { retry_after: 1 }));
    expect(limits.waitMs(createBucket, 0)).toBe(9_000);
  });

  test.each([
    ["body", responseWith(429, {}, { retry_after: 2, global: true })],
    ["scope", responseWith(429, { "x-ratelimit-scope": "global", "retry-after": "2" }, {})],
    ["header", responseWith(429, { "x-ratelimit-global": "true", "retry-after": "2" }, {})],
    ["missing body", responseWith(429, { "retry-after": "2" }, "<html>")],
  ])("stop every bucket by a global limit, shown by its %s", (_by, response) => {
    const limits = rateLimits(() => 50);
    send(limits, 0, response);
    expect(limits.waitMs(other, 0)).toBe(2_000);
    expect(limits.waitMs(other, 2_000)).toBe(0);
  });

  test("end a global limit when a later request succeeds", () => {
    const limits = rateLimits(() => 50);
    const before = limits.startRequest(createBucket, 0);
    expect(limits.isHalfOpen()).toBe(false);
    send(limits, 0, responseWith(429, {}, { retry_after: 2, global: true }));
    before(responseWith(200), 2_100);
    expect(limits.isHalfOpen()).toBe(true);
    limits.startRequest(createBucket, 2_200)({ kind: "noResponse", reason: "ECONNRESET", mayHaveArrived: true }, 2_300);
    send(limits, 2_400, responseWith(429, {}, { retry_after: 2, global: false }));
    expect(limits.isHalfOpen()).toBe(true);
    send(limits, 4_500, responseWith(403));
    expect(limits.isHalfOpen()).toBe(false);
  });

  test("have a default wait for a 429 without one", () => {
    const limits = rateLimits(() => 50);
    expect(send(limits, 0, responseWith(429, {}, {}))).toBeGreaterThan(0);
    expect(limits.waitMs(createBucket, 0)).toBeGreaterThan(0);
  });

  test.each(["-1", "NaN", "soon", "1e9", "Infinity"])("ignore or bound a wait of %s", (text) => {
    const limits = rateLimits(() => 50);
    send(limits, 0, responseWith(200, { ...bucket(0, 0), "x-ratelimit-reset-after": text }));
    send(limits, 0, responseWith(429, { "retry-after": text }, { retry_after: Number(text) }));
    expect(limits.waitMs(createBucket, 0)).toBeGreaterThan(0);
    expect(limits.waitMs(createBucket, 0)).toBeLessThanOrEqual(3_600_000);
  });

  test("follow the wait of a failure of Discord", () => {
    expect(
      send(
        rateLimits(() => 50),
        0,
        responseWith(503, { "retry-after": "3" }),
      ),
    ).toBe(3_000);
  });

  test("exclude the requests per second from a bucket's wait", () => {
    const limits = rateLimits(() => 2);
    for (const each of [createBucket, other]) send(limits, 0, responseWith(200, bucket(3, 5)), each);
    expect([limits.waitMs(createBucket, 10), limits.bucketWaitMs(createBucket, 10)]).toEqual([990, 0]);
    send(limits, 10, responseWith(429, { "x-ratelimit-global": "true", "retry-after": "2" }, { global: true }));
    expect(limits.bucketWaitMs(other, 10)).toBe(2_000);
  });

  test("bound the requests per second of all buckets", () => {
    const limits = rateLimits(() => 2);
    limits.startRequest(createBucket, 0);
    limits.startRequest(other, 400);
    expect(limits.waitMs({ route: "create", channel: "3" }, 500)).toBe(500);
    expect(limits.waitMs({ route: "create", channel: "3" }, 1_000)).toBe(0);
  });

  test.each([401, 403, 429])(
    "stop everything after a thousand responses of %i in ten minutes, until the first is ten minutes old",
    (status) => {
      const limits = rateLimits(() => 1_000_000);
      for (let at = 0; at < 1_000; at += 1) {
        expect(limits.waitMs(other, at)).toBe(0);
        send(limits, at, responseWith(status, bucket(9, 0), { retry_after: 0 }));
      }
      expect(limits.waitMs(other, 1_000)).toBe(599_000);
      expect(limits.waitMs(other, 600_000)).toBe(0);
    },
  );

  test("do not count shared limits as invalid requests", () => {
    const limits = rateLimits(() => 1_000_000);
    const shared = responseWith(429, { "x-ratelimit-scope": "shared" }, { retry_after: 0, global: false });
    for (let at = 0; at < 1_000; at += 1) send(limits, at, shared);
    expect(limits.waitMs(other, 1_000)).toBe(0);
  });

  test("forget the oldest of very many buckets only after their limits have passed", () => {
    const limits = rateLimits(() => 1_000_000);
    send(limits, 0, responseWith(200, bucket(0, 5)));
    for (let at = 0; at < 10_010; at += 1)
      send(limits, 1, responseWith(200, bucket(4, 0)), { ...createBucket, channel: `c${at}` });
    expect(limits.waitMs(createBucket, 1)).toBe(4_999);
  });

  test("stop counting a request without a response, and learn nothing from it", () => {
    const limits = rateLimits(() => 50);
    send(limits, 0, responseWith(200, bucket(2, 5)));
    expect(send(limits, 0, { kind: "noResponse", reason: "ECONNRESET", mayHaveArrived: true })).toBe(0);
    expect(limits.waitMs(createBucket, 0)).toBe(0);
    send(limits, 0, responseWith(200, bucket(1, 5)));
    expect(limits.waitMs(createBucket, 0)).toBe(0);
  });
});
