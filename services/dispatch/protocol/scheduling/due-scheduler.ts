import type { EpochMs } from "../../../contracts/ids.ts";
import type { Post } from "../../domain/post/post.ts";
import { rankOf } from "../../domain/post/rendezvous-rank.ts";
import type { Lifecycle } from "../lifecycle.ts";
import { NO_TIMER, type Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";
import type { WaitRecords } from "../wait-records.ts";
import { newDelayQueue } from "./delay-queue.ts";
import type { DueEntry, Priority } from "./due-entry.ts";
import { isSameVersion, LATE_AFTER_MS, newDuePoller } from "./due-poller.ts";
import type { Prefetch } from "./prefetch.ts";
import { newSinkQueue, type SinkQueue } from "./sink-queue.ts";

/** Rate of the further parts of posts in work, by the budgets of their sinks. */
export interface SendPacing {
  /** Milliseconds until a post in work may send its next part; 0 if it may now. */
  nextPartWaitMs(post: Post): number;
  /** Records a sent part. */
  spend(post: Post): void;
}

/** Holds the posts that wake in the next seconds, and one timer for the first of them. */
export interface DueScheduler extends SendPacing {
  start(): void;
  /** Adds those of the posts that wake soon. */
  add(posts: readonly Post[]): void;
  /** Resolves when no post is in work. */
  drained(): Promise<void>;
  /** Number of posts in work. */
  readonly inWork: number;
  /** Number of due posts that wait for their turn. */
  readonly waiting: number;
}

interface PostInWork {
  /** The row as it was when its turn came. */
  readonly post: Post;
  readonly done: Promise<void>;
}

/** Processes a due post. Resolves to false if its row may have changed without this replica's knowledge: it is then read again. */
export type ProcessPost = (entry: DueEntry) => Promise<boolean>;

/** The clock may be re-mapped while a timer runs. */
const MAX_SLEEP_MS = 1_000;

export function newDueScheduler(
  ports: Ports,
  timing: Timing,
  lifecycle: Lifecycle,
  prefetch: Prefetch,
  waits: WaitRecords,
  processPost: ProcessPost,
): DueScheduler {
  const { clock, timers, replicas, reports } = ports;
  const delayed = newDelayQueue<DueEntry>();
  const sinkQueues = new Map(ports.sinks.map((sink) => [sink.name, newSinkQueue(sink, timing.maxPostsInWork, waits)]));
  /** The latest version of each queued post; entries of older versions are discarded. */
  const latest = new Map<string, Post>();
  const inWork = new Map<string, PostInWork>();
  const poller = newDuePoller(ports, timing, lifecycle, () => [...inWork.values()].map(({ post }) => post), add);
  let waiting = 0;
  let cancel = NO_TIMER;

  function add(posts: readonly Post[]): void {
    const foundAt = clock.now();
    const horizon = foundAt + timing.pollAheadMs;
    for (const post of posts) {
      if (post.wakeAt > horizon || inWork.has(post.id) || isSameVersion(latest.get(post.id), post)) continue;
      const rank = rankOf(post.id, replicas.self, replicas.all());
      latest.set(post.id, post);
      const isStep = post.state === "sent";
      const isLate = !isStep && foundAt - post.dueAt > LATE_AFTER_MS;
      const priority = isStep ? "step" : priorityOf(rank, isLate);
      const { guildId } = post;
      const deadline = isStep ? Infinity : post.deadline;
      const at = turnAt(post, rank, isLate);
      if (rank === 0 && post.state === "planned") prefetch(post);
      delayed.put(at, { post, rank, guildId, deadline, priority, foundAt, readyAt: Math.max(at, foundAt) });
    }
    startDue();
  }

  /** Replicas with a lower rank have their turns before. */
  function turnAt({ state, wakeAt }: Post, rank: number, isLate: boolean): EpochMs {
    if (!isLate || state !== "planned") return wakeAt + rank * timing.rankStepMs;
    return Math.max(wakeAt, clock.now()) + rank * timing.lateRankStepMs;
  }

  /** Starts the posts that are due and sets the timer for the next. */
  function startDue(): void {
    cancel();
    if (lifecycle.isStopping) return;
    const now = clock.now();
    for (let entry = delayed.takeBy(now); entry !== undefined; entry = delayed.takeBy(now)) {
      waiting += 1;
      waits.onTurn(entry.post, entry);
      queueOf(entry.post).put(entry, now);
    }
    for (const queue of sinkQueues.values()) startEligible(queue, now);
    const next = Math.min(
      delayed.nextAt() ?? Infinity,
      ...[...sinkQueues.values()].map((queue) => queue.nextOpenAt(now)),
    );
    if (next < Infinity) cancel = timers.after(sleepMs(next, now), startDue);
  }

  /** A sink that was disabled may still have posts. */
  function queueOf({ sink }: Post): SinkQueue {
    const queue = sinkQueues.get(sink) ?? newSinkQueue({}, timing.maxPostsInWork, waits);
    sinkQueues.set(sink, queue);
    return queue;
  }

  function startEligible(queue: SinkQueue, now: EpochMs): void {
    for (let entry = queue.next(now); entry !== undefined; entry = queue.next(now)) {
      waiting -= 1;
      if (latest.get(entry.post.id) === entry.post) begin(entry, queue, now);
      else queue.discard(entry, now);
    }
  }

  function begin(entry: DueEntry, queue: SinkQueue, now: EpochMs): void {
    latest.delete(entry.post.id);
    reports.waited(entry.post.sink, "turn", now - entry.readyAt);
    queue.begin(entry);
    const { post } = entry;
    poller.onStarted(post);
    inWork.set(post.id, { post, done: run(entry, queue) });
  }

  async function run(entry: DueEntry, queue: SinkQueue): Promise<void> {
    const { post } = entry;
    let isKnown = false;
    try {
      isKnown = await processPost(entry);
    } catch (error) {
      reports.operationFailed("dispatch", { post, error });
    }
    inWork.delete(post.id);
    queue.end(entry, clock.now());
    startDue();
    if (!isKnown) void poller.reread(post);
  }

  return {
    start: () => poller.start(),
    add,
    nextPartWaitMs: (post) => queueOf(post).nextPartWaitMs(post.id, clock.now()),
    spend: (post) => queueOf(post).spend(post.id, clock.now()),
    async drained() {
      while (inWork.size > 0) await Promise.all([...inWork.values()].map(({ done }) => done));
    },
    get inWork() {
      return inWork.size;
    },
    get waiting() {
      return waiting;
    },
  };
}

function priorityOf(rank: number, isLate: boolean): Priority {
  if (isLate) return "late";
  return rank === 0 ? "own" : "others";
}

function sleepMs(instant: EpochMs, now: EpochMs): number {
  return Math.min(MAX_SLEEP_MS, Math.max(0, instant - now));
}
