const FIRST_MS = 500;
const MAX_DELAY_MS = 15_000;

/**
 * Milliseconds until the next attempt: exponential backoff from 0.5 s to the longest delay, with jitter over the upper
 * half, so that what failed at the same time is retried at different times.
 *
 * @param attempts - Number of attempts so far, from 1.
 * @param fraction - A random number in [0, 1).
 * @param minimumMs - The wait that the receiver requires.
 */
export function retryDelay(
  attempts: number,
  fraction: number,
  { minimumMs = 0, maxMs = MAX_DELAY_MS }: { readonly minimumMs?: number; readonly maxMs?: number } = {},
): number {
  const full = Math.min(maxMs, FIRST_MS * 2 ** (attempts - 1));
  return Math.ceil(Math.max(minimumMs, full / 2) + (fraction * full) / 2);
}
