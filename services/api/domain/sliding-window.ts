/**
 * The uses of a limit in a sliding window: those of the current fixed window, and a share of those of the previous one. Counts
 * of several gateways can be added, unlike the levels of a token bucket.
 */
export interface WindowUse {
  /** Number of the current fixed window since 1970. */
  readonly window: number;
  readonly current: number;
  readonly previous: number;
}

export const NO_USE: WindowUse = { window: 0, current: 0, previous: 0 };

/** The use at `now`, in Unix milliseconds, without windows that have passed. */
export function currentUse(use: WindowUse, now: number, windowMs: number): WindowUse {
  const window = Math.floor(now / windowMs);
  if (window <= use.window) return use;
  return { window, current: 0, previous: window === use.window + 1 ? use.current : 0 };
}

/** Adds an amount to the current or the previous window; the amount of any other window is ignored. */
export function addUse(use: WindowUse, window: number, amount: number): WindowUse {
  if (window === use.window) return { ...use, current: use.current + amount };
  return window === use.window - 1 ? { ...use, previous: use.previous + amount } : use;
}

/** The amount in the sliding window that ends at `now`. */
export function amountUsed({ window, current, previous }: WindowUse, now: number, windowMs: number): number {
  const passed = Math.max(0, now / windowMs - window);
  return current + previous * Math.max(0, 1 - passed);
}

/** Milliseconds until the limit allows one more use, if there is no other use in the meantime. */
export function msUntilFree(use: WindowUse, limit: number, now: number, windowMs: number): number {
  if (amountUsed(use, now, windowMs) + 1 <= limit) return 0;
  const room = limit - 1;
  const { window, current, previous } = use;
  // In this window, the share of the previous one shrinks. If this window alone has reached the limit, the client waits for the
  // next one, in which the share of this one shrinks.
  const freeAt =
    current <= room ? window + 1 - (room - current) / previous : window + 2 - Math.min(1, Math.max(0, room) / current);
  return Math.max(1, Math.ceil(freeAt * windowMs - now));
}
