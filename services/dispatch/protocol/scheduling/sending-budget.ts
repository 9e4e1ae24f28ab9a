import type { EpochMs } from "../../../contracts/ids.ts";

/**
 * Rate limit of the requests to one sink, which is a receiver of posts such as Discord. A long post is sent as several
 * messages, its parts, with a request each. Posts wait here, before they are claimed, in an order that is fair to every
 * guild. If they waited in the sink instead, a guild with thousands of posts would use every free request.
 */
export interface SendingBudget {
  /** Milliseconds until one more post may start; 0 if it may start now, Infinity if every request is reserved and none was sent. */
  waitMs(now: EpochMs): number;
  /** Reserves one request for a post that starts. */
  reserve(postId: string): void;
  /**
   * Milliseconds until a post may send its next part; 0 if it may send it now, with a request reserved. For each part that
   * waits, posts that have not started leave one request free.
   */
  nextPartWaitMs(postId: string, now: EpochMs): number;
  /** Records a sent part. */
  spend(postId: string, now: EpochMs): void;
  /** Frees the reservations of a post that has ended. */
  release(postId: string): void;
}

const SECOND_MS = 1_000;
/** Interval of the checks while every request is reserved: a reserved request is soon sent or released. */
const RESERVATION_RECHECK_MS = 20;

/** @param perSecond - Of this process; may change. */
export function newSendingBudget(perSecond: () => number): SendingBudget {
  const reserved = new Set<string>();
  /** Posts in work that wait to send their next part. */
  const waitingForNextPart = new Set<string>();
  const sent: EpochMs[] = [];

  function removeOld(now: EpochMs): void {
    while (sent[0] !== undefined && sent[0] <= now - SECOND_MS) sent.shift();
  }

  return {
    waitMs(now) {
      removeOld(now);
      if (reserved.size + waitingForNextPart.size + sent.length < perSecond()) return 0;
      return (sent[0] ?? Infinity) + SECOND_MS - now;
    },
    reserve: (postId) => void reserved.add(postId),
    nextPartWaitMs(postId, now) {
      removeOld(now);
      const maySend = reserved.size + sent.length < perSecond();
      waitingForNextPart.delete(postId);
      (maySend ? reserved : waitingForNextPart).add(postId);
      if (maySend) return 0;
      return sent[0] === undefined ? RESERVATION_RECHECK_MS : sent[0] + SECOND_MS - now;
    },
    spend(postId, now) {
      reserved.delete(postId);
      waitingForNextPart.delete(postId);
      sent.push(now);
    },
    release(postId) {
      reserved.delete(postId);
      waitingForNextPart.delete(postId);
    },
  };
}
