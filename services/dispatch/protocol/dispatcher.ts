import { CHANGE_FEED_OVERLAP_MS } from "../../contracts/change-feed.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { Post } from "../domain/post/post.ts";
import type { SinkName } from "../domain/post/sink-name.ts";
import { newCircuitBreaker } from "./delivery/circuit-breaker.ts";
import { newDelivery } from "./delivery/deliver.ts";
import { newFirePost } from "./delivery/fire.ts";
import { newLeaseRecovery } from "./delivery/lease-recovery.ts";
import { newLedger } from "./delivery/ledger.ts";
import { newMessageSteps } from "./delivery/message-steps.ts";
import { newHeartbeat } from "./heartbeat.ts";
import { newLifecycle } from "./lifecycle.ts";
import { type FeedProgress, newChangeFeedConsumer } from "./planning/change-feed-consumer.ts";
import { newHintsOfOthers } from "./planning/hints-of-others.ts";
import { newPlannedChanges, type PlannedChange } from "./planning/planned-changes.ts";
import { newPlanner } from "./planning/planner.ts";
import { newPlanningShares } from "./planning/planning-shares.ts";
import { newSweep } from "./planning/sweep.ts";
import { NO_TIMER, type Ports } from "./ports.ts";
import type { DueEntry } from "./scheduling/due-entry.ts";
import { newDueScheduler, type SendPacing } from "./scheduling/due-scheduler.ts";
import { newPrefetch } from "./scheduling/prefetch.ts";
import { newStateReader } from "./scheduling/state-reader.ts";
import type { Timing } from "./timing.ts";
import type { Sink } from "../sinks/sink.ts";
import { newWaitRecords } from "./wait-records.ts";

/** One replica of dispatch. */
export interface Dispatcher {
  start(): void;
  /** A broadcast says that something of the guild changed. The guild is planned sooner; the broadcast may be lost. */
  onChangeHint(hint: BroadcastChange): void;
  status(): DispatcherStatus;
  /** Starts no new work. Resolves when all work in flight is finished or released, or after `drainMs`. */
  stop(drainMs: number): Promise<void>;
}

export interface BroadcastChange {
  readonly guildId: GuildId;
  /** Of a new event: its first start. Absent for any other change. */
  readonly startsAt?: EpochMs | undefined;
  /** The record of a change feed that changed. Absent if another service keeps a copy of the record, which may be older. */
  readonly record?: Omit<PlannedChange, "since">;
}

interface DispatcherStatus {
  /** Number of posts in work. */
  readonly inWork: number;
  readonly feeds: readonly FeedProgress[];
  /** The sinks whose circuit is open. */
  readonly haltedSinks: readonly SinkName[];
}

/** While this many guilds wait for a plan, broadcasts are ignored: the change feeds have the changes, too. */
const MAX_WAITING_GUILDS = 1000;
/** Maximum number of broadcast changes that wait to be marked as planned; further ones are planned again by the feeds. */
const MAX_HINTED_CHANGES = 10_000;
/** Broadcasts to other replicas are kept for so many times that after which another replica stands in for one that does not read. */
const KEPT_HINTS = 2;

