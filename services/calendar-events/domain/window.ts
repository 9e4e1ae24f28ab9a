import type { EpochMs } from "../../contracts/ids.ts";

/** A stretch of time: from its first millisecond to the first one after it. */
export interface Window {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

export interface Times {
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
}

/** The last millisecond that something takes; an event without length takes the one at its start. */
export function lastMsOf({ startsAt, endsAt }: Times): EpochMs {
  return Math.max(startsAt, endsAt - 1);
}

/** Whether something is listed in a window: it lies in it in part, or starts exactly at its start (D17). */
export function touches(times: Times, { from, until }: Window): boolean {
  return times.startsAt < until && lastMsOf(times) >= from;
}

/** Whether something starts in a window. */
export function startsIn({ startsAt }: Times, { from, until }: Window): boolean {
  return startsAt >= from && startsAt < until;
}

/** Whether something is on at an instant: `start <= now < end` (D17); what has no length never is. */
export function isOngoing({ startsAt, endsAt }: Times, now: EpochMs): boolean {
  return startsAt <= now && now < endsAt;
}

/** The windows without overlaps, in order; empty ones are left out. */
export function mergedWindows(windows: readonly Window[]): Window[] {
  const merged: Window[] = [];
  for (const window of windows.toSorted((a, b) => a.from - b.from)) {
    if (window.until <= window.from) continue;
    const before = merged.at(-1);
    if (before === undefined || window.from > before.until) merged.push(window);
    else merged[merged.length - 1] = { from: before.from, until: Math.max(before.until, window.until) };
  }
  return merged;
}
