import type { EpochMs } from "../../../contracts/ids.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Sink } from "../../sinks/sink.ts";
import { newChannelLines } from "./channel-queues.ts";
import { newFairQueue, type Turn } from "./fair-queue.ts";
import { newSendingBudget } from "./sending-budget.ts";
import type { WaitRecords } from "../wait-records.ts";

/** What goes first: its own, then what other replicas were to have done by now, then what is late, whoever's it is. */
export type Precedence = "own" | "others" | "late";

/** A post that is to be looked at. */
export interface Entry extends Turn {
  readonly post: Post;
  /** This replica's place for it: 0 goes first. */
  readonly rank: number;
  readonly precedence: Precedence;
  /** When this replica found it. */
  readonly foundAt: EpochMs;
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

/**
 * What other replicas go first with comes after what this one does: in a burst each has enough of its own, and what
 * both began would be done once and paid for twice.
 *
 * @param postsAtOnce - In work at the same time; what is not its own keeps to a fifth of it, and so does what is late, so
 * that after an outage what is due now has the rest. One guild's keep to an eighth: 256 claims of one guild in one turn
 * of the event loop took 80 ms from everybody.
 * @param waits - Is told what each post waited for until its turn.
 */
export function newSinkLane(
  { requestsPerSecond = Infinity, channelLimits }: Pick<Sink, "requestsPerSecond" | "channelLimits">,
  postsAtOnce: number,
  waits: Pick<WaitRecords, "of">,
): SinkLane {
  const own = newFairQueue<Entry>();
  const others = newFairQueue<Entry>();
  /** How long the budget has been spent in all, and what that was when an entry was let through. */
  const spentBudget = { ms: 0, since: undefined as EpochMs | undefined };
  const spentAtFirst = new WeakMap<Entry, number>();
  const letThrough = (entry: Entry) => {
    spentAtFirst.set(entry, spentBudget.ms);
    (entry.precedence === "others" ? others : own).put(entry, entry.precedence === "late");
  };
  /** Where channels have no limits of their own, their posts don't wait for each other. */
  const lines = channelLimits && newChannelLines(channelLimits, waits, letThrough);
  const budget = newSendingBudget(requestsPerSecond);
  const aFifth = Math.max(1, Math.floor(postsAtOnce / 5));
  const inWork = { own: 0, others: 0, late: 0 };
  const anEighth = Math.max(1, Math.floor(postsAtOnce / 8));
  /** What is on time; only of guilds that have any. */
  const inWorkOf = new Map<string, number>();
  const mayTake = (guildId: string) => (inWorkOf.get(guildId) ?? 0) < anEighth;

  function countOf(guildId: string, change: number): void {
    const count = (inWorkOf.get(guildId) ?? 0) + change;
    if (count > 0) inWorkOf.set(guildId, count);
    else inWorkOf.delete(guildId);
  }

  function isBudgetSpent(now: EpochMs): boolean {
    const isSpent = budget.wait(now) > 0;
    if (spentBudget.since !== undefined) spentBudget.ms += now - spentBudget.since;
    spentBudget.since = isSpent ? now : undefined;
    return isSpent;
  }

  function begins(entry: Entry | undefined, now: EpochMs): Entry | undefined {
    if (entry === undefined) return undefined;
    const record = waits.of(entry.post);
    record.spentFor("SINK_BUDGET", spentBudget.ms - (spentAtFirst.get(entry) ?? spentBudget.ms), now);
    record.spent("SINK_QUEUE", now);
    return entry;
  }

  return {
    put: (entry, now) => (lines === undefined ? letThrough(entry) : lines.join(entry, now)),
    next(now) {
      lines?.open(now);
      if (isBudgetSpent(now) || inWork.own + inWork.others + inWork.late >= postsAtOnce) return undefined;
      const entry =
        own.takeOnTime(mayTake) ??
        (inWork.others < aFifth ? others.takeOnTime(mayTake) : undefined) ??
        (inWork.late < aFifth ? own.takeLate() : undefined);
      return begins(entry, now);
    },
    begin({ post, precedence, guildId }) {
      inWork[precedence] += 1;
      if (precedence !== "late") countOf(guildId, 1);
      budget.reserve(post.id);
    },
    passOver: (entry, now) => lines?.leave(entry, now),
    furtherWait: (postId, now) => budget.furtherWait(postId, now),
    spend: (postId, now) => budget.spend(postId, now),
    end(entry, now) {
      inWork[entry.precedence] -= 1;
      if (entry.precedence !== "late") countOf(entry.guildId, -1);
      budget.release(entry.post.id);
      lines?.leave(entry, now);
    },
    opensAt(now) {
      const byBudget = budget.wait(now);
      return Math.min(byBudget > 0 ? now + byBudget : Infinity, lines?.opensAt() ?? Infinity);
    },
  };
}
