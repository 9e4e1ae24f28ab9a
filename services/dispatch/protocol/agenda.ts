import type { EpochMs } from "../../contracts/ids.ts";
import { type Post } from "../domain/post.ts";
import { rankOf } from "../domain/rank.ts";
import type { Life } from "./life.ts";
import { NOTHING_SET, type Ports } from "./ports.ts";
import type { Timing } from "./timing.ts";
import { newWakeQueue } from "./wake-queue.ts";

/** Holds what wakes in the next seconds, and one timer for the first of it. */
export interface Agenda {
  start(): void;
  /** Takes in those of the posts that wake soon. */
  add(posts: readonly Post[]): void;
  /** Resolves when nothing is in work any more. */
  drained(): Promise<void>;
  readonly inWork: number;
}

/** Does what is due about a post. `rank` is this replica's place for it: 0 goes first. */
export type Work = (post: Post, rank: number) => Promise<void>;

/** Posts in work at the same time. */
const AT_ONCE = 512;
/** Rows in one look. */
const PAGE = 5_000;
/** A timer may be that late to notice that the clock was re-mapped. */
const LONGEST_SLEEP_MS = 1_000;

interface Entry {
  readonly post: Post;
  readonly rank: number;
}

export function newAgenda(ports: Ports, timing: Timing, life: Life, work: Work): Agenda {
  const { clock, timers, store, replicas, reports } = ports;
  const queue = newWakeQueue<Entry>();
  /** The latest version of each post in the queue; entries of older ones are passed over. */
  const current = new Map<string, Post>();
  const busy = new Map<string, Promise<void>>();
  let cancel = NOTHING_SET;

  function add(posts: readonly Post[]): void {
    const horizon = clock.now() + timing.lookAheadMs;
    for (const post of posts) {
      if (post.wakeAt > horizon || busy.has(post.id) || isSame(current.get(post.id), post)) continue;
      const rank = rankOf(post.id, replicas.self, replicas.all());
      current.set(post.id, post);
      queue.put(post.wakeAt + rank * timing.rankStepMs, { post, rank });
    }
    turn();
  }

  /** Starts what is due and sets the timer for the next. */
  function turn(): void {
    cancel();
    if (life.stopping) return;
    const now = clock.now();
    while (busy.size < AT_ONCE) {
      const entry = queue.takeBy(now);
      if (entry === undefined) break;
      if (current.get(entry.post.id) === entry.post) begin(entry);
    }
    const next = queue.nextAt();
    if (next !== undefined && busy.size < AT_ONCE) cancel = timers.after(waitUntil(next, now), turn);
  }

  function begin(entry: Entry): void {
    current.delete(entry.post.id);
    busy.set(entry.post.id, run(entry));
  }

  async function run({ post, rank }: Entry): Promise<void> {
    try {
      await work(post, rank);
    } catch (error) {
      reports.trouble("dispatch", { post: post.id, error });
    }
    busy.delete(post.id);
    turn();
  }

  async function look(): Promise<void> {
    add(await store.wakingBefore(clock.now() + timing.lookAheadMs, PAGE));
  }

  return {
    start: () => life.repeat("look ahead", timing.lookEveryMs, look),
    add,
    async drained() {
      while (busy.size > 0) await Promise.all(busy.values());
    },
    get inWork() {
      return busy.size;
    },
  };
}

function isSame(known: Post | undefined, post: Post): boolean {
  return known?.wakeAt === post.wakeAt && known.fence === post.fence && known.planRevision === post.planRevision;
}

function waitUntil(instant: EpochMs, now: EpochMs): number {
  return Math.min(LONGEST_SLEEP_MS, Math.max(0, instant - now));
}
