import type { IncomingHttpHeaders } from "node:http";

/** No answer holds anything up for longer: after that it is asked anew. */
const LONGEST_WAIT_MS = 3_600_000;

/** A header that counts: undefined when it is absent, not a number, or negative. */
export function headerNumber(headers: IncomingHttpHeaders, name: string): number | undefined {
  const text = headers[name];
  const value = typeof text === "string" && text !== "" ? Number(text) : NaN;
  return value >= 0 ? value : undefined;
}

/** Seconds that an answer asks to wait, as milliseconds: never less than asked, except beyond an hour. */
export function retryAfterMs(seconds: number): number {
  return Math.min(LONGEST_WAIT_MS, Math.ceil(seconds * 1_000));
}
