import type { EpochMs } from "../../../contracts/ids.ts";
import type { Window } from "../../../contracts/window.ts";

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
