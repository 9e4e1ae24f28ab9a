import { CANCELLED, contentOf } from "./edit-rules.ts";
import type { ChatMessage } from "../../../services/dispatch/domain/message/chat-message.ts";
import { isOpen } from "../../../services/dispatch/domain/post/post.ts";
import type { EpochMs } from "../../../services/contracts/ids.ts";
import type { Owners, Ports } from "../../../services/dispatch/protocol/ports.ts";
import type { DueOrder, PostStore } from "../../../services/dispatch/protocol/post-store.ts";
import { type DatabaseClock, newDatabaseClock } from "../../../mixins/mongo/database-clock.ts";
import { isIn, type SharedWorld } from "./shared-world.ts";
import type { AskOptions, Incarnation } from "./simulated-network.ts";
import type { SimulatedOwners } from "./simulated-owners.ts";
import { simulatedSinks } from "./simulated-sinks.ts";

const STORE_TIMEOUT_MS = 5_000;
export const OWNERS_TIMEOUT_MS = 1_000;
let ids = 0;

/** The database's clock as one process estimates it: the production code, on the process's monotonic clock. */
export function clockOf(world: SharedWorld, who: Incarnation): DatabaseClock {
  const { time, network, databaseNow } = world;
  const bornAt = time.now;
  return newDatabaseClock(
    () => network.ask(who, "sample", storeOptions(world), async () => databaseNow()),
    () => time.now - bornAt,
  );
}

/** The ports of one process of a replica. */
export function simulatedPorts(world: SharedWorld, who: Incarnation, clock: DatabaseClock): Ports {
  const { time, network } = world;
  return {
    clock,
    timers: {
      after(ms, wake) {
        let cancelled = false;
        // A real timer is sometimes slightly early, too.
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
    replicas: { self: who.name, all: () => world.knownReplicas(who) },
    sinks: simulatedSinks(world, who),
    render: (input) => Array.from({ length: world.scenario.parts }, () => messageWith(contentOf(input))),
    renderCancelled: () => messageWith(CANCELLED),
    reports: { planned: () => {}, settled: () => {}, operationFailed: () => {}, waited: () => {} },
  };
}

function messageWith(content: string): ChatMessage {
  return { content, embeds: [{ color: 0, fields: [] }], allowedMentions: { parse: [], users: [], roles: [] } };
}

function storeOptions(world: SharedWorld) {
  return { timeoutMs: STORE_TIMEOUT_MS, isDown: () => isIn(world, world.scenario.storeDown) };
}

function distantStore(world: SharedWorld, who: Incarnation): PostStore {
  const options = storeOptions(world);
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
      const open = (await store.postsForPlan(plan.guildId, Infinity)).filter(isOpen).length;
      if (open > world.maxOpenPosts) record.violations.push(`guild ${plan.guildId} has ${open} open posts`);
      if (stored !== undefined && isOlder) record.violations.push("an older plan was stored over a newer one");
      return stored;
    },
  };
  const pages = {
    dueGuilds: (before: EpochMs, order: DueOrder) => Array.fromAsync(store.guildsToReplan(before, order)),
  };
  const { dueGuilds, ...reached } = distant(world, who, { ...watched, ...pages }, () => options);
  return {
    ...reached,
    async *guildsToReplan(before, order) {
      yield* await dueGuilds(before, order);
    },
  };
}

function distantOwners(world: SharedWorld, who: Incarnation): Owners {
  const { busDown, ownersDown } = world.scenario;
  const options = {
    timeoutMs: OWNERS_TIMEOUT_MS,
    isDown: () => isIn(world, busDown) || isIn(world, ownersDown),
    onLost: () => void world.record.lostReads.push(world.time.now),
  };
  const { now } = world.owners;
  const watched: SimulatedOwners["now"] = {
    ...now,
    announcementRules(guildId, formerAfter) {
      world.record.readings.push({ at: world.time.now, guildId });
      return now.announcementRules(guildId, formerAfter);
    },
  };
  return { ...distant(world, who, watched, () => options), isReachable: () => !isIn(world, busDown) };
}

/** The same operations through the simulated network. */
function distant<Operations extends object>(
  { network }: SharedWorld,
  who: Incarnation,
  operations: Operations,
  optionsOf: (name: string) => AskOptions,
): Operations {
  const calls = Object.entries(operations).filter(([, operation]) => typeof operation === "function");
  const wrapped = calls.map(([name, operation]) => [
    name,
    (...args: unknown[]) =>
      network.ask(who, name, optionsOf(name), () => (operation as (...args: unknown[]) => Promise<unknown>)(...args)),
  ]);
  return Object.fromEntries(wrapped) as Operations;
}
