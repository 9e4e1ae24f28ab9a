import {
  CHANGE_FEED_OVERLAP_MS,
  type Change,
  GUILD_PARTITIONS,
} from "../../../services/contracts/change-feed.contract.ts";
import { LAST_EPOCH_MS } from "../../../services/contracts/ids.ts";
import type { AnnouncementRule } from "../../../services/contracts/announcements.contract.ts";
import type { Occurrence } from "../../../services/contracts/occurrences.contract.ts";
import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import { type Mutant, withSink } from "./mutant.ts";
import { HOLIDAY_MUTANTS } from "./holiday-mutants.ts";
import { DIGEST_MUTANTS } from "./digest-mutants.ts";
import { CLEAN_UP_MUTANTS } from "./clean-up-mutants.ts";
import { EDIT_MUTANTS } from "./edit-mutants.ts";
import { OFFSET_MUTANTS } from "./offset-mutants.ts";
import { PAUSE_MUTANTS } from "./pause-mutants.ts";
import { HALTED } from "./simulated-sinks.ts";
import { NOISY_GUILD } from "./simulated-edits.ts";
import type { Ports } from "../../../services/dispatch/protocol/ports.ts";
import type { Incarnation } from "./simulated-network.ts";

function unreachable(): Promise<never> {
  return Promise.reject(new Error("unreachable"));
}

function withoutRevision<Rule extends AnnouncementRule>(announcement: Rule): Rule {
  return { ...announcement, revision: 1 };
}

function ofOneGuild(post: Post): Post {
  return { ...post, guildId: NOISY_GUILD };
}

function startingLate(change: Change): Change {
  return change.startsAt === undefined ? change : { ...change, startsAt: LAST_EPOCH_MS };
}

const PARTITIONS = Array.from({ length: GUILD_PARTITIONS }, (_, partition) => partition);
const VANISHED: Incarnation = { replica: -1, name: "dispatch.vanished", dead: true, frozenUntil: 0 };

/** The other replicas do not know yet that one has vanished. */
export function withVanishedReplica(ports: Ports): Ports {
  const { replicas } = ports;
  return { ...ports, replicas: { ...replicas, all: () => [...replicas.all(), VANISHED.name] } };
}

