/** Counts what happened in the last while. Times are milliseconds of any one clock that never goes back. */
export interface SlidingWindow {
  /** Milliseconds until one more fits; 0 when it does now. */
  wait(now: number): number;
  add(now: number): void;
}

/** At most `most` in any `lengthMs`. */
export function slidingWindow(most: number, lengthMs: number): SlidingWindow {
  /** A ring of the last `most` times; `next` is the oldest. */
  const times: number[] = [];
  let next = 0;
  return {
    wait: (now) => Math.max(0, (times[next] ?? -Infinity) + lengthMs - now),
    add(now) {
      times[next] = now;
      next = (next + 1) % most;
    },
  };
}
