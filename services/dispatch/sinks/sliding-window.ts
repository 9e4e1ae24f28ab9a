/** Limits the number of events in a sliding window. Times are milliseconds of any monotonic clock. */
export interface SlidingWindow {
  /** Milliseconds until the window allows one more event; 0 if it does now. */
  waitMs(now: number): number;
  add(now: number): void;
}

/**
 * Allows `max` events in any `lengthMs`.
 *
 * @param max - A whole number from 1, which may change. A smaller one counts the events before the change, too.
 */
export function slidingWindow(max: () => number, lengthMs: number): SlidingWindow {
  /** The times of the events in the window, the oldest first. */
  const times: number[] = [];

  function removeOld(now: number): void {
    let old = 0;
    while (old < times.length && (times[old] as number) + lengthMs <= now) old += 1;
    times.splice(0, old);
  }

  return {
    waitMs(now) {
      removeOld(now);
      const last = times[times.length - max()];
      return last === undefined ? 0 : last + lengthMs - now;
    },
    add(now) {
      removeOld(now);
      times.push(now);
    },
  };
}
