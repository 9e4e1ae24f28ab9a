import { CHANGE_FEED_OVERLAP_MS } from "../../services/contracts/change-feed.contract.ts";
import type { Ports } from "../../services/dispatch/protocol/ports.ts";
import type { Timing } from "../../services/dispatch/protocol/timing.ts";
import type { Sink } from "../../services/dispatch/sink.ts";
import type { MemoryPostStore } from "./memory-post-store.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The protocol with one of its protections taken out: the oracle must notice. */
export interface Mutant {
  readonly ports?: (ports: Ports, time: VirtualTime) => Ports;
  readonly store?: (store: MemoryPostStore, time: VirtualTime) => MemoryPostStore;
  readonly timing?: Partial<Timing>;
}

function withSink(ports: Ports, change: (sink: Sink) => Partial<Sink>): Ports {
  return { ...ports, sinks: ports.sinks.map((sink) => ({ ...sink, ...change(sink) })) };
}

function silent(): Promise<never> {
  return Promise.reject(new Error("not asked"));
}

export const MUTANTS: Readonly<Record<string, Mutant>> = {
  "hints only: no feed is read": {
    ports: (ports) => ({
      ...ports,
      owners: { ...ports.owners, changesSince: async (_feed, { mark }) => ({ changes: [], mark, more: false }) },
    }),
  },
  "no sweep of the horizon": {
    ports: (ports) => ({ ...ports, store: { ...ports.store, guildsToReplan: async () => [] } }),
  },
  "no take-over of expired leases": {
    ports: (ports) => ({ ...ports, store: { ...ports.store, takeOver: async () => null } }),
  },
  "a claim does not look at the plan's revision, nor at the age of what it rests on": {
    store: (store) => ({
      ...store,
      claim: (claim) => {
        const planRevision = store.posts.get(claim.id)?.planRevision ?? claim.planRevision;
        return store.claim({ ...claim, planRevision, notAfter: Infinity });
      },
    }),
  },
  "no nonce": {
    ports: (ports) =>
      withSink(ports, (sink) => ({
        send: (message, timeoutMs) => sink.send({ ...message, nonce: ports.random.id() }, timeoutMs),
      })),
  },
  "a claim does not look at the age of what it rests on": {
    store: (store) => ({ ...store, claim: (claim) => store.claim({ ...claim, notAfter: Infinity }) }),
  },
  "the truth is not asked for at the due instant": {
    ports: (ports) => ({ ...ports, owners: { ...ports.owners, occurrence: silent, reachable: () => false } }),
  },
  "a clock that runs ahead, and a claim that believes it": {
    ports: (ports) => ({ ...ports, clock: { now: () => ports.clock.now() + 300 } }),
    store: (store) => ({
      ...store,
      claim: (claim) => {
        const row = store.posts.get(claim.id);
        if (row !== undefined) (store.posts as Map<string, typeof row>).set(row.id, { ...row, dueAt: 0 });
        return store.claim(claim).then((claimed) => {
          const now = store.posts.get(claim.id);
          if (row === undefined || now === undefined) return claimed;
          const restored = { ...now, dueAt: row.dueAt };
          (store.posts as Map<string, typeof row>).set(row.id, restored);
          return claimed && restored;
        });
      },
    }),
  },
  "a claim takes a post that is being sent": {
    store: (store) => ({
      ...store,
      claim: (claim) => {
        const row = store.posts.get(claim.id);
        if (row?.state === "sending")
          (store.posts as Map<string, typeof row>).set(row.id, { ...row, state: "planned" });
        return store.claim({ ...claim, fence: row?.fence ?? claim.fence });
      },
    }),
  },
  "a write does not look at the fence": {
    store: (store) => ({
      ...store,
      write: (at, write) => store.write({ ...at, fence: store.posts.get(at.id)?.fence ?? at.fence }, write),
    }),
  },
  "an older plan overwrites a newer one": {
    store: (store) => ({
      ...store,
      async commitPlan(plan) {
        const { version } = await store.guildPlan(plan.guildId);
        return store.commitPlan({ ...plan, version });
      },
    }),
  },
  "the feed is read without an overlap": {
    ports: (ports) => ({
      ...ports,
      owners: {
        ...ports.owners,
        changesSince: (feed, { mark, limit }) => {
          const at = mark.at === 0 ? 0 : mark.at + (mark.id === "" ? CHANGE_FEED_OVERLAP_MS : 0);
          return ports.owners.changesSince(feed, { mark: { ...mark, at }, limit });
        },
      },
    }),
  },
  "a nonce is trusted for ever": { ports: (ports) => withSink(ports, () => ({ nonceWindowMs: Infinity })) },
  "a look-up that always says absent": {
    ports: (ports) =>
      withSink(ports, ({ find }) => (find === undefined ? {} : { find: async () => ({ kind: "absent" }) })),
  },
  "the deadline is not looked at": { timing: { graceMs: 400_000 } },
  "what nobody knows is taken for undelivered": {
    ports: (ports) =>
      withSink(ports, (sink) => ({
        async send(message, timeoutMs) {
          const outcome = await sink.send(message, timeoutMs);
          return outcome.kind === "retry" ? { ...outcome, undelivered: true } : outcome;
        },
      })),
  },
};
