const FIRST_MS = 500;
const MAX_DELAY_MS = 15_000;

/**
 * Milliseconds until the next attempt: exponential backoff from 0.5 to 15 s with jitter over the upper half, so that
 * posts that failed at the same time are retried at different times.
 *
 * @param attempts - Number of attempts so far, from 1.
 * @param minimumMs - The wait that the receiver requires.
 * @param fraction - A random number in [0, 1).
 */
export function retryDelay(attempts: number, minimumMs: number, fraction: number): number {
  const full = Math.min(MAX_DELAY_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 10));
  return Math.ceil(Math.max(minimumMs, full / 2) + (fraction * full) / 2);
}
