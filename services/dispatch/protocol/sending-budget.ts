import type { EpochMs } from "../../contracts/ids.ts";

/**
 * How many requests a second go to one sink. Posts wait for it before they are claimed, in the order of their turns:
 * if they waited at the sink, a guild with thousands would take what becomes free from everybody else.
 */
export interface SendingBudget {
  /** Milliseconds until one more post may begin; 0 when it may now, Infinity while those in work may need all. */
  wait(now: EpochMs): number;
  /** A post begins, and will send at least once. */
  reserve(postId: string): void;
  /** A part of it is sent. */
  spend(postId: string, now: EpochMs): void;
  /** It has ended, whether it sent or not. */
  release(postId: string): void;
}

const SECOND_MS = 1_000;

export function newSendingBudget(perSecond: number): SendingBudget {
  const reserved = new Set<string>();
  const sent: EpochMs[] = [];

  return {
    wait(now) {
      while (sent[0] !== undefined && sent[0] <= now - SECOND_MS) sent.shift();
      if (reserved.size + sent.length < perSecond) return 0;
      return (sent[0] ?? Infinity) + SECOND_MS - now;
    },
    reserve: (postId) => void reserved.add(postId),
    spend(postId, now) {
      reserved.delete(postId);
      sent.push(now);
    },
    release: (postId) => void reserved.delete(postId),
  };
}
