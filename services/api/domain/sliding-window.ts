/**
 * How much was used in a window that slides: what this window has seen, and the share of the one before that still
 * lies within the window's length. Counts of several gateways add up, which those of a bucket that refills do not.
 */
export interface WindowUse {
  /** The number of the window since 1970, by its length. */
  readonly window: number;
  readonly current: number;
  readonly previous: number;
}

export const UNUSED: WindowUse = { window: 0, current: 0, previous: 0 };

/** The use as it is now: windows that have passed are let go. Times are Unix milliseconds. */
export function useNow(use: WindowUse, now: number, windowMs: number): WindowUse {
  const window = Math.floor(now / windowMs);
  if (window <= use.window) return use;
  return { window, current: 0, previous: window === use.window + 1 ? use.current : 0 };
}

/** The use with as much more in the window of that number; what belongs to one that has passed is left out. */
export function moreUse(use: WindowUse, window: number, amount: number): WindowUse {
  if (window === use.window) return { ...use, current: use.current + amount };
  return window === use.window - 1 ? { ...use, previous: use.previous + amount } : use;
}

/** What counts now. */
export function usedOf({ window, current, previous }: WindowUse, now: number, windowMs: number): number {
  const passed = Math.max(0, now / windowMs - window);
  return current + previous * Math.max(0, 1 - passed);
}

/** How many milliseconds until one more is within the limit, if nothing else is used meanwhile; 0 when it is now. */
export function msUntilFree(use: WindowUse, limit: number, now: number, windowMs: number): number {
  if (usedOf(use, now, windowMs) + 1 <= limit) return 0;
  const room = limit - 1;
  const { window, current, previous } = use;
  // Within this window the one before fades; a window that is full by itself must fade in the next one.
  const freeAt =
    current <= room ? window + 1 - (room - current) / previous : window + 2 - Math.min(1, Math.max(0, room) / current);
  return Math.max(1, Math.ceil(freeAt * windowMs - now));
}
