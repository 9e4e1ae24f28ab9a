import { describe, expect, test } from "@jest/globals";
import type { ApiError } from "./client-types.ts";
import { apiError, noResponseError } from "./errors.ts";
import { waitBeforeRetry } from "./retry-policy.ts";

const NO_RESPONSE = noResponseError(new Error("reset"), undefined);

function refusedWith(code: ApiError["code"], status: number, retryAfter?: string): ApiError {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  const body = code === "UNEXPECTED_RESPONSE" ? "<html>" : { message: "m", code, request_id: "r" };
  return apiError(new Response("", { status, headers }), body, undefined);
}

const wait = (error: Parameters<typeof waitBeforeRetry>[0], isRepeatable: boolean, attempt = 1, random = 0) =>
  waitBeforeRetry(error, { attempt, isRepeatable, random });

describe("another attempt", () => {
  test.each([
    ["UNAVAILABLE", 503],
    ["TOO_MANY_REQUESTS", 429],
    ["WRITE_CONFLICT", 409],
  ] as const)("is made of any request after %s, which changed nothing", (code, status) => {
    expect([wait(refusedWith(code, status, "2"), false), wait(refusedWith(code, status, "2"), true)]).toEqual([
      2_000, 2_000,
    ]);
  });

  test.each<[string, Parameters<typeof waitBeforeRetry>[0], number]>([
    ["OUTCOME_UNKNOWN, when Retry-After has passed", refusedWith("OUTCOME_UNKNOWN", 503, "3"), 3_000],
    ["no response", NO_RESPONSE, 100],
    ["the 502 of a proxy", refusedWith("UNEXPECTED_RESPONSE", 502), 100],
    ["the 503 of a proxy, when Retry-After has passed", refusedWith("UNEXPECTED_RESPONSE", 503, "1"), 1_000],
  ])("is made of a read or a named create after %s, and of no other write", (_what, error, waitMs) => {
    expect([wait(error, true), wait(error, false)]).toEqual([waitMs, undefined]);
  });

  test.each([
    ["INVALID_REQUEST", 400],
    ["FORBIDDEN", 403],
    ["REVISION_MISMATCH", 412],
    ["IDEMPOTENCY_KEY_REUSED", 409],
    ["INTERNAL", 500],
    ["UNEXPECTED_RESPONSE", 302],
    ["UNEXPECTED_RESPONSE", 404],
  ] as const)("is not made after %s with the status %i", (code, status) => {
    expect(wait(refusedWith(code, status, "1"), true)).toBeUndefined();
  });

  test("waits longer each time without Retry-After, at most five seconds", () => {
    const waits = [1, 2, 3, 4, 5, 6, 20].map((attempt) => wait(NO_RESPONSE, true, attempt, 1));
    expect(waits).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  });

  test("is not made before Retry-After, and at a different time by each client", () => {
    const waits = [0, 0.5, 1].map((random) => wait(refusedWith("TOO_MANY_REQUESTS", 429, "1"), false, 1, random));
    expect(waits).toEqual([1_000, 1_125, 1_250]);
  });
});