export const MUTANTS: Readonly<Record<string, Mutant>> = {
  "broadcasts only: no feed is read": {
    ports: (ports) => ({
      ...ports,
      owners: { ...ports.owners, changesSince: async (_feed, { mark }) => ({ changes: [], mark, more: false }) },
    }),
  },
  "no plan for a new event, wherever it starts": {
    ports: (ports) => ({
      ...ports,
      owners: {
        ...ports.owners,
        async changesSince(...asked) {
          const result = await ports.owners.changesSince(...asked);
          return { ...result, changes: result.changes.map(startingLate) };
        },
      },
    }),
    dispatcher: (dispatcher) => ({
      ...dispatcher,
      onChangeHint: (hint) =>
        dispatcher.onChangeHint(hint.startsAt === undefined ? hint : { ...hint, startsAt: LAST_EPOCH_MS }),
    }),
  },
  "only the first replica of a guild plans it, and one is listed that does not run": {
    ports: withVanishedReplica,
    timing: { planTakeoverMs: 1_000_000_000 },
  },
  "a change counts as planned before its plan is stored, and the replica vanishes": {
    ports: (ports) => ({
      ...withVanishedReplica(ports),
      owners: {
        ...ports.owners,
        async changesSince(feed, params) {
          const read = params.partitions ?? PARTITIONS;
          const others = PARTITIONS.filter((partition) => !read.includes(partition));
          const planned = { mark: { at: ports.clock.now(), id: "" }, confirmedAt: 0 };
          const marks = new Map(others.map((partition) => [partition, planned]));
          await ports.store.savePartitionMarks(feed, marks, VANISHED.name);
          return ports.owners.changesSince(feed, params);
        },
      },
    }),
  },
  "no sweep of the horizon": {
    ports: (ports) => ({ ...ports, store: { ...ports.store, async *guildsToReplan() {} } }),
  },
  "no take-over of expired leases": {
    ports: (ports) => ({ ...ports, store: { ...ports.store, takeOver: async () => null } }),
  },
  "a claim ignores the plan revision": {
    store: (store) => ({
      ...store,
      claim: (claim) => {
        const { post } = claim;
        const planRevision = store.posts.get(post.id)?.planRevision ?? post.planRevision;
        return store.claim({ ...claim, post: { ...post, planRevision } });
      },
    }),
  },
  "no nonce": {
    ports: (ports) =>
      withSink(ports, (sink) => ({
        send: (message, timeoutMs) => sink.send({ ...message, nonce: ports.random.id() }, timeoutMs),
      })),
  },
  "a claim ignores the age of the current state": {
    store: (store) => ({ ...store, claim: (claim) => store.claim({ ...claim, notAfter: Infinity }) }),
  },
  "the current state is not read at the due instant": {
    ports: (ports) => ({ ...ports, owners: { ...ports.owners, occurrence: unreachable, isReachable: () => false } }),
  },
  "the clock of a process and of its claims is ahead": {
    ports: (ports) => ({ ...ports, clock: { now: () => ports.clock.now() + 300 } }),
    storeAheadMs: 300,
  },
  "a claim takes a post that is being sent": {
    store: (store) => ({
      ...store,
      claim: (claim) => {
        const { post } = claim;
        const row = store.posts.get(post.id);
        if (row?.state === "sending")
          (store.posts as Map<string, typeof row>).set(row.id, { ...row, state: "planned" });
        return store.claim({ ...claim, post: { ...post, fence: row?.fence ?? post.fence } });
      },
    }),
  },
  "a write ignores the fence": {
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
        changesSince: (feed, { mark, ...others }) => {
          const at = mark.at === 0 ? 0 : mark.at + (mark.id === "" ? CHANGE_FEED_OVERLAP_MS : 0);
          return ports.owners.changesSince(feed, { mark: { ...mark, at }, ...others });
        },
      },
    }),
  },
  "a nonce is trusted without a time limit": { ports: (ports) => withSink(ports, () => ({ nonceWindowMs: Infinity })) },
  "a lookup always returns absent": {
    ports: (ports) =>
      withSink(ports, ({ find }) => (find === undefined ? {} : { find: async () => ({ kind: "absent" }) })),
  },
  "the deadline is ignored": {
    timing: { graceMs: 400_000 },
    ports: (ports) => {
      const endless = (occurrence: Occurrence) => ({ ...occurrence, endsAt: occurrence.endsAt + 600_000 });
      const { owners } = ports;
      return {
        ...ports,
        owners: {
          ...owners,
          occurrences: async (params) => {
            const { occurrences, truncated } = await owners.occurrences(params);
            return { occurrences: occurrences.map(endless), truncated };
          },
          occurrence: async (guildId, id) => {
            const occurrence = await owners.occurrence(guildId, id);
            return occurrence && endless(occurrence);
          },
        },
      };
    },
  },
  "an unknown outcome counts as undelivered": {
    ports: (ports) =>
      withSink(ports, (sink) => ({
        async send(message, timeoutMs) {
          const outcome = await sink.send(message, timeoutMs);
          return outcome.kind === "retry" ? { ...outcome, undelivered: true } : outcome;
        },
      })),
  },
  "a process uses its wall clock": {
    ports: (ports, { wallNow }) => ({ ...ports, clock: { now: wallNow } }),
  },
  "a graceful stop does not wait": {
    dispatcher: (dispatcher) => ({ ...dispatcher, stop: () => dispatcher.stop(0) }),
  },
  "a refusal that only an operator can resolve fails the post": {
    ports: (ports) =>
      withSink(ports, (sink) => ({
        async send(message, timeoutMs) {
          const outcome = await sink.send(message, timeoutMs);
          return outcome.kind === "halted" ? { kind: "rejected", scope: "payload", reason: HALTED } : outcome;
        },
      })),
  },
  "a circuit does not stay open": { timing: { circuitOpenMs: 0 } },
  "a permanent refusal of a channel suspends nothing": {
    store: (store) => ({ ...store, write: (at, write) => store.write(at, { ...write, suspends: undefined }) }),
  },
  "an update does not lift a suspension": {
    ports: (ports) => ({
      ...ports,
      owners: {
        ...ports.owners,
        announcementRules: async (guildId, formerAfter) =>
          (await ports.owners.announcementRules(guildId, formerAfter)).map(withoutRevision),
        announcement: async (guildId, id) => {
          const one = await ports.owners.announcement(guildId, id);
          return one && withoutRevision(one);
        },
      },
    }),
  },
  "a refusal counts as certain after a lost response": {
    store: (store) => ({
      ...store,
      write: (at, write) => {
        const isRefused = write.state === "sending" && / after an attempt /.test(write.reason ?? "");
        const failed = { ...write, state: "failed", settledAt: write.wakeAt, doubtSince: undefined } as const;
        return store.write(at, isRefused ? failed : write);
      },
    }),
  },
  "a late post has no reason of its delay": {
    store: (store) => ({
      ...store,
      write: (at, write) => store.write(at, write.state === "sent" ? { ...write, reason: undefined } : write),
    }),
  },
  "all guilds share one queue": {
    ports: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        postsWaking: async (...page) =>
          (await ports.store.postsWaking(...page)).map(ofOneGuild).sort((one, other) => (one.id < other.id ? 1 : -1)),
      },
    }),
  },
  "the open posts of a guild are not limited": { timing: { maxOpenPosts: 1_000 } },
  "a post waits for the receiver's rate limit inside the sink": {
    ports: (ports) => withSink(ports, () => ({ requestsPerSecond: () => Infinity })),
  },
  ...OFFSET_MUTANTS,
  ...PAUSE_MUTANTS,
  ...HOLIDAY_MUTANTS,
  ...DIGEST_MUTANTS,
  ...EDIT_MUTANTS,
  ...CLEAN_UP_MUTANTS,
  "posts that were cancelled before their plan are not read": {
    ports: (ports) => ({
      ...ports,
      owners: {
        ...ports.owners,
        announcementRules: (guildId) => ports.owners.announcementRules(guildId, Infinity),
        occurrences: (params) => ports.owners.occurrences({ ...params, formerAfter: Infinity }),
      },
    }),
  },
};