export function newDispatcher(ports: Ports, timing: Timing): Dispatcher {
  const { clock, store, replicas, timers } = ports;
  const lifecycle = newLifecycle(ports);
  const shares = newPlanningShares(replicas);
  const planned = newPlannedChanges();
  const planner = newPlanner(ports, timing, lifecycle, shares, (posts) => {
    scheduler.add(posts);
    ports.reports.planned(posts);
  });
  const heartbeat = newHeartbeat(ports, timing, lifecycle);
  const changeFeeds = newChangeFeedConsumer(ports, timing, lifecycle, { planner, shares, planned }, heartbeat);
  const stateReader = newStateReader(ports, timing, changeFeeds);
  const ledger = newLedger({ ...ports, reports: { ...ports.reports, settled } }, lifecycle);
  const circuitBreaker = newCircuitBreaker(ports, timing);
  const waits = newWaitRecords(clock, ({ sink }) => [...heartbeat.outages(), ...circuitBreaker.outages(sink)]);
  const pacing: SendPacing = {
    nextPartWaitMs: (post) => scheduler.nextPartWaitMs(post),
    spend: (post) => scheduler.spend(post),
  };
  const sendingParts = { ports, timing, lifecycle, ledger, circuitBreaker, pacing, waits, onReplanNeeded: replan };
  const delivery = newDelivery(sendingParts);
  const parts = { ports, timing, lifecycle, planner, stateReader, ledger, delivery, waits };
  const firePost = newFirePost(parts);
  const recover = newLeaseRecovery(parts);
  const makeStep = newMessageSteps({ ports, timing, ledger, circuitBreaker, pacing });
  const prefetch = newPrefetch(ports, timing, lifecycle, stateReader, () => scheduler.waiting);
  const scheduler = newDueScheduler(ports, timing, lifecycle, prefetch, waits, processPost);
  const isPlannedHere = (guildId: GuildId) => shares.rank(guildId) === 0 || changeFeeds.reads(guildId);
  const hintsOfOthers = newHintsOfOthers<BroadcastChange>(clock, KEPT_HINTS * timing.planTakeoverMs, isPlannedHere);
  /** Number of broadcast changes that wait for plans. */
  let hinted = 0;

  function settled(post: Post): void {
    ports.reports.settled(post);
    planner.onPostSettled(post.guildId);
  }

  /**
   * Called after an attempt that may change the plan. A post that is `planned` again follows the changes since its claim, a failed
   * one no longer counts as announced, and a channel's refusal suspends the announcement.
   */
  function replan({ guildId, dueAt }: Post): void {
    void planner.requestReplan(guildId, dueAt);
  }

  /** A replica of a rank above 0 reads the post again: others had their turns before. Resolves as `ProcessPost`. */
  async function processPost({ post, rank }: DueEntry): Promise<boolean> {
    const row = rank === 0 ? post : await rereadUnchanged(post);
    if (row === null || lifecycle.isStopping) return true;
    const sink = ports.sinks.find(({ name }) => name === row.sink);
    if (row.state === "sent") return stepOf(row, sink);
    if (row.state === "planned" && sink !== undefined) {
      // While the circuit is open posts stay planned. Those whose deadline is over are settled.
      const isHalted = circuitBreaker.openReason(row.sink) !== undefined && clock.now() <= row.deadline;
      return isHalted || firePost(row, sink);
    }
    await (row.state === "sending" ? recover(row, sink) : planner.requestReplan(row.guildId, row.dueAt));
    return true;
  }

  /** The step of a sent post, whose waits are not recorded (D67). While the circuit is open the step stays due. */
  async function stepOf(post: Post, sink: Sink | undefined): Promise<true> {
    if (circuitBreaker.openReason(post.sink) === undefined) await makeStep(post, sink);
    waits.remove(post);
    return true;
  }

  async function rereadUnchanged(post: Post): Promise<Post | null> {
    const row = await store.find(post);
    waits.add(post, "DATABASE");
    return row !== null && row.state === post.state && row.fence === post.fence ? row : null;
  }

  /** The replica that plans the guild first does so now. If it vanishes before, the next one does. */
  async function planHinted(hint: BroadcastChange, since: EpochMs): Promise<void> {
    const { guildId, startsAt, record } = hint;
    if (!isPlannedHere(guildId)) return hintsOfOthers.add(hint, since);
    if (startsAt === undefined || !planner.isBeyondHorizon(guildId, startsAt)) {
      if (planner.waitingGuilds >= MAX_WAITING_GUILDS) return;
      const planning = planner.requestReplan(guildId, since);
      if (hinted >= MAX_HINTED_CHANGES) return;
      hinted += 1;
      await planning;
      hinted -= 1;
    }
    if (record !== undefined) planned.add([{ ...record, since }]);
  }

  /** Plans the guilds of replicas that have vanished, or that do not read, whose changes were broadcast shortly before. */
  function takeOverHints(): Promise<void> {
    const room = Math.max(0, MAX_WAITING_GUILDS - planner.waitingGuilds);
    for (const { hint, since } of hintsOfOthers.takeOver(room)) void planHinted(hint, since);
    return Promise.resolve();
  }

  /** Earlier outages are read before the first post that they made late. */
  async function begin(): Promise<void> {
    await heartbeat.start();
    if (lifecycle.isStopping) return;
    changeFeeds.start();
    scheduler.start();
    lifecycle.repeat("take over broadcast changes", timing.feedEveryMs, takeOverHints);
    lifecycle.repeat("sweep", timing.sweepEveryMs, newSweep(ports, timing, lifecycle, planner, shares));
  }

  return {
    start() {
      if (lifecycle.isStopping) return;
      void begin();
    },
    // A change may be older than its broadcast by this much.
    onChangeHint: (hint) => void planHinted(hint, clock.now() - CHANGE_FEED_OVERLAP_MS),
    status: () => ({
      inWork: scheduler.inWork,
      feeds: changeFeeds.progress(),
      haltedSinks: ports.sinks.map(({ name }) => name).filter((name) => circuitBreaker.openReason(name) !== undefined),
    }),
    async stop(drainMs) {
      lifecycle.stop();
      let cancel = NO_TIMER;
      const timeout = new Promise<void>((resolve) => {
        cancel = timers.after(drainMs, resolve);
      });
      await Promise.race([Promise.all([scheduler.drained(), planner.drained()]), timeout]);
      cancel();
    },
  };
}
