import type { EpochMs } from "../../contracts/ids.ts";

/** Longest list of pending deliveries of a webhook. While it is full, no further changes are read: they wait at their owners. */
export const MAX_PENDING = 200;
/** Attempts of a webhook in a minute. */
export const ATTEMPTS_PER_MINUTE = 600;
/** From this number of failures in a row on, the receiver counts as down: one attempt at a time is made, with growing pauses. */
export const PROBING_FROM = 3;
/**
 * A receiver that takes this long for a response counts as down, too: each of its visits keeps a slot busy that others would
 * need. Its attempts have no pauses.
 */
export const SLOW_RESPONSE_MS = 3_000;
const FIRST_PROBE_MS = 5_000;
const MAX_PROBE_MS = 600_000;
/** Deliveries that are sent to a webhook at once. */
const MAX_CONCURRENT = 4;

/** An attempt ends within this time, and its outcome is stored. */
export const ATTEMPT_MS = 13_000;

/** Pauses between reads of a guild in which nothing changes: twice as long each time. A broadcast ends a pause. */
export const MIN_PAUSE_MS = 15_000;
const MAX_PAUSE_MS = 300_000;
/** Pause while changes wait until no earlier write can appear before them. */
const HELD_BACK_MS = 2_000;
const MINUTE_MS = 60_000;

/** The state of a webhook's deliveries: how far its guild is read, and what was sent. */
export interface DeliveryQueue {
  /** The position in the changes of the guild; absent before the first read. */
  readonly syncToken?: string;
  /** Everything that existed at this time was read, by the database server's clock; at first the time of the creation. */
  readonly completeUntil: EpochMs;
  /** `seq` of the last delivery. */
  readonly seq: number;
  /** Failed attempts in a row; at least `PROBING_FROM` after a slow response. */
  readonly failures: number;
  /** Time of the next attempt while the receiver counts as down. */
  readonly probeAt: EpochMs;
  /** Pause before the next read without a broadcast. */
  readonly pauseMs: number;
  /** Begin of the minute in which attempts are counted. */
  readonly minuteFrom: EpochMs;
  readonly minuteCount: number;
}

export function newDeliveryQueue(now: EpochMs): DeliveryQueue {
  return {
    completeUntil: now,
    seq: 0,
    failures: 0,
    probeAt: 0,
    pauseMs: MIN_PAUSE_MS,
    minuteFrom: 0,
    minuteCount: 0,
  };
}

/** Number of attempts that may start now. */
export function freeAttempts(queue: DeliveryQueue, now: EpochMs): number {
  if (now < attemptsFrom(queue, now)) return 0;
  const left = isSameMinute(queue, now) ? ATTEMPTS_PER_MINUTE - queue.minuteCount : ATTEMPTS_PER_MINUTE;
  return Math.min(left, isProbing(queue) ? 1 : MAX_CONCURRENT);
}

/** The earliest time of the next attempt, whichever delivery it is for. */
function attemptsFrom(queue: DeliveryQueue, now: EpochMs): EpochMs {
  const isSpent = isSameMinute(queue, now) && queue.minuteCount >= ATTEMPTS_PER_MINUTE;
  return Math.max(isSpent ? queue.minuteFrom + MINUTE_MS : 0, isProbing(queue) ? queue.probeAt : 0);
}

/** Whether the receiver counts as down. */
export function isProbing({ failures }: Pick<DeliveryQueue, "failures">): boolean {
  return failures >= PROBING_FROM;
}

/** The queue after `count` further attempts have started. */
export function withAttempts(queue: DeliveryQueue, count: number, now: EpochMs): DeliveryQueue {
  if (isSameMinute(queue, now)) return { ...queue, minuteCount: queue.minuteCount + count };
  return { ...queue, minuteFrom: now, minuteCount: count };
}

function isSameMinute({ minuteFrom }: DeliveryQueue, now: EpochMs): boolean {
  return now >= minuteFrom && now < minuteFrom + MINUTE_MS;
}

/** The queue after the end of an attempt. A success shows that the receiver is up. */
export function withOutcome(queue: DeliveryQueue, isDelivered: boolean, now: EpochMs): DeliveryQueue {
  if (isDelivered) return { ...queue, failures: 0, probeAt: 0 };
  const failures = queue.failures + 1;
  const doublings = Math.max(0, failures - PROBING_FROM);
  return { ...queue, failures, probeAt: now + Math.min(MAX_PROBE_MS, FIRST_PROBE_MS * 2 ** Math.min(doublings, 20)) };
}

/** The queue after attempts of which one took `SLOW_RESPONSE_MS`. The next success that takes less shows that the receiver is fast. */
export function withSlowResponse(queue: DeliveryQueue): DeliveryQueue {
  return { ...queue, failures: Math.max(queue.failures, PROBING_FROM) };
}

/** The end of a visit. */
export interface VisitEnd {
  /** Whether the visit has read changes. */
  readonly hasChanges: boolean;
  /** Whether the last read left out changes, because an earlier write may still appear before them. */
  readonly isHeldBack: boolean;
  /** Whether there is more to do at once, for which the visit had no time. */
  readonly isUnfinished: boolean;
  /** The next attempts of the deliveries that wait for no other one. */
  readonly attemptsAt: readonly EpochMs[];
}

/**
 * When a queue needs its next visit, and the pause before the next read without a broadcast.
 *
 * @param random - 0 or more, and less than 1: queues that were visited together do not return together.
 */
export function nextVisit(
  queue: DeliveryQueue,
  { hasChanges, isHeldBack, isUnfinished, attemptsAt }: VisitEnd,
  now: EpochMs,
  random: number,
): { readonly wakeAt: EpochMs; readonly pauseMs: number } {
  const pause = hasChanges ? MIN_PAUSE_MS : queue.pauseMs;
  const pauseMs = Math.min(MAX_PAUSE_MS, 2 * pause);
  if (isUnfinished) return { wakeAt: now, pauseMs };
  const readAt = now + (isHeldBack ? HELD_BACK_MS : Math.round(pause * (0.75 + random / 2)));
  const sendAt = Math.max(attemptsFrom(queue, now), Math.min(...attemptsAt));
  return { wakeAt: Math.max(now, Math.min(readAt, sendAt)), pauseMs };
}
