import type { IncomingHttpHeaders } from "node:http";

/** Longest wait that a response may require. */
const MAX_WAIT_MS = 3_600_000;

/** A numeric header; undefined if it is absent, not a number, or negative. */
export function headerNumber(headers: IncomingHttpHeaders, name: string): number | undefined {
  const text = headers[name];
  const value = typeof text === "string" && text !== "" ? Number(text) : NaN;
  return value >= 0 ? value : undefined;
}

/** Converts the seconds of a header to milliseconds, rounded up; at most one hour. */
export function retryAfterMs(seconds: number): number {
  return Math.min(MAX_WAIT_MS, Math.ceil(seconds * 1_000));
}
