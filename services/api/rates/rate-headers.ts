import type { HttpResponse } from "../http/http-response.ts";
import type { RateStanding } from "./rate-limit.ts";

/**
 * The headers `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10, with each limit that counted
 * the request. Disabled limits are omitted.
 */
export function rateHeaders(standings: readonly RateStanding[]): HttpResponse["headers"] {
  const limited = standings.filter(({ policy }) => policy.limit > 0);
  if (limited.length === 0) return {};
  return {
    "ratelimit-policy": limited.map(({ policy }) => policyItem(policy)).join(", "),
    ratelimit: limited.map(standingItem).join(", "),
  };
}

/** `Retry-After` in whole seconds, rounded up. */
export function retryAfter({ waitMs }: Pick<RateStanding, "waitMs">): HttpResponse["headers"] {
  return { "retry-after": String(Math.ceil(waitMs / 1000)) };
}

function policyItem({ name, limit, windowMs }: RateStanding["policy"]): string {
  return `"${name}";q=${limit};w=${windowMs / 1000}`;
}

function standingItem({ policy, remaining, resetMs }: RateStanding): string {
  return `"${policy.name}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`;
}
