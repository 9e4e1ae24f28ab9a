import type { Post } from "../../services/dispatch/domain/post.ts";
import { isOpen } from "../../services/dispatch/domain/post.ts";
import { type Dispatcher, newDispatcher } from "../../services/dispatch/protocol/dispatcher.ts";
import { STANDARD_TIMING, type Timing } from "../../services/dispatch/protocol/timing.ts";
import { type MemoryPostStore, newMemoryPostStore } from "./memory-post-store.ts";
import type { Mutant } from "./mutants.ts";
import { judge, type Record } from "./oracle.ts";
import { type Scenario, scenarioOf, type Stretch, TROUBLE_MS } from "./scenario.ts";
import { GUILD, peopleOf } from "./simulated-edits.ts";
import { type Incarnation, newSimulatedNetwork } from "./simulated-network.ts";
import { newSimulatedOwners } from "./simulated-owners.ts";
import { isIn, type SharedWorld, simulatedPorts } from "./simulated-ports.ts";
import { newSimulatedReceiver } from "./simulated-receiver.ts";
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
/** How long the broker takes a silent replica for alive. */
const HEARTBEAT_MS = 3_000;

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
  const record: Record = { writes: [], faults: faultsOf(scenario), violations: [], readings: [] };
  const alive = new Map<number, { who: Incarnation; dispatcher: Dispatcher }>();
  const diedAt = new Map<number, number>();
  let lives = 0;

  const memory: MemoryPostStore = newMemoryPostStore(
    () => time.now,
    (before, after) => void record.writes.push({ at: time.now, before, after }),
  );
  const store = mutant?.store?.(memory, time) ?? memory;
  const owners = newSimulatedOwners(time, spread);
  const receiver = newSimulatedReceiver(time);
  const network = newSimulatedNetwork(time, scenario, (who, { kind, forMs }) => {
    record.faults.push({ from: time.now - START, until: time.now - START + forMs + TIMING.leaseMs + 2_000 });
    if (kind === "freeze") who.frozenUntil = Math.max(who.frozenUntil, time.now + forMs);
    else crash(who, forMs);
  });
  const world: SharedWorld = { time, start: START, scenario, network, store, owners, receiver, record, knownReplicas };

  /** Tells every replica of a change, if the bus will. */
  function spread(): void {
    for (const { dispatcher, who } of alive.values()) {
      const copies = time.chance.happens(0.2) ? 2 : 1;
      for (let copy = 0; copy < copies; copy += 1) {
        if (isIn(world, scenario.busDown) || time.chance.happens(scenario.hintLoss)) continue;
        time.after(time.chance.between(1, scenario.hintDelayMs), () =>
          network.whenAwake(who, () => dispatcher.hint(GUILD)),
        );
      }
    }
  }

  function knownReplicas(): string[] {
    const names = [];
    for (let replica = 0; replica < scenario.replicas; replica += 1) {
      const silentFor = time.now - (diedAt.get(replica) ?? -Infinity);
      if (alive.has(replica) || silentFor < HEARTBEAT_MS) names.push(`dispatch.${replica}`);
    }
    return names;
  }

  function begin(replica: number): void {
    if (alive.has(replica)) return;
    if (isIn(world, scenario.blackouts)) return time.after(500, () => begin(replica));
    const who = { replica, name: `dispatch.${replica}`, dead: false, frozenUntil: 0, life: (lives += 1) };
    const ports = simulatedPorts(world, who);
    const dispatcher = newDispatcher(mutant?.ports?.(ports, time) ?? ports, { ...TIMING, ...mutant?.timing });
    alive.set(replica, { who, dispatcher });
    dispatcher.start();
  }

  function crash(who: Incarnation, forMs: number): void {
    if (who.dead) return;
    who.dead = true;
    alive.delete(who.replica);
    diedAt.set(who.replica, time.now);
    time.after(forMs, () => begin(who.replica));
  }

  function waitForOwners(then: () => void): void {
    if (isIn(world, scenario.busDown) || isIn(world, scenario.ownersDown)) time.after(250, () => waitForOwners(then));
    else then();
  }

  for (let replica = 0; replica < scenario.replicas; replica += 1) {
    time.after(time.chance.between(0, 2_000), () => begin(replica));
  }
  for (const { from } of scenario.blackouts) {
    time.after(from, () => {
      for (const { who } of alive.values()) crash(who, 100);
    });
  }
  peopleOf({ time, scenario, owners }, waitForOwners);

  const patience = scenario.loss > 0 ? 60_000 : 20_000;
  const quietFrom = () => START + patience + Math.max(TROUBLE_MS, ...record.faults.map(({ until }) => until));
  const lastStart = () =>
    Math.max(...[...owners.occurrences.values()].map((history) => history.at(-1)?.thing?.startsAt ?? 0));
  const isOver = () =>
    time.now > Math.max(quietFrom(), lastStart() + patience) && ![...memory.posts.values()].some(isOpen);
  await time.run(START + LONGEST_RUN_MS, isOver);
  for (const { who } of alive.values()) who.dead = true;

  const violations = judge({
    start: START,
    now: time.now,
    record,
    owners,
    receiver,
    posts: memory.posts,
    scenario,
    timing: TIMING,
  });
  const story = () => storyOf({ start: START, record, owners, receiver });
  return { seed, violations, posts: [...memory.posts.values()], scenario, story };
}

function faultsOf({ busDown, storeDown, receiverDown, ownersDown, blackouts }: Scenario): Stretch[] {
  return [busDown, storeDown, receiverDown, ownersDown, blackouts].flat();
}
