import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import { isOpen } from "../../../services/dispatch/domain/post/post.ts";
import { STANDARD_TIMING, type Timing } from "../../../services/dispatch/protocol/timing.ts";
import { databaseTime, type Fault, type Record } from "./evidence.ts";
import { type MemoryPostStore, newMemoryPostStore } from "./memory-post-store.ts";
import type { Mutant } from "./mutants.ts";
import { judge } from "./oracle.ts";
import { type Scenario, scenarioOf, TROUBLE_MS } from "./scenario.ts";
import { isIn, type SharedWorld } from "./shared-world.ts";
import { peopleOf } from "./simulated-edits.ts";
import { newSimulatedNetwork } from "./simulated-network.ts";
import { newSimulatedOwners, type SimulatedOwners } from "./simulated-owners.ts";
import { newSimulatedReceiver } from "./simulated-receiver.ts";
import { newSimulatedReplicas, type SimulatedReplicas } from "./simulated-replicas.ts";
import { storyOf } from "./story.ts";
import { newVirtualTime } from "./virtual-time.ts";

/** The times of production, but for those that would make a run take hours. */
const TIMING: Timing = {
  ...STANDARD_TIMING,
  graceMs: 120_000,
  horizonMs: 40_000,
  sweepEveryMs: 5_000,
  nonceWindowMs: 30_000,
};
const START = 1_000_000_000_000;
const LONGEST_RUN_MS = 400_000;
/** So few that a guild with many posts keeps others waiting, in the runs in which turns are counted. */
const FEW_AT_ONCE = 8;
/** So few that the guild with many posts has more ahead than are planned at a time. */
const FEW_OPEN = 20;
/** Fewer than users cancel in a run. */
const FEW_UNSENT = 60;
/** From when on a step of the database's clock has been noticed. */
const STEP_NOTICED_MS = 8_000;

export interface Outcome {
  readonly seed: number;
  /** What broke the promise; empty when it was kept. */
  readonly violations: readonly string[];
  readonly posts: readonly Post[];
  readonly scenario: Scenario;
  /** What happened, a line each, in the order of time. */
  readonly story: () => readonly string[];
}

/** One run, the same for the same seed. */
export async function simulate(seed: number, mutant?: Mutant): Promise<Outcome> {
  const scenario = scenarioOf(seed);
  const time = newVirtualTime(seed, START);
  const few: Partial<Timing> = {
    maxPostsInWork: FEW_AT_ONCE,
    maxOpenPosts: FEW_OPEN,
    maxUnsentPosts: FEW_UNSENT,
  };
  const timing = { ...TIMING, ...(scenario.noisy > 0 ? few : {}) };
  const record: Record = {
    writes: [],
    faults: faultsOf(scenario),
    violations: [],
    readings: [],
    haltedAnswers: [],
    drains: [],
  };
  const databaseNow = () => databaseTime({ start: START, scenario }, time.now);
  const wallScenario = { ...scenario, clockSteps: scenario.wallSteps };
  const memory: MemoryPostStore = newMemoryPostStore(
    () => databaseNow() + (mutant?.storeAheadMs ?? 0),
    (before, after) => void record.writes.push({ at: time.now, before, after }),
  );
  const owners = newSimulatedOwners(time, databaseNow, (guildId) => replicas.spread(guildId));
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
    knownReplicas: () => replicas.known(),
    maxOpenPosts: timing.maxOpenPosts,
  };
  const replicas = newSimulatedReplicas(world, timing, mutant, () => memory.posts.values());

  setInMotion(world, replicas);
  await time.run(START + LONGEST_RUN_MS, () => isQuiet(world) && ![...memory.posts.values()].some(isOpen));
  replicas.endAll();

  const { posts } = memory;
  const violations = judge({ start: START, now: time.now, record, owners, receiver, posts, scenario, timing });
  const story = () => storyOf({ start: START, record, owners, receiver });
  return { seed, violations, posts: [...posts.values()], scenario, story };
}

/** Sets all that the scenario wants for its time. */
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
  peopleOf({ time, scenario, owners }, waitForOwners);
}

/** Whether all trouble is over for a while, and the last event has begun. */
function isQuiet({ time, scenario, record, owners }: SharedWorld): boolean {
  const patience = scenario.loss > 0 ? 60_000 : 20_000;
  const troubleUntil = START + Math.max(TROUBLE_MS, ...record.faults.map(({ until }) => until));
  return time.now > Math.max(troubleUntil, lastStart(owners)) + patience;
}

function lastStart({ occurrences }: SimulatedOwners): number {
  return Math.max(...[...occurrences.values()].map((history) => history.at(-1)?.thing?.startsAt ?? 0));
}

/** What is known beforehand to be broken, and until when it is felt. */
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
