import type { EpochMs } from "../../../contracts/ids.ts";

/**
 * Rate limit of the requests to one sink. Posts wait for it in the order of their turns, before they are claimed; at the
 * sink, a guild with thousands of posts would take every free request from the others.
 */
export interface SendingBudget {
  /** Milliseconds until one more post may start; 0 if it may now, Infinity while posts in work may need all requests. */
  waitMs(now: EpochMs): number;
  /** Reserves one request for a post that starts. */
  reserve(postId: string): void;
  /**
   * Milliseconds until a post may send its next part; 0 if it may now, which reserves a request. While it waits no other
   * post starts, because the parts beyond the budget would be refused, together with first parts of other posts.
   */
  nextPartWaitMs(postId: string, now: EpochMs): number;
  /** Records a sent part. */
  spend(postId: string, now: EpochMs): void;
  /** Frees the reservations of a post that has ended. */
  release(postId: string): void;
}

const SECOND_MS = 1_000;
/** A reserved request is soon sent or released. */
const RESERVATION_RECHECK_MS = 20;

export function newSendingBudget(perSecond: number): SendingBudget {
  const reserved = new Set<string>();
  /** Posts in work that wait to send their next part. */
  const waitingForNextPart = new Set<string>();
  const sent: EpochMs[] = [];

  function forgetOld(now: EpochMs): void {
    while (sent[0] !== undefined && sent[0] <= now - SECOND_MS) sent.shift();
  }

  return {
    waitMs(now) {
      forgetOld(now);
      if (reserved.size + waitingForNextPart.size + sent.length < perSecond) return 0;
      return (sent[0] ?? Infinity) + SECOND_MS - now;
    },
    reserve: (postId) => void reserved.add(postId),
    nextPartWaitMs(postId, now) {
      forgetOld(now);
      const maySend = reserved.size + sent.length < perSecond;
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
