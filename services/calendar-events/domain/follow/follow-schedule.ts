import type { EpochMs } from "../../../contracts/ids.ts";
import { readDuration } from "../import/date-value.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Time between two reads if the calendar does not name another one, and the bounds for one that it names. */
const [DEFAULT_MS, MIN_MS, MAX_MS] = [15 * MINUTE, 5 * MINUTE, DAY];

/** Waits after failed reads; the last one repeats. */
const WAITS_MS = [5, 10, 20, 40, 60, 120, 240].map((minutes) => minutes * MINUTE);

/** A calendar whose reads have failed for this long is disabled. */
export const DISABLED_AFTER_MS = 7 * DAY;

/** A wait is between 0.9 and 1.1 times its value, so that addresses of one host are not read at the same moment. */
const JITTER = 0.1;

/** Time between two reads of a calendar with this REFRESH-INTERVAL, in milliseconds. */
export function intervalOf(refreshInterval: string | undefined): number {
  const duration = refreshInterval === undefined ? undefined : readDuration(refreshInterval);
  if (duration === undefined) return DEFAULT_MS;
  return Math.min(MAX_MS, Math.max(MIN_MS, duration.days * DAY + duration.ms));
}

/**
 * The time of the read after a successful one.
 *
 * @param random - 0 or more, and less than 1.
 */
export function nextReadAt(intervalMs: number, now: EpochMs, random: number): EpochMs {
  return now + withJitter(intervalMs, random);
}

export interface FailedRead {
  /** Number of failed reads since the last success, this one included. */
  readonly failures: number;
  /** When the first of them failed. */
  readonly failingSince: EpochMs;
  /** The wait that the response requires. */
  readonly retryAfterMs?: number | undefined;
}

/** The time of the read after a failed one; undefined if the calendar has to be disabled. */
export function nextReadAfterFailure(
  { failures, failingSince, retryAfterMs = 0 }: FailedRead,
  now: EpochMs,
  random: number,
): EpochMs | undefined {
  if (now - failingSince >= DISABLED_AFTER_MS) return undefined;
  const wait = WAITS_MS[Math.min(failures, WAITS_MS.length) - 1] as number;
  return now + Math.max(withJitter(wait, random), retryAfterMs);
}

function withJitter(ms: number, random: number): number {
  return Math.round(ms * (1 - JITTER + 2 * JITTER * random));
}
