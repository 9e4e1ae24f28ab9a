import type { Owners, Ports } from "../../services/dispatch/protocol/ports.ts";
import type { PostStore } from "../../services/dispatch/protocol/post-store.ts";
import type { SendOutcome, Sink } from "../../services/dispatch/sink.ts";
import type { Record } from "./oracle.ts";
import type { Scenario, Stretch } from "./scenario.ts";
import type { Incarnation, SimulatedNetwork } from "./simulated-network.ts";
import type { SimulatedOwners } from "./simulated-owners.ts";
import type { SimulatedReceiver } from "./simulated-receiver.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** What all replicas of a run share. */
export interface SharedWorld {
  readonly time: VirtualTime;
  readonly start: number;
  readonly scenario: Scenario;
  readonly network: SimulatedNetwork;
  readonly store: PostStore;
  readonly owners: SimulatedOwners;
  readonly receiver: SimulatedReceiver;
  readonly record: Record;
  /** The names of the replicas that the broker takes for living. */
  knownReplicas(): readonly string[];
}

const STORE_ANSWERS_MS = 5_000;
const OWNERS_ANSWER_MS = 1_000;
let ids = 0;

/** The world as one life of one replica sees it. */
export function simulatedPorts(world: SharedWorld, who: Incarnation): Ports {
  const { time, network } = world;
  const lag = time.chance.between(0, 20);
  return {
    clock: { now: () => Math.floor(time.now - lag) },
    timers: {
      after(ms, wake) {
        let cancelled = false;
        // Like the real one, now and then a little early.
        const early = time.chance.happens(0.1) ? 2 : 0;
        time.after(ms - early, () => network.whenAwake(who, () => void (cancelled || wake())));
        return () => {
          cancelled = true;
        };
      },
    },
    random: { fraction: () => time.chance.fraction(), id: () => `attempt ${(ids += 1)}` },
    store: distantStore(world, who),
    owners: distantOwners(world, who),
    replicas: { self: who.name, all: () => world.knownReplicas() },
    sinks: [distantSink(world, who)],
    render: () => Array.from({ length: world.scenario.parts }, () => MESSAGE),
    reports: { settled: () => {}, trouble: () => {} },
  };
}

const MESSAGE = { content: "", embeds: [], allowedMentions: { parse: [], users: [], roles: [] } } as const;

export function isIn(world: Pick<SharedWorld, "time" | "start">, stretches: readonly Stretch[]): boolean {
  const at = world.time.now - world.start;
  return stretches.some(({ from, until }) => at >= from && at < until);
}

function distantStore(world: SharedWorld, who: Incarnation): PostStore {
  const options = { timeoutMs: STORE_ANSWERS_MS, isDown: () => isIn(world, world.scenario.storeDown) };
  const { store, record } = world;
  const watched: PostStore = {
    ...store,
    async write(at, write) {
      const written = await store.write(at, write);
      if (written !== null && written.fence !== at.fence) record.violations.push(`${at.id}: a stale write changed it`);
      return written;
    },
    async commitPlan(plan) {
      const { version } = await store.guildPlan(plan.guildId);
      const stored = await store.commitPlan(plan);
      const isOlder = version !== plan.version && plan.inserts.length + plan.updates.length > 0;
      if (stored && isOlder) record.violations.push("an older plan was stored over a newer one");
      return stored;
    },
  };
  return distant(world, who, watched, () => options);
}

function distantOwners(world: SharedWorld, who: Incarnation): Owners {
  const { busDown, ownersDown } = world.scenario;
  const options = { timeoutMs: OWNERS_ANSWER_MS, isDown: () => isIn(world, busDown) || isIn(world, ownersDown) };
  const { now } = world.owners;
  const watched: SimulatedOwners["now"] = {
    ...now,
    announcements(guildId) {
      world.record.readings.push(world.time.now);
      return now.announcements(guildId);
    },
  };
  return { ...distant(world, who, watched, () => options), reachable: () => !isIn(world, busDown) };
}

/** The same operations with a network between. */
function distant<Operations extends object>(
  { network }: SharedWorld,
  who: Incarnation,
  operations: Operations,
  optionsOf: (name: string) => { readonly timeoutMs: number; readonly isDown: () => boolean },
): Operations {
  const calls = Object.entries(operations).filter(([, operation]) => typeof operation === "function");
  const wrapped = calls.map(([name, operation]) => [
    name,
    (...args: unknown[]) =>
      network.ask(who, name, optionsOf(name), () => (operation as (...args: unknown[]) => Promise<unknown>)(...args)),
  ]);
  return Object.fromEntries(wrapped) as Operations;
}

function distantSink(world: SharedWorld, who: Incarnation): Sink {
  const { time, network, scenario, receiver } = world;
  const isDown = () => isIn(world, scenario.receiverDown);

  async function receive(message: Parameters<Sink["send"]>[0], sentAt: number): Promise<SendOutcome> {
    if (time.chance.happens(scenario.limited)) {
      return { kind: "retry", reason: "429", afterMs: time.chance.between(300, 4_000), undelivered: true };
    }
    if (!time.chance.happens(scenario.broken)) return receiver.accept(message, sentAt);
    if (time.chance.happens(0.5)) receiver.accept(message, sentAt);
    return { kind: "retry", reason: "503", afterMs: 0 };
  }

  const sink: Sink = {
    name: "log",
    async send(message, timeoutMs) {
      const sentAt = time.now;
      try {
        return await network.ask(who, "send", { timeoutMs, isDown }, () => receive(message, sentAt));
      } catch {
        return { kind: "retry", reason: "no answer", afterMs: 0 };
      }
    },
    close: () => Promise.resolve(),
  };
  if (!scenario.canLookUp) return sink;
  return {
    ...sink,
    async find({ channel, nonce }, _triedMsAgo, timeoutMs) {
      try {
        return await network.ask(who, "look up", { timeoutMs, isDown }, async () => receiver.find(channel, nonce));
      } catch {
        return { kind: "unreachable" };
      }
    },
  };
}
