import type { EpochMs } from "../../../contracts/ids.ts";

/** A time interval: `from` inclusive, `until` exclusive. */
export interface Window {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

export interface Times {
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
}

/** The last millisecond of an event; an event without length occupies the millisecond of its start. */
export function lastMsOf({ startsAt, endsAt }: Times): EpochMs {
  return Math.max(startsAt, endsAt - 1);
}

/** Whether an event overlaps the window, or starts exactly at its start (D17). */
export function overlaps(times: Times, { from, until }: Window): boolean {
  return times.startsAt < until && lastMsOf(times) >= from;
}

/** Whether an event starts in the window. */
export function startsIn({ startsAt }: Times, { from, until }: Window): boolean {
  return startsAt >= from && startsAt < until;
}

/** Whether `start <= now < end` (D17); never true for an event without length. */
export function isOngoing({ startsAt, endsAt }: Times, now: EpochMs): boolean {
  return startsAt <= now && now < endsAt;
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
