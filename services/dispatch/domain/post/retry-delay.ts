const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/**
 * How long to wait before the next attempt: doubling from half a second to 15 s, spread over the upper half so that
 * posts that failed together don't come back together, and never less than the receiver asked for.
 *
 * @param attempts - How many there have been, from 1.
 * @param fraction - A random number in [0, 1).
 */
export function retryDelay(attempts: number, askedMs: number, fraction: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 10));
  return Math.ceil(Math.max(askedMs, full / 2) + (fraction * full) / 2);
}
