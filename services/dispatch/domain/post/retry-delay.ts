const FIRST_MS = 500;
const MAX_DELAY_MS = 15_000;

/**
 * Milliseconds until the next attempt: between half and all of a delay that doubles from 0.5 s to `maxMs`. The jitter makes
 * attempts that failed at the same time return at different times.
 *
 * @param attempts - Number of attempts so far, from 1.
 * @param fraction - A random number in [0, 1).
 * @param minimumMs - The wait that the receiver requires; the jitter is added to it.
 */
export function retryDelay(
  attempts: number,
  fraction: number,
  { minimumMs = 0, maxMs = MAX_DELAY_MS }: { readonly minimumMs?: number; readonly maxMs?: number } = {},
): number {
  const full = Math.min(maxMs, FIRST_MS * 2 ** (attempts - 1));
  return Math.ceil(Math.max(minimumMs, full / 2) + (fraction * full) / 2);
}
