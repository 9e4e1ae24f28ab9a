import type { GuildId } from "../../contracts/ids.ts";
import type { Post, SinkName } from "../domain/post/post.ts";
import { rankOf } from "../domain/post/rendezvous-rank.ts";
import { newAgenda, type Pace } from "./scheduling/due-scheduler.ts";
import { newQuestions } from "./scheduling/state-reader.ts";
import { newDelivery } from "./delivery/deliver.ts";
import { newFiring } from "./delivery/fire.ts";
import { type FeedProgress, newFollower } from "./planning/change-feed-consumer.ts";
import { newForesight } from "./scheduling/prefetch.ts";
import { newHalts } from "./delivery/circuit-breaker.ts";
import { newHeartbeat } from "./heartbeat.ts";
import { newLedger } from "./delivery/ledger.ts";
import { newLife } from "./lifecycle.ts";
import { newPlanner } from "./planning/planner.ts";
import { NOTHING_SET, type Ports } from "./ports.ts";
import { newRescue } from "./delivery/lease-recovery.ts";
import type { Entry } from "./scheduling/sink-queue.ts";
import type { Timing } from "./timing.ts";
import { newWaitRecords } from "./wait-records.ts";

/** One replica of dispatch. */
export interface Dispatcher {
  start(): void;
  /** A broadcast says that something of this guild's changed. Quick, and never needed for being right. */
  hint(guildId: GuildId): void;
  /** What it holds now, for whoever watches it. */
  status(): DispatcherStatus;
  /** Claims nothing more; resolves when all that is in flight is finished or released, or after `drainMs`. */
  stop(drainMs: number): Promise<void>;
}

interface DispatcherStatus {
  /** Posts that it is working on. */
  readonly inWork: number;
  readonly feeds: readonly FeedProgress[];
  /** The sinks through which nothing is sent until an operator acts. */
  readonly halted: readonly SinkName[];
}

/** While so many guilds wait for their plan, broadcasts are passed over. */
const MAX_HINTED = 1000;
/** Guilds in one sweep. */
const PAGE = 1000;

export function newDispatcher(ports: Ports, timing: Timing): Dispatcher {
  const { clock, store, replicas, timers } = ports;
  const life = newLife(ports);
  const planner = newPlanner(ports, timing, life, (posts) => {
    agenda.add(posts);
    ports.reports.planned(posts);
  });
  const heartbeat = newHeartbeat(ports, timing, life);
  const follower = newFollower(ports, timing, life, planner, heartbeat);
  const questions = newQuestions(ports, timing, follower, (guildId) => planner.isBehind(guildId));
  const ledger = newLedger({ ...ports, reports: { ...ports.reports, settled } }, life);
  const halts = newHalts(ports, timing);
  const waits = newWaitRecords(clock, ({ sink }) => [...heartbeat.outages(), ...halts.outages(sink)]);
  const pace: Pace = { furtherWait: (post) => agenda.furtherWait(post), spend: (post) => agenda.spend(post) };
  const delivery = newDelivery(ports, timing, life, ledger, halts, planAgain, pace, waits);
  const parts = { ports, timing, life, planner, questions, ledger, delivery, waits };
  const fire = newFiring(parts);
  const rescue = newRescue(parts);
  const foresee = newForesight(ports, timing, life, questions, () => agenda.inLine);
  const agenda = newAgenda(ports, timing, life, foresee, waits, work);

  function settled(post: Post): void {
    ports.reports.settled(post);
    planner.madeRoom(post.guildId);
  }

  /** While it was in doubt, it kept another start of its event from being announced. */
  function planAgain({ guildId, dueAt }: Post): void {
    void planner.touch(guildId, dueAt);
  }

  /** A replica that isn't the first looks again: the ones before it have had their time. */
  async function work({ post, rank }: Entry): Promise<boolean> {
    const row = rank === 0 ? post : await unchanged(post);
    if (row === null || life.stopping) return true;
    const sink = ports.sinks.find(({ name }) => name === row.sink);
    if (row.state === "planned" && sink !== undefined) {
      // A halted sink keeps its posts planned; those whose deadline is over are still settled.
      const isHalted = halts.reasonFor(row.sink) !== undefined && clock.now() <= row.deadline;
      return isHalted || fire(row, sink);
    }
    await (row.state === "sending" ? rescue(row, sink) : planner.touch(row.guildId, row.dueAt));
    return true;
  }

  async function unchanged(post: Post): Promise<Post | null> {
    const row = await store.find(post.id);
    waits.spent(post, "DATABASE");
    return row !== null && row.state === post.state && row.fence === post.fence ? row : null;
  }

  /** Plans the guilds further whose plan comes near its end; the replica of rank k leaves them k sweeps to others. */
  async function sweep(): Promise<void> {
    const now = clock.now();
    for (const { guildId, replanAt } of await store.guildsToReplan(now, PAGE)) {
      if (now >= replanAt + rankOf(guildId, replicas.self, replicas.all()) * timing.sweepEveryMs) {
        void planner.touch(guildId, now);
      }
    }
  }

  /** What was missing before is known before the first post that it made late. */
  async function begin(): Promise<void> {
    await heartbeat.start();
    if (life.stopping) return;
    follower.start();
    agenda.start();
    life.repeat("sweep", timing.sweepEveryMs, sweep);
  }

  return {
    start() {
      if (life.stopping) return;
      void begin();
    },
    hint(guildId) {
      // The feeds bring what is not heard.
      if (planner.waiting < MAX_HINTED) void planner.touch(guildId, clock.now());
    },
    status: () => ({
      inWork: agenda.inWork,
      feeds: follower.progress(),
      halted: ports.sinks.map(({ name }) => name).filter((name) => halts.reasonFor(name) !== undefined),
    }),
    async stop(drainMs) {
      life.stop();
      let cancel = NOTHING_SET;
      const late = new Promise<void>((resolve) => {
        cancel = timers.after(drainMs, resolve);
      });
      await Promise.race([Promise.all([agenda.drained(), planner.drained()]), late]);
      cancel();
    },
  };
}
