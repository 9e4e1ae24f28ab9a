/** Limits the number of events in a sliding window. Times are milliseconds of any monotonic clock. */
export interface SlidingWindow {
  /** Milliseconds until the window allows one more event; 0 if it does now. */
  waitMs(now: number): number;
  add(now: number): void;
}

/** Allows `max` events in any `lengthMs`. */
export function slidingWindow(max: number, lengthMs: number): SlidingWindow {
  /** A ring buffer of the last `max` times; `next` is the index of the oldest. */
  const times: number[] = [];
  let next = 0;
  return {
    waitMs: (now) => Math.max(0, (times[next] ?? -Infinity) + lengthMs - now),
    add(now) {
      times[next] = now;
      next = (next + 1) % max;
    },
  };
}
