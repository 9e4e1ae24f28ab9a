import type { EpochMs } from "../../../contracts/ids.ts";

/**
 * How many requests a second go to one sink. Posts wait for it before they are claimed, in the order of their turns:
 * if they waited at the sink, a guild with thousands would take what becomes free from everybody else.
 */
export interface SendingBudget {
  /** Milliseconds until one more post may begin; 0 when it may now, Infinity while those in work may need all. */
  wait(now: EpochMs): number;
  /** A post begins, and will send at least once. */
  reserve(postId: string): void;
  /**
   * Milliseconds until a post that has sent a part may send another; 0 when it may now, and then it has its place. While
   * it waits nobody begins: parts beyond the budget would be refused, and with them the first of whoever comes next.
   */
  furtherWait(postId: string, now: EpochMs): number;
  /** A part of it is sent. */
  spend(postId: string, now: EpochMs): void;
  /** It has ended, whether it sent or not. */
  release(postId: string): void;
}

const SECOND_MS = 1_000;
/** What is reserved is sent in a moment, or never. */
const MOMENT_MS = 20;

export function newSendingBudget(perSecond: number): SendingBudget {
  const reserved = new Set<string>();
  /** Posts in work that wait to send another part. */
  const further = new Set<string>();
  const sent: EpochMs[] = [];

  function forgetOld(now: EpochMs): void {
    while (sent[0] !== undefined && sent[0] <= now - SECOND_MS) sent.shift();
  }

  return {
    wait(now) {
      forgetOld(now);
      if (reserved.size + further.size + sent.length < perSecond) return 0;
      return (sent[0] ?? Infinity) + SECOND_MS - now;
    },
    reserve: (postId) => void reserved.add(postId),
    furtherWait(postId, now) {
      forgetOld(now);
      const mayGo = reserved.size + sent.length < perSecond;
      further.delete(postId);
      (mayGo ? reserved : further).add(postId);
      if (mayGo) return 0;
      return sent[0] === undefined ? MOMENT_MS : sent[0] + SECOND_MS - now;
    },
    spend(postId, now) {
      reserved.delete(postId);
      further.delete(postId);
      sent.push(now);
    },
    release(postId) {
      reserved.delete(postId);
      further.delete(postId);
    },
  };
}
