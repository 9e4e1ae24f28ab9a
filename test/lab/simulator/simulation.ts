import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import { isOpen } from "../../../services/dispatch/domain/post/post.ts";
import { STANDARD_TIMING, type Timing } from "../../../services/dispatch/protocol/timing.ts";
import { dueInterval, offsetsIn } from "./due-rules.ts";
import { databaseTime, type Fault, type Record } from "./evidence.ts";
import { type MemoryPostStore, newMemoryPostStore } from "./memory-post-store.ts";
import type { Mutant } from "./mutant.ts";
import { judge } from "./oracle.ts";
import { type Scenario, scenarioOf, LAST_FAULT_MS } from "./scenario.ts";
import { isIn, type SharedWorld } from "./shared-world.ts";
import { scheduleEdits } from "./simulated-edits.ts";
import { newSimulatedNetwork } from "./simulated-network.ts";
import { type History, newSimulatedOwners, type SimulatedOwners } from "./simulated-owners.ts";
import { newSimulatedReceiver, type VisibleMessage } from "./simulated-receiver.ts";
import { newSimulatedReplicas, type SimulatedReplicas } from "./simulated-replicas.ts";
import { eventLogOf } from "./event-log.ts";
import { newVirtualTime } from "./virtual-time.ts";

/** The timing of production, except for times that would make a run take hours. */
const TIMING: Timing = {
  ...STANDARD_TIMING,
  graceMs: 120_000,
  horizonMs: 40_000,
  sweepEveryMs: 5_000,
  nonceWindowMs: 30_000,
};
const START = 1_000_000_000_000;
const LONGEST_RUN_MS = 500_000;
/** A low limit, so that a guild with many posts can delay others in the runs that check the order. */
const FEW_AT_ONCE = 8;
/** A low limit, so that the guild with many posts exceeds it. */
const FEW_OPEN = 20;
/** Fewer than the posts that users cancel in a run. */
const FEW_UNSENT = 60;
/** Time after which every process has noticed a step of the database's clock. */
const STEP_NOTICED_MS = 8_000;

export interface Outcome {
  readonly seed: number;
  /** The broken promises, a sentence each. */
  readonly violations: readonly string[];
  readonly posts: readonly Post[];
  readonly scenario: Scenario;
  /** The events of the run, a line each, in the order of time. */
  readonly eventLog: () => readonly string[];
}

/** Runs one seed, always with the same result. */
export async function simulate(seed: number, mutant?: Mutant): Promise<Outcome> {
  const scenario = scenarioOf(seed);
  const time = newVirtualTime(seed, START);
  const few: Partial<Timing> = {
    maxPostsInWork: FEW_AT_ONCE,
    maxOpenPosts: FEW_OPEN,
    maxUnsentPosts: FEW_UNSENT,
  };
  const waits = scenario.waitsForNoPause ? { maxPlanWaitMs: 100 } : {};
  const timing = { ...TIMING, ...(scenario.noisy > 0 ? few : {}), ...waits };
  const record: Record = {
    writes: [],
    faults: faultsOf(scenario),
    violations: [],
    readings: [],
    lostReads: [],
    haltedResponses: [],
    starts: [],
    drains: [],
  };
  const databaseNow = () => databaseTime({ start: START, scenario }, time.now);
  const wallScenario = { ...scenario, clockSteps: scenario.wallSteps };
  const memory: MemoryPostStore = newMemoryPostStore(
    () => databaseNow() + (mutant?.storeAheadMs ?? 0),
    (before, after) => void record.writes.push({ at: time.now, before, after }),
  );
  const owners = newSimulatedOwners(time, databaseNow, (hint) => replicas.spread(hint));
  const receiver = newSimulatedReceiver(time);
  const network = newSimulatedNetwork(time, scenario, (who, { kind, forMs }) => {
    record.faults.push({ from: time.now - START, until: time.now - START + forMs + TIMING.leaseMs + 2_000 });
    if (kind === "freeze") who.frozenUntil = Math.max(who.frozenUntil, time.now + forMs);
    else replicas.crash(who, forMs);
  });
  const world: SharedWorld = {
    time,
    start: START,
    scenario,
    network,
    store: mutant?.store?.(memory, time) ?? memory,
    owners,
    receiver,
    record,
    databaseNow,
    wallNow: () => databaseTime({ start: START, scenario: wallScenario }, time.now),
    knownReplicas: (viewer) => replicas.known(viewer),
    maxOpenPosts: timing.maxOpenPosts,
  };
  const replicas = newSimulatedReplicas(world, timing, mutant, () => memory.posts.values());

  setInMotion(world, replicas);
  if (scenario.messageEdits) deleteMessages(world, memory);
  await time.run(START + LONGEST_RUN_MS, () => isQuiet(world) && ![...memory.posts.values()].some(hasWork));
  replicas.endAll();

  const { posts } = memory;
  const violations = judge({ start: START, now: time.now, record, owners, receiver, posts, scenario, timing });
  const eventLog = () => eventLogOf({ start: START, record, owners, receiver });
  return { seed, violations, posts: [...posts.values()], scenario, eventLog };
}

