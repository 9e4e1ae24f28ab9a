import type { EpochMs } from "../../contracts/ids.ts";
import { type Post } from "../domain/post.ts";
import { rankOf } from "../domain/rank.ts";
import type { Life } from "./life.ts";
import { NOTHING_SET, type Ports } from "./ports.ts";
import type { Timing } from "./timing.ts";
import { newFairQueue, type Turn } from "./fair-queue.ts";
import { newWakeQueue } from "./wake-queue.ts";

/** Holds what wakes in the next seconds, and one timer for the first of it. */
export interface Agenda {
  start(): void;
  /** Takes in those of the posts that wake soon. */
  add(posts: readonly Post[]): void;
  /** Resolves when nothing is in work any more. */
  drained(): Promise<void>;
  /** How many posts are in work. */
  readonly inWork: number;
}

/** Does what is due about a post. `rank` is this replica's place for it: 0 goes first. */
export type Work = (post: Post, rank: number) => Promise<void>;

/** From when on a post is late. */
const LATE_MS = 60_000;
/** Rows in one look: several of the largest guilds' posts of one instant. */
const PAGE = 20_000;
const LATE_PAGE = 1_000;
/** A timer may be that late to notice that the clock was re-mapped. */
const LONGEST_SLEEP_MS = 1_000;

interface Entry extends Turn {
  readonly post: Post;
  readonly rank: number;
  readonly isLate: boolean;
}

export function newAgenda(ports: Ports, timing: Timing, life: Life, work: Work): Agenda {
  const { clock, timers, store, replicas, reports } = ports;
  const queue = newWakeQueue<Entry>();
  const due = newFairQueue<Entry>();
  /** The latest version of each post in the queue; entries of older ones are passed over. */
  const current = new Map<string, Post>();
  const busy = new Map<string, Promise<void>>();
  /** After an outage what is due now keeps four fifths. */
  const lateAtOnce = Math.floor(timing.postsAtOnce / 5);
  let lateInWork = 0;
  let cancel = NOTHING_SET;

  function add(posts: readonly Post[]): void {
    const horizon = clock.now() + timing.lookAheadMs;
    for (const post of posts) {
      if (post.wakeAt > horizon || busy.has(post.id) || isSame(current.get(post.id), post)) continue;
      const rank = rankOf(post.id, replicas.self, replicas.all());
      current.set(post.id, post);
      const isLate = clock.now() - post.dueAt > LATE_MS;
      const { guildId, deadline } = post;
      queue.put(post.wakeAt + rank * timing.rankStepMs, { post, rank, guildId, deadline, isLate });
    }
    turn();
  }

  /** Starts what is due and sets the timer for the next. */
  function turn(): void {
    cancel();
    if (life.stopping) return;
    const now = clock.now();
    for (let entry = queue.takeBy(now); entry !== undefined; entry = queue.takeBy(now)) due.put(entry, entry.isLate);
    while (busy.size < timing.postsAtOnce) {
      const entry = due.takeOnTime() ?? (lateInWork < lateAtOnce ? due.takeLate() : undefined);
      if (entry === undefined) break;
      if (current.get(entry.post.id) === entry.post) begin(entry);
    }
    const next = queue.nextAt();
    if (next !== undefined) cancel = timers.after(waitUntil(next, now), turn);
  }

  function begin(entry: Entry): void {
    current.delete(entry.post.id);
    if (entry.isLate) lateInWork += 1;
    busy.set(entry.post.id, run(entry));
  }

  async function run({ post, rank, isLate }: Entry): Promise<void> {
    try {
      await work(post, rank);
    } catch (error) {
      reports.trouble("dispatch", { post: post.id, error });
    }
    busy.delete(post.id);
    if (isLate) lateInWork -= 1;
    turn();
  }

  async function lookAhead(): Promise<void> {
    const now = clock.now();
    add(await store.waking(now - LATE_MS, now + timing.lookAheadMs, PAGE));
  }

  /** What is late is looked for apart: however much it is, it does not hide what is due now. */
  async function lookBack(): Promise<void> {
    add(await store.waking(0, clock.now() - LATE_MS, LATE_PAGE));
  }

  return {
    start() {
      life.repeat("look ahead", timing.lookEveryMs, lookAhead);
      life.repeat("look back", timing.lookBackEveryMs, lookBack);
    },
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
