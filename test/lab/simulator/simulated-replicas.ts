import type { DatabaseClock } from "../../../mixins/mongo/database-clock.ts";
import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import {
  type BroadcastChange,
  type Dispatcher,
  newDispatcher,
} from "../../../services/dispatch/protocol/dispatcher.ts";
import type { Timing } from "../../../services/dispatch/protocol/timing.ts";
import type { Mutant } from "./mutant.ts";
import { isIn, type SharedWorld } from "./shared-world.ts";
import type { Incarnation } from "./simulated-network.ts";
import { clockOf, simulatedPorts } from "./simulated-ports.ts";

/** The replicas of a run, with their starts, crashes and stops. */
export interface SimulatedReplicas {
  begin(replica: number): void;
  crash(who: Incarnation, forMs: number): void;
  crashAll(forMs: number): void;
  /** Stops the replica gracefully: it finishes its posts, ends, and starts again. */
  drain(replica: number, forMs: number): void;
  /** Broadcasts a change to every replica, if the bus is up. */
  spread(hint: BroadcastChange): void;
  /** The names of the replicas that the broker of this one considers alive. */
  known(viewer: Incarnation): readonly string[];
  endAll(): void;
}

interface Replica {
  readonly who: Incarnation;
  readonly dispatcher: Dispatcher;
  readonly bornAt: number;
  isStarted: boolean;
}

/** Time for which the broker considers a silent replica alive. */
const HEARTBEAT_MS = 3_000;
/** Largest delay with which a replica learns of the starts and ends of others. */
const MAX_VIEW_LAG_MS = 4_000;
/** Timeout of a graceful stop, and interval of reads of the database's clock, as in production. */
const DRAIN_MS = 8_000;
export const CLOCK_SAMPLE_MS = 5_000;

/** @param held - The posts in the ledger that a replica holds. */
export function newSimulatedReplicas(
  world: SharedWorld,
  timing: Timing,
  mutant: Mutant | undefined,
  held: () => Iterable<Post>,
): SimulatedReplicas {
  const { time, scenario, network, record, start } = world;
  const alive = new Map<number, Replica>();
  const diedAt = new Map<number, number>();
  const viewLags = new WeakMap<Incarnation, number>();

  function begin(replica: number): void {
    if (alive.has(replica)) return;
    if (isIn(world, scenario.blackouts)) return time.after(500, () => begin(replica));
    const who = { replica, name: `dispatch.${replica}`, dead: false, frozenUntil: 0 };
    const clock = clockOf(world, who);
    const ports = simulatedPorts(world, who, clock);
    const made = newDispatcher(mutant?.ports?.(ports, world) ?? ports, { ...timing, ...mutant?.timing });
    const entry = { who, dispatcher: mutant?.dispatcher?.(made) ?? made, bornAt: time.now, isStarted: false };
    alive.set(replica, entry);
    void startWhenTimeIsKnown(entry, clock);
  }

  async function startWhenTimeIsKnown(entry: Replica, clock: DatabaseClock): Promise<void> {
    const isKnown = await sampled(clock);
    if (!isKnown) return startWhenTimeIsKnown(entry, clock);
    entry.isStarted = true;
    record.starts.push(time.now);
    entry.dispatcher.start();
    keepTime(entry, clock);
  }

  function keepTime(entry: Replica, clock: DatabaseClock): void {
    time.after(CLOCK_SAMPLE_MS, () => {
      if (!entry.who.dead) void sampled(clock).finally(() => keepTime(entry, clock));
    });
  }

  function crash(who: Incarnation, forMs: number): void {
    if (who.dead) return;
    who.dead = true;
    alive.delete(who.replica);
    diedAt.set(who.replica, time.now);
    time.after(forMs, () => begin(who.replica));
  }

  async function stopInOrder({ who, dispatcher }: Replica, forMs: number): Promise<void> {
    const from = time.now;
    await dispatcher.stop(DRAIN_MS);
    if (who.dead) return;
    who.dead = true;
    alive.delete(who.replica);
    const left = [...held()].filter(({ state, owner }) => state === "sending" && owner === who.name);
    record.drains.push({ from, until: time.now, left: left.map(({ id }) => id) });
    time.after(forMs, () => begin(who.replica));
  }

  /** Each replica gets one or two copies. Each copy is lost or delayed independently of the others. */
  function broadcast(deliver: (dispatcher: Dispatcher) => void, from?: Incarnation): void {
    for (const { dispatcher, who, isStarted } of alive.values()) {
      if (who === from) continue;
      const copies = time.chance.happens(0.2) ? 2 : 1;
      for (let copy = 0; copy < copies; copy += 1) {
        if (!isStarted || isIn(world, scenario.busDown) || time.chance.happens(scenario.broadcastLoss)) continue;
        time.after(time.chance.between(1, scenario.broadcastDelayMs), () =>
          network.whenAwake(who, () => deliver(dispatcher)),
        );
      }
    }
  }

  /** How much later than others this process learns of starts and ends. */
  function viewLagOf(viewer: Incarnation): number {
    const lagMs = viewLags.get(viewer) ?? (time.chance.happens(0.5) ? 0 : time.chance.between(0, MAX_VIEW_LAG_MS));
    viewLags.set(viewer, lagMs);
    return lagMs;
  }

  return {
    begin,
    crash,
    crashAll(forMs) {
      for (const { who } of alive.values()) crash(who, forMs);
    },
    drain(replica, forMs) {
      const entry = alive.get(replica);
      if (entry?.isStarted !== true || entry.who.frozenUntil > time.now) return;
      const from = time.now - start;
      record.faults.push({ from, until: from + DRAIN_MS + forMs + timing.leaseMs, isDrain: true });
      void stopInOrder(entry, forMs);
    },
    spread: (hint) => broadcast((dispatcher) => dispatcher.onChangeHint(hint)),
    known(viewer) {
      const lagMs = viewLagOf(viewer);
      const isKnown = (replica: number) => {
        if (replica === viewer.replica) return true;
        const entry = alive.get(replica);
        if (entry !== undefined && time.now - entry.bornAt >= lagMs) return true;
        return time.now - (diedAt.get(replica) ?? -Infinity) < HEARTBEAT_MS + lagMs;
      };
      return Array.from({ length: scenario.replicas }, (_, replica) => replica)
        .filter(isKnown)
        .map((replica) => `dispatch.${replica}`);
    },
    endAll() {
      for (const { who } of alive.values()) who.dead = true;
    },
  };
}

function sampled(clock: DatabaseClock): Promise<boolean> {
  return clock.sample().then(
    () => true,
    () => false,
  );
}
