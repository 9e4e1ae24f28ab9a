import type { EpochMs } from "../../contracts/ids.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits after failed attempts; the last one repeats. */
const WAITS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR];

/** Time from the first attempt of a delivery to its last one. */
export const RETRY_MS = 72 * HOUR;

/** A wait is between 0.8 and 1.2 times its value, so that deliveries that failed together do not return together. */
const JITTER = 0.2;

export interface FailedAttempt {
  /** Number of ended attempts, this one included. */
  readonly attempts: number;
  readonly firstAttemptAt: EpochMs;
  /** The wait that the receiver requires. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The time of the next attempt; undefined after the last one, which is three days after the first.
 *
 * @param random - 0 or more, and less than 1.
 */
export function nextAttemptAt(
  { attempts, firstAttemptAt, retryAfterMs = 0 }: FailedAttempt,
  now: EpochMs,
  random: number,
): EpochMs | undefined {
  const lastAt = firstAttemptAt + RETRY_MS;
  if (now >= lastAt) return undefined;
  const wait = WAITS_MS[Math.min(attempts, WAITS_MS.length) - 1] as number;
  const jittered = Math.round(wait * (1 - JITTER + 2 * JITTER * random));
  return Math.min(lastAt, now + Math.max(jittered, retryAfterMs));
}
