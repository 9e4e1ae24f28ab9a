import type { EpochMs } from "../../contracts/ids.ts";
import type { Post } from "../domain/post.ts";
import type { Sink } from "../sink.ts";
import { newFairQueue, type Turn } from "./fair-queue.ts";
import { newSendingBudget } from "./sending-budget.ts";

/** A post that is to be looked at. */
export interface Entry extends Turn {
  readonly post: Post;
  readonly rank: number;
  readonly isLate: boolean;
  /** From when on it waits for its turn. */
  readonly readyAt: EpochMs;
}

/** What is due at one sink, whose turn it is, and how much of it is in work. One sink does not wait for another. */
export interface SinkLane {
  put(entry: Entry): void;
  /** The next, unless as many as may be are in work, or the sink's budget is spent. */
  next(now: EpochMs): Entry | undefined;
  begin(entry: Entry): void;
  /** A part of the post is sent. */
  spend(postId: string, now: EpochMs): void;
  end(entry: Entry): void;
  /** Milliseconds until the budget lets another begin; 0 when it does now. */
  wait(now: EpochMs): number;
}

/** @param postsAtOnce - In work at the same time; what is late keeps to a fifth of it, so that after an outage
 * what is due now has the rest. */
export function newSinkLane(
  { requestsPerSecond = Infinity }: Pick<Sink, "requestsPerSecond">,
  postsAtOnce: number,
): SinkLane {
  const due = newFairQueue<Entry>();
  const budget = newSendingBudget(requestsPerSecond);
  const lateAtOnce = Math.floor(postsAtOnce / 5);
  let inWork = 0;
  let lateInWork = 0;

  return {
    put: (entry) => due.put(entry, entry.isLate),
    next(now) {
      if (inWork >= postsAtOnce || budget.wait(now) > 0) return undefined;
      return due.takeOnTime() ?? (lateInWork < lateAtOnce ? due.takeLate() : undefined);
    },
    begin({ post, isLate }) {
      inWork += 1;
      if (isLate) lateInWork += 1;
      budget.reserve(post.id);
    },
    spend: (postId, now) => budget.spend(postId, now),
    end({ post, isLate }) {
      inWork -= 1;
      if (isLate) lateInWork -= 1;
      budget.release(post.id);
    },
    wait: (now) => budget.wait(now),
  };
}
