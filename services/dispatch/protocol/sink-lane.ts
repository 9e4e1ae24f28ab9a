import type { EpochMs } from "../../contracts/ids.ts";
import type { Post } from "../domain/post.ts";
import type { Sink } from "../sink.ts";
import { newChannelLines } from "./channel-lines.ts";
import { newFairQueue, type Turn } from "./fair-queue.ts";
import { newSendingBudget } from "./sending-budget.ts";

/** A post that is to be looked at. */
export interface Entry extends Turn {
  readonly post: Post;
  /** This replica's place for it: 0 goes first. */
  readonly rank: number;
  readonly isLate: boolean;
  /** From when on it waits for its turn. */
  readonly readyAt: EpochMs;
}

/** What is due at one sink, whose turn it is, and how much of it is in work. One sink does not wait for another. */
export interface SinkLane {
  put(entry: Entry, now: EpochMs): void;
  /** The next, unless as many as may be are in work, or the sink's budget is spent; it begins or is passed over. */
  next(now: EpochMs): Entry | undefined;
  begin(entry: Entry): void;
  /** It is not to be worked on any more. */
  passOver(entry: Entry, now: EpochMs): void;
  /** Milliseconds until a post that has sent a part may send another; 0 when it may now. */
  furtherWait(postId: string, now: EpochMs): number;
  /** A part of the post is sent. */
  spend(postId: string, now: EpochMs): void;
  end(entry: Entry, now: EpochMs): void;
  /** When, by the budget or a channel's limit, more may begin than now; Infinity when no instant is known. */
  opensAt(now: EpochMs): EpochMs;
}

/** @param postsAtOnce - In work at the same time; what is late keeps to a fifth of it, so that after an outage
 * what is due now has the rest. */
export function newSinkLane(
  { requestsPerSecond = Infinity, channelLimits }: Pick<Sink, "requestsPerSecond" | "channelLimits">,
  postsAtOnce: number,
): SinkLane {
  const due = newFairQueue<Entry>();
  const letThrough = (entry: Entry) => due.put(entry, entry.isLate);
  /** Where channels have no limits of their own, their posts don't wait for each other. */
  const lines = channelLimits && newChannelLines(channelLimits, letThrough);
  const budget = newSendingBudget(requestsPerSecond);
  const lateAtOnce = Math.floor(postsAtOnce / 5);
  let inWork = 0;
  let lateInWork = 0;

  return {
    put: (entry, now) => (lines === undefined ? letThrough(entry) : lines.join(entry, now)),
    next(now) {
      lines?.open(now);
      if (inWork >= postsAtOnce || budget.wait(now) > 0) return undefined;
      return due.takeOnTime() ?? (lateInWork < lateAtOnce ? due.takeLate() : undefined);
    },
    begin({ post, isLate }) {
      inWork += 1;
      if (isLate) lateInWork += 1;
      budget.reserve(post.id);
    },
    passOver: (entry, now) => lines?.leave(entry, now),
    furtherWait: (postId, now) => budget.furtherWait(postId, now),
    spend: (postId, now) => budget.spend(postId, now),
    end(entry, now) {
      inWork -= 1;
      if (entry.isLate) lateInWork -= 1;
      budget.release(entry.post.id);
      lines?.leave(entry, now);
    },
    opensAt(now) {
      const byBudget = budget.wait(now);
      return Math.min(byBudget > 0 ? now + byBudget : Infinity, lines?.opensAt() ?? Infinity);
    },
  };
}
