import type { Answer } from "../http/http-response.ts";
import type { RateStanding } from "./rate-limit.ts";

/**
 * `RateLimit-Policy` and `RateLimit` as draft-ietf-httpapi-ratelimit-headers-10 has them: what is allowed, and what
 * of it is left, for each limit that the request fell under. Limits that are not set are not told.
 */
export function rateHeaders(standings: readonly RateStanding[]): Answer["headers"] {
  const told = standings.filter(({ policy }) => policy.limit > 0);
  if (told.length === 0) return {};
  return {
    "ratelimit-policy": told.map(({ policy }) => policyItem(policy)).join(", "),
    ratelimit: told.map(standingItem).join(", "),
  };
}

/** `Retry-After` in whole seconds, never too early. */
export function retryAfter({ waitMs }: RateStanding): Answer["headers"] {
  return { "retry-after": String(Math.ceil(waitMs / 1000)) };
}

function policyItem({ name, limit, windowMs }: RateStanding["policy"]): string {
  return `"${name}";q=${limit};w=${windowMs / 1000}`;
}

function standingItem({ policy, remaining, resetMs }: RateStanding): string {
  return `"${policy.name}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`;
}
