import type { EpochMs } from "../../../contracts/ids.ts";
import { type Post } from "../../domain/post/post.ts";
import { rankOf } from "../../domain/post/rendezvous-rank.ts";
import type { Foresight } from "./prefetch.ts";
import type { Life } from "../lifecycle.ts";
import { isSame, LATE_MS, newLooks } from "./due-poller.ts";
import { NOTHING_SET, type Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";
import { type Entry, newSinkLane, type Precedence, type SinkLane } from "./sink-queue.ts";
import type { WaitRecords } from "../wait-records.ts";
import { newWakeQueue } from "./delay-queue.ts";

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
  /** How many are due and wait for their turn. */
  readonly inLine: number;
}

/** A post in work, as it was when its turn came. */
interface Busy {
  readonly post: Post;
  readonly done: Promise<void>;
}

/** Does what is due about a post; resolves to whether it is known what has become of it. */
export type Work = (entry: Entry) => Promise<boolean>;

/** A timer may be that late to notice that the clock was re-mapped. */
const LONGEST_SLEEP_MS = 1_000;

/** @param waits - Is told when each post was found, and what it waits for until its turn. */
export function newAgenda(
  ports: Ports,
  timing: Timing,
  life: Life,
  foresee: Foresight,
  waits: WaitRecords,
  work: Work,
): Agenda {
  const { clock, timers, replicas, reports } = ports;
  const queue = newWakeQueue<Entry>();
  const lanes = new Map(ports.sinks.map((sink) => [sink.name, newSinkLane(sink, timing.postsAtOnce, waits)]));
  /** The latest version of each post in the queue; entries of older ones are passed over. */
  const current = new Map<string, Post>();
  const busy = new Map<string, Busy>();
  const looks = newLooks(ports, timing, life, () => [...busy.values()].map(({ post }) => post), add);
  let inLine = 0;
  let cancel = NOTHING_SET;

  function add(posts: readonly Post[]): void {
    const foundAt = clock.now();
    const horizon = foundAt + timing.lookAheadMs;
    for (const post of posts) {
      if (post.wakeAt > horizon || busy.has(post.id) || isSame(current.get(post.id), post)) continue;
      const rank = rankOf(post.id, replicas.self, replicas.all());
      current.set(post.id, post);
      const isLate = foundAt - post.dueAt > LATE_MS;
      const precedence = precedenceOf(rank, isLate);
      const { guildId, deadline } = post;
      const at = turnOf(post, rank, isLate);
      if (rank === 0 && post.state === "planned") foresee(post);
      queue.put(at, { post, rank, guildId, deadline, precedence, foundAt, readyAt: Math.max(at, foundAt) });
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
      inLine += 1;
      waits.taken(entry.post, entry);
      laneOf(entry.post).put(entry, now);
    }
    for (const lane of lanes.values()) beginWhatMay(lane, now);
    const next = Math.min(queue.nextAt() ?? Infinity, ...[...lanes.values()].map((lane) => lane.opensAt(now)));
    if (next < Infinity) cancel = timers.after(waitUntil(next, now), turn);
  }

  /** Of a sink that was switched off there may still be posts. */
  function laneOf({ sink }: Post): SinkLane {
    const lane = lanes.get(sink) ?? newSinkLane({}, timing.postsAtOnce, waits);
    lanes.set(sink, lane);
    return lane;
  }

  function beginWhatMay(lane: SinkLane, now: EpochMs): void {
    for (let entry = lane.next(now); entry !== undefined; entry = lane.next(now)) {
      inLine -= 1;
      if (current.get(entry.post.id) === entry.post) begin(entry, lane, now);
      else lane.passOver(entry, now);
    }
  }

  function begin(entry: Entry, lane: SinkLane, now: EpochMs): void {
    current.delete(entry.post.id);
    reports.waited(entry.post.sink, "turn", now - entry.readyAt);
    lane.begin(entry);
    const { post } = entry;
    looks.begun(post);
    busy.set(post.id, { post, done: run(entry, lane) });
  }

  async function run(entry: Entry, lane: SinkLane): Promise<void> {
    const { post } = entry;
    let isKnown = false;
    try {
      isKnown = await work(entry);
    } catch (error) {
      reports.trouble("dispatch", { post: post.id, error });
    }
    busy.delete(post.id);
    lane.end(entry, clock.now());
    turn();
    if (!isKnown) void looks.again(post);
  }

  return {
    start: () => looks.start(),
    add,
    furtherWait: (post) => laneOf(post).furtherWait(post.id, clock.now()),
    spend: (post) => laneOf(post).spend(post.id, clock.now()),
    async drained() {
      while (busy.size > 0) await Promise.all([...busy.values()].map(({ done }) => done));
    },
    get inWork() {
      return busy.size;
    },
    get inLine() {
      return inLine;
    },
  };
}

function precedenceOf(rank: number, isLate: boolean): Precedence {
  if (isLate) return "late";
  return rank === 0 ? "own" : "others";
}

function waitUntil(instant: EpochMs, now: EpochMs): number {
  return Math.min(LONGEST_SLEEP_MS, Math.max(0, instant - now));
}
