import type { EpochMs } from "../../../contracts/ids.ts";
import type { Sink } from "../../sinks/sink.ts";
import type { WaitRecords } from "../wait-records.ts";
import { newChannelQueues } from "./channel-queues.ts";
import type { DueEntry } from "./due-entry.ts";
import { newFairQueue } from "./fair-queue.ts";
import { newSendingBudget } from "./sending-budget.ts";

/** The due posts of one sink, their order, and bounds of the posts in work. Sinks do not wait for each other. */
export interface SinkQueue {
  put(entry: DueEntry, now: EpochMs): void;
  /**
   * Takes the next entry, or undefined while the bounds or the sink's budget are used up. The caller begins the entry or
   * discards it.
   */
  next(now: EpochMs): DueEntry | undefined;
  begin(entry: DueEntry): void;
  discard(entry: DueEntry, now: EpochMs): void;
  /** Milliseconds until a post in work may send its next part; 0 if it may now. */
  nextPartWaitMs(postId: string, now: EpochMs): number;
  /** Records a sent part. */
  spend(postId: string, now: EpochMs): void;
  end(entry: DueEntry, now: EpochMs): void;
  /** When the budget or a channel's limit allows more posts; Infinity if the instant is unknown. */
  nextOpenAt(now: EpochMs): EpochMs;
}

/**
 * Bound of the posts on time of one guild in work, and of its steps of sent messages: a thirty-second of each. What begins together
 * is rendered and claimed together, and 32 posts of two thousand subscribers stopped all requests for 150 ms (DECISIONS.md).
 */
export function maxInWorkOfGuild(maxInWork: number): number {
  return Math.max(1, Math.floor(maxInWork / 32));
}

/**
 * This replica's own posts go before those of other replicas: in a burst, each replica has enough posts of its own, and
 * posts that two replicas begin cost twice.
 *
 * @param maxInWork - Bound of the posts in work. Posts of other replicas may use a fifth of it, and so may late posts and steps of
 * sent messages, so that posts which are due now have the rest after an outage. One guild has a bound of its own.
 */
export function newSinkQueue(
  { requestsPerSecond = () => Infinity, channelLimits }: Pick<Sink, "requestsPerSecond" | "channelLimits">,
  maxInWork: number,
  waits: Pick<WaitRecords, "recordOf">,
): SinkQueue {
  const own = newFairQueue<DueEntry>();
  const others = newFairQueue<DueEntry>();
  const steps = newFairQueue<DueEntry>();
  const queueOf = { own, others, late: own, step: steps };
  /** Total time for which the budget was used up. */
  const spentBudget = { ms: 0, since: undefined as EpochMs | undefined };
  /** `spentBudget.ms` when the entry was put. */
  const spentMsAtPut = new WeakMap<DueEntry, number>();
  const putInOrder = (entry: DueEntry) => {
    spentMsAtPut.set(entry, spentBudget.ms);
    queueOf[entry.priority].put(entry, entry.priority === "late");
  };
  /** Undefined if channels have no limits of their own: then posts of a channel do not wait for each other. */
  const channelQueues = channelLimits && newChannelQueues(channelLimits, waits, putInOrder);
  const budget = newSendingBudget(requestsPerSecond);
  const maxYielding = Math.max(1, Math.floor(maxInWork / 5));
  const inWork = { own: 0, others: 0, late: 0, step: 0 };
  const maxOfGuild = maxInWorkOfGuild(maxInWork);
  const onTimeOf = newGuildCounts(maxOfGuild);
  const stepsOf = newGuildCounts(maxOfGuild);
  /** Late posts are taken by their deadlines alone. */
  const countsOf = { own: onTimeOf, others: onTimeOf, late: undefined, step: stepsOf };

  function isBudgetSpent(now: EpochMs): boolean {
    const isSpent = budget.waitMs(now) > 0;
    if (spentBudget.since !== undefined) spentBudget.ms += now - spentBudget.since;
    spentBudget.since = isSpent ? now : undefined;
    return isSpent;
  }

  function withWaits(entry: DueEntry | undefined, now: EpochMs): DueEntry | undefined {
    if (entry === undefined) return undefined;
    const record = waits.recordOf(entry.post);
    record.addFor("SINK_BUDGET", spentBudget.ms - (spentMsAtPut.get(entry) ?? spentBudget.ms), now);
    record.add("SINK_QUEUE", now);
    return entry;
  }

  return {
    put: (entry, now) => (channelQueues === undefined ? putInOrder(entry) : channelQueues.enqueue(entry, now)),
    next(now) {
      channelQueues?.releaseOpen(now);
      if (isBudgetSpent(now) || inWork.own + inWork.others + inWork.late + inWork.step >= maxInWork) return undefined;
      const entry =
        own.takeOnTime(onTimeOf.mayTake) ??
        (inWork.others < maxYielding ? others.takeOnTime(onTimeOf.mayTake) : undefined) ??
        (inWork.late < maxYielding ? own.takeLate() : undefined) ??
        (inWork.step < maxYielding ? steps.takeOnTime(stepsOf.mayTake) : undefined);
      return withWaits(entry, now);
    },
    begin({ post, priority, guildId }) {
      inWork[priority] += 1;
      countsOf[priority]?.change(guildId, 1);
      budget.reserve(post.id);
    },
    discard: (entry, now) => channelQueues?.finish(entry, now),
    nextPartWaitMs: (postId, now) => budget.nextPartWaitMs(postId, now),
    spend: (postId, now) => budget.spend(postId, now),
    end(entry, now) {
      inWork[entry.priority] -= 1;
      countsOf[entry.priority]?.change(entry.guildId, -1);
      budget.release(entry.post.id);
      channelQueues?.finish(entry, now);
    },
    nextOpenAt(now) {
      const budgetWaitMs = budget.waitMs(now);
      return Math.min(budgetWaitMs > 0 ? now + budgetWaitMs : Infinity, channelQueues?.nextOpenAt() ?? Infinity);
    },
  };
}

interface GuildCounts {
  readonly mayTake: (guildId: string) => boolean;
  readonly change: (guildId: string, by: number) => void;
}

/** Counts the posts or steps of each guild that are in work; a guild has at most `max`. */
function newGuildCounts(max: number): GuildCounts {
  const counts = new Map<string, number>();
  return {
    mayTake: (guildId) => (counts.get(guildId) ?? 0) < max,
    change(guildId, by) {
      const count = (counts.get(guildId) ?? 0) + by;
      if (count > 0) counts.set(guildId, count);
      else counts.delete(guildId);
    },
  };
}
