import type { EpochMs } from "./ids.ts";

/** A half-open time interval. */
export interface Window {
  /** The first millisecond. */
  readonly from: EpochMs;
  /** The first millisecond after it. */
  readonly until: EpochMs;
}

/** Merges overlapping windows; the result is sorted and without empty windows. */
export function mergedWindows(windows: readonly Window[]): Window[] {
  const merged: Window[] = [];
  for (const window of windows.toSorted((a, b) => a.from - b.from)) {
    if (window.until <= window.from) continue;
    const previous = merged.at(-1);
    if (previous === undefined || window.from > previous.until) merged.push(window);
    else merged[merged.length - 1] = { from: previous.from, until: Math.max(previous.until, window.until) };
  }
  return merged;
}
