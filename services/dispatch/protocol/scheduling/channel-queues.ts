import type { EpochMs } from "../../../contracts/ids.ts";
import type { ChannelLimits } from "../../sinks/sink.ts";
import type { WaitRecords } from "../wait-records.ts";
import { newDelayQueue } from "./delay-queue.ts";
import type { DueEntry } from "./due-entry.ts";

/**
 * One queue for each channel of a guild. One post at a time has the channel's turn, and none before the receiver's limit
 * of the channel is over. Posts wait here before they are claimed, so they can still be edited and cost no request.
 *
 * A guild that names a channel of another guild has a queue of its own. Late posts and posts of other replicas also have
 * queues of their own, because they may hold the turn for long before they can start.
 */
export interface ChannelQueues {
  enqueue(entry: DueEntry, now: EpochMs): void;
  /** The entry no longer needs its channel's turn. */
  finish(entry: DueEntry, now: EpochMs): void;
  /** Releases entries whose channel's limit is over. */
  releaseOpen(now: EpochMs): void;
  /** When the next limit is over; undefined if none is known. */
  nextOpenAt(): EpochMs | undefined;
}

type LimitCause = "RECEIVER_LIMIT" | "CHANNEL_LIMIT";
type LimitedMs = Readonly<Record<LimitCause, number>>;

interface Waiting {
  readonly entry: DueEntry;
  /** The queue's `limitedMs` when the entry was enqueued. */
  readonly limitedMs: LimitedMs;
}

interface ChannelQueue {
  readonly channel: string;
  readonly waiting: Waiting[];
  /** The entry that has the channel's turn; undefined during a limit. */
  holder?: DueEntry | undefined;
  /** Total time under limits, without the current limit. */
  limitedMs: LimitedMs;
  limit?: { readonly cause: LimitCause; readonly since: EpochMs } | undefined;
}

/** While a single post tries whether a global limit is over, the others check again after this time. */
const HALF_OPEN_RECHECK_MS = 100;

/** @param onRelease - Called with each entry when it has its turn. */
export function newChannelQueues(
  limits: ChannelLimits,
  waits: Pick<WaitRecords, "recordOf">,
  onRelease: (entry: DueEntry) => void,
): ChannelQueues {
  /** Only channels with an entry that waits or has its turn. */
  const queues = new Map<string, ChannelQueue>();
  const limited = newDelayQueue<string>();
  let holders = 0;

  function waitMs({ channel }: ChannelQueue): number {
    return Math.max(limits.waitMs(channel), holders > 0 && limits.isHalfOpen() ? HALF_OPEN_RECHECK_MS : 0);
  }

  function advance(key: string, queue: ChannelQueue, now: EpochMs): void {
    queue.limitedMs = limitedMsAt(queue, now);
    queue.limit = undefined;
    releaseOverdue(queue, now);
    const [first] = queue.waiting;
    if (first === undefined) return void queues.delete(key);
    const wait = waitMs(queue);
    if (wait > 0) {
      queue.limit = { cause: limits.isStopped() ? "RECEIVER_LIMIT" : "CHANNEL_LIMIT", since: now };
      return limited.put(Math.min(now + Math.ceil(wait), first.entry.deadline + 1), key);
    }
    queue.waiting.shift();
    queue.holder = first.entry;
    holders += 1;
    release(queue, first, now);
  }

  /** A post that is past its deadline is settled without a request, so no limit holds it. */
  function releaseOverdue(queue: ChannelQueue, now: EpochMs): void {
    const { waiting } = queue;
    for (let [first] = waiting; first !== undefined && now > first.entry.deadline; [first] = waiting) {
      waiting.shift();
      release(queue, first, now);
    }
  }

  function release(queue: ChannelQueue, { entry, limitedMs }: Waiting, now: EpochMs): void {
    const record = waits.recordOf(entry.post);
    for (const cause of ["RECEIVER_LIMIT", "CHANNEL_LIMIT"] as const) {
      record.addFor(cause, queue.limitedMs[cause] - limitedMs[cause], now);
    }
    record.add("CHANNEL_QUEUE", now);
    onRelease(entry);
  }

  return {
    enqueue(entry, now) {
      const key = queueKey(entry);
      const { channel } = entry.post;
      const queue = queues.get(key) ?? { channel, waiting: [], limitedMs: { RECEIVER_LIMIT: 0, CHANNEL_LIMIT: 0 } };
      queue.waiting.push({ entry, limitedMs: limitedMsAt(queue, now) });
      if (queues.has(key)) return;
      queues.set(key, queue);
      advance(key, queue, now);
    },
    finish(entry, now) {
      const key = queueKey(entry);
      const queue = queues.get(key);
      if (queue?.holder !== entry) return;
      queue.holder = undefined;
      holders -= 1;
      advance(key, queue, now);
    },
    releaseOpen(now) {
      for (let key = limited.takeBy(now); key !== undefined; key = limited.takeBy(now)) {
        const queue = queues.get(key);
        if (queue !== undefined) advance(key, queue, now);
      }
    },
    nextOpenAt: () => limited.nextAt(),
  };
}

function queueKey({ guildId, post, priority }: DueEntry): string {
  return `${guildId} ${post.channel} ${priority}`;
}

/** Total time under limits until `now`. */
function limitedMsAt({ limitedMs, limit }: ChannelQueue, now: EpochMs): LimitedMs {
  return limit === undefined ? limitedMs : { ...limitedMs, [limit.cause]: limitedMs[limit.cause] + now - limit.since };
}
