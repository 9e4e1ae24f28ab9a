import type { EpochMs } from "../../contracts/ids.ts";
import { type Post } from "../domain/post.ts";
import { rankOf } from "../domain/rank.ts";
import type { Foresight } from "./foresight.ts";
import type { Life } from "./life.ts";
import { NOTHING_SET, type Ports } from "./ports.ts";
import type { Timing } from "./timing.ts";
import { type Entry, newSinkLane, type Precedence, type SinkLane } from "./sink-lane.ts";
import { newWakeQueue } from "./wake-queue.ts";

/** How fast the posts in work may send: by the budgets of their sinks. */
export interface Pace {
  /** Milliseconds until a post that has sent a part may send another; 0 when it may now. */
  furtherWait(post: Post): number;
  /** A part is sent: it counts. */
  spend(post: Post): void;
}

/** Holds what wakes in the next seconds, and one timer for the first of it. */
export interface Agenda extends Pace {
  start(): void;
  /** Takes in those of the posts that wake soon. */
  add(posts: readonly Post[]): void;
  /** Resolves when nothing is in work any more. */
  drained(): Promise<void>;
  /** How many posts are in work. */
  readonly inWork: number;
}

/** A post in work, as it was when its turn came. */
interface Busy {
  readonly post: Post;
  readonly done: Promise<void>;
}

/** Does what is due about a post. */
export type Work = (entry: Entry) => Promise<void>;

/** From when on a post is late: it makes way for what comes due, also when an outage has left thousands. */
const LATE_MS = 10_000;
/** Rows in one look: several of the largest guilds' posts of one instant. */
const PAGE = 20_000;
const LATE_PAGE = 2_000;
/** A timer may be that late to notice that the clock was re-mapped. */
const LONGEST_SLEEP_MS = 1_000;

export function newAgenda(ports: Ports, timing: Timing, life: Life, foresee: Foresight, work: Work): Agenda {
  const { clock, timers, store, replicas, reports } = ports;
  const queue = newWakeQueue<Entry>();
  const lanes = new Map(ports.sinks.map((sink) => [sink.name, newSinkLane(sink, timing.postsAtOnce)]));
  /** The latest version of each post in the queue; entries of older ones are passed over. */
  const current = new Map<string, Post>();
  const busy = new Map<string, Busy>();
  /** For each look that is under way the posts that were in work since it began: what it sees of them may be over. */
  const looks = new Set<Map<string, Post>>();
  let cancel = NOTHING_SET;

  function add(posts: readonly Post[]): void {
    const horizon = clock.now() + timing.lookAheadMs;
    for (const post of posts) {
      if (post.wakeAt > horizon || busy.has(post.id) || isSame(current.get(post.id), post)) continue;
      const rank = rankOf(post.id, replicas.self, replicas.all());
      current.set(post.id, post);
      const isLate = clock.now() - post.dueAt > LATE_MS;
      const precedence = precedenceOf(rank, isLate);
      const { guildId, deadline } = post;
      const at = turnOf(post, rank, isLate);
      if (rank === 0 && post.state === "planned") foresee(post);
      queue.put(at, { post, rank, guildId, deadline, precedence, readyAt: Math.max(at, clock.now()) });
    }
    turn();
  }

  /** When it is this replica's: those of a lower rank have their time before. */
  function turnOf({ state, wakeAt }: Post, rank: number, isLate: boolean): EpochMs {
    if (!isLate || state !== "planned") return wakeAt + rank * timing.rankStepMs;
    return Math.max(wakeAt, clock.now()) + rank * timing.lateRankStepMs;
  }

  /** Starts what is due and sets the timer for the next. */
  function turn(): void {
    cancel();
    if (life.stopping) return;
    const now = clock.now();
    for (let entry = queue.takeBy(now); entry !== undefined; entry = queue.takeBy(now)) {
      laneOf(entry.post).put(entry, now);
    }
    for (const lane of lanes.values()) beginWhatMay(lane, now);
    const next = Math.min(queue.nextAt() ?? Infinity, ...[...lanes.values()].map((lane) => lane.opensAt(now)));
    if (next < Infinity) cancel = timers.after(waitUntil(next, now), turn);
  }

  /** Of a sink that was switched off there may still be posts. */
  function laneOf({ sink }: Post): SinkLane {
    const lane = lanes.get(sink) ?? newSinkLane({}, timing.postsAtOnce);
    lanes.set(sink, lane);
    return lane;
  }

  function beginWhatMay(lane: SinkLane, now: EpochMs): void {
    for (let entry = lane.next(now); entry !== undefined; entry = lane.next(now)) {
      if (current.get(entry.post.id) === entry.post) begin(entry, lane, now);
      else lane.passOver(entry, now);
    }
  }

  function begin(entry: Entry, lane: SinkLane, now: EpochMs): void {
    current.delete(entry.post.id);
    reports.waited(entry.post.sink, "turn", now - entry.readyAt);
    lane.begin(entry);
    const { post } = entry;
    for (const met of looks) met.set(post.id, post);
    busy.set(post.id, { post, done: run(entry, lane) });
  }

  async function run(entry: Entry, lane: SinkLane): Promise<void> {
    const { post } = entry;
    try {
      await work(entry);
    } catch (error) {
      reports.trouble("dispatch", { post: post.id, error });
    }
    busy.delete(post.id);
    lane.end(entry, clock.now());
    turn();
  }

  async function look(from: EpochMs, before: EpochMs, limit: number): Promise<void> {
    const met = new Map([...busy].map(([id, { post }]) => [id, post]));
    looks.add(met);
    try {
      const posts = await store.waking(from, before, limit);
      add(posts.filter((post) => !isSame(met.get(post.id), post)));
    } finally {
      looks.delete(met);
    }
  }

  function lookAhead(): Promise<void> {
    const now = clock.now();
    return look(now - LATE_MS, now + timing.lookAheadMs, PAGE);
  }

  /** What is late is looked for apart: however much it is, it does not hide what is due now. */
  function lookBack(): Promise<void> {
    return look(0, clock.now() - LATE_MS, LATE_PAGE);
  }

  return {
    start() {
      life.repeat("look ahead", timing.lookEveryMs, lookAhead);
      life.repeat("look back", timing.lookBackEveryMs, lookBack);
    },
    add,
    furtherWait: (post) => laneOf(post).furtherWait(post.id, clock.now()),
    spend: (post) => laneOf(post).spend(post.id, clock.now()),
    async drained() {
      while (busy.size > 0) await Promise.all([...busy.values()].map(({ done }) => done));
    },
    get inWork() {
      return busy.size;
    },
  };
}

function precedenceOf(rank: number, isLate: boolean): Precedence {
  if (isLate) return "late";
  return rank === 0 ? "own" : "others";
}

function isSame(known: Post | undefined, post: Post): boolean {
  return known?.wakeAt === post.wakeAt && known.fence === post.fence && known.planRevision === post.planRevision;
}

function waitUntil(instant: EpochMs, now: EpochMs): number {
  return Math.min(LONGEST_SLEEP_MS, Math.max(0, instant - now));
}