/** Schedules the faults of the scenario. */
function setInMotion(world: SharedWorld, replicas: SimulatedReplicas): void {
  const { time, scenario, owners } = world;
  for (let replica = 0; replica < scenario.replicas; replica += 1) {
    time.after(time.chance.between(0, 2_000), () => replicas.begin(replica));
  }
  for (const { from } of scenario.blackouts) time.after(from, () => replicas.crashAll(100));
  for (const { replica, from, forMs } of scenario.drains) time.after(from, () => replicas.drain(replica, forMs));

  function waitForOwners(then: () => void): void {
    if (isIn(world, scenario.busDown) || isIn(world, scenario.ownersDown)) time.after(250, () => waitForOwners(then));
    else then();
  }
  scheduleEdits({ time, scenario, owners }, waitForOwners);
}

/** Whether the post is not settled yet, or its message is about to be edited. */
function hasWork(post: Post): boolean {
  return isOpen(post) || post.stepDue === true;
}

/** Somebody deletes messages of posts that are settled: a post in doubt whose message was deleted may be sent again. */
function deleteMessages({ time, receiver }: SharedWorld, { posts }: MemoryPostStore): void {
  for (let count = time.chance.between(0, 2); count > 0; count -= 1) {
    time.after(time.chance.between(20_000, LAST_FAULT_MS + 20_000), () => {
      const isDeletable = ({ postId, goneAt }: VisibleMessage) =>
        goneAt === undefined && posts.get(postId)?.state === "sent";
      const message = time.chance.oneOf(receiver.visible.filter(isDeletable));
      if (message !== undefined) message.goneAt = time.now;
    });
  }
}

/** Whether the last fault has ended, the last event has started and the last post was due, all some time ago. */
function isQuiet({ time, scenario, record, owners }: SharedWorld): boolean {
  const patience = scenario.loss > 0 ? 60_000 : 20_000;
  const troubleUntil = START + Math.max(LAST_FAULT_MS, ...record.faults.map(({ until }) => until));
  return time.now > Math.max(troubleUntil, lastStart(owners), lastDue(owners)) + patience;
}

function lastStart({ occurrences }: SimulatedOwners): number {
  return Math.max(...[...occurrences.values()].map((history) => history.at(-1)?.content?.startsAt ?? 0));
}

/** The last due instant by an offset. */
function lastDue({ announcements, occurrences }: SimulatedOwners): number {
  const contents = <Content>(histories: ReadonlyMap<string, History<Content>>) =>
    [...histories.values()].flatMap((history) => history.at(-1)?.content ?? []);
  const rules = contents(announcements).filter(({ offsets }) => offsets !== undefined);
  const due = rules.flatMap((rule) =>
    contents(occurrences).flatMap((event) =>
      offsetsIn(rule).flatMap((offset) => dueInterval(rule, offset, event, 0)?.dueAt ?? []),
    ),
  );
  return Math.max(0, ...due);
}

/** The scheduled faults, until the end of their effects. */
function faultsOf(scenario: Scenario): Fault[] {
  const { busDown, storeDown, receiverDown, ownersDown, blackouts, refusals, clockSteps, sinks } = scenario;
  const [sink] = sinks;
  const onlyThere = [
    ...receiverDown,
    ...refusals.map(({ from, until }) => ({ from, until: until + TIMING.circuitOpenMs })),
  ];
  return [
    ...[busDown, storeDown, ownersDown, blackouts].flat(),
    ...clockSteps.map(({ at }) => ({ from: at, until: at + STEP_NOTICED_MS })),
    ...onlyThere.map(({ from, until }) => ({ from, until, sink })),
  ];
}
