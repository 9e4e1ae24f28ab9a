import { STANDARD_TIMING } from "../../../../services/dispatch/protocol/timing.ts";
import { until } from "../../../harness/until.ts";
import type { Cluster } from "../cluster.ts";
import type { Load } from "../load.ts";
import type { ReplicaName } from "../replicas.ts";
import { type Fault, type FinishedRun, type Injected, SOME, untilInstant, without, WITHOUT_NONCES } from "./fault.ts";

/** Kills the replicas in turn; each is started again before the next is killed. */
async function killInTurn({ replicas, names, chat }: Cluster, load: Load, everyMs: number): Promise<Injected> {
  // Slow responses, so that some posts are always in flight.
  chat.script({ kind: "slow", ms: 100 }, load.expected.length);
  let times = 0;
  await untilInstant(load.firstDueAt);
  while (Date.now() < load.lastDueAt) {
    const next = Date.now() + everyMs * (0.5 + Math.random());
    const name = names[times % names.length] as ReplicaName;
    await replicas.kill(name);
    await replicas.start(name);
    times += 1;
    await untilInstant(next);
  }
  return { times };
}

const BEFORE_MS = 50;
const EVERY = 3;

/** Kills a replica just before some of the due instants, so that another replica must claim its posts. */
async function killBeforeTheClaim({ replicas, names }: Cluster, load: Load): Promise<Injected> {
  const instants = load.events.map(({ dueAt }) => dueAt).sort((one, other) => one - other);
  const chosen = instants.filter((_, at) => at % EVERY === 0);
  for (const [at, dueAt] of chosen.entries()) {
    const name = names[at % names.length] as ReplicaName;
    await untilInstant(dueAt - BEFORE_MS);
    await replicas.kill(name);
    await replicas.start(name);
  }
  return { times: chosen.length, latestMs: 1_000 };
}

/** Time before the last due instant until which there are posts to send. */
const REACHED_MS = 2_000;

/** Kills the replica that waits for the response to a post, while there are posts to send. */
async function killSender(cluster: Cluster, load: Load, accepted: boolean, maxTimes: number): Promise<Injected> {
  const { replicas, chat, sender } = cluster;
  await untilInstant(load.firstDueAt);
  let times = 0;
  do {
    chat.script({ kind: "silence", accepted });
    const name = await sender();
    await replicas.kill(name);
    await replicas.start(name);
    times += 1;
    // Another replica takes the post over when the lease has ended: two crashes with one post would quarantine it.
    if (times < maxTimes) await untilInstant(Date.now() + STANDARD_TIMING.leaseMs);
  } while (times < maxTimes && Date.now() < load.lastDueAt - REACHED_MS);
  return { times, latestMs: 8_000 };
}

const CRASHES = 2;

/** Waits until one post has crashed two workers. */
async function poisoned({ replicas }: Cluster, load: Load): Promise<Injected> {
  await untilInstant(load.firstDueAt);
  await until(() => replicas.crashes >= CRASHES, "two crashes", 60_000, 100);
  return { times: CRASHES };
}

function quarantined({ cluster, expected, outcomes }: FinishedRun): string[] {
  const poison = expected.find(({ title }) => title.endsWith("/0"));
  const { state, reason } = outcomes.find(({ eventId }) => eventId === poison?.eventId) ?? {};
  const others = outcomes.filter((outcome) => outcome.eventId !== poison?.eventId && outcome.state !== "sent");
  return [
    ...(state === "failed" && reason?.startsWith("poison") === true ? [] : [`poison is ${state}: ${reason}`]),
    ...(cluster.replicas.crashes === CRASHES ? [] : [`${cluster.replicas.crashes} workers crashed`]),
    ...(others.length === 0 ? [] : [`${others.length} others were not sent`]),
  ];
}

const TAKEN_OVER = without("a post of a crashed worker is taken over");

/** The faults that run with the test suite: short ones that break most mistakes. */
export const SHORT: readonly Fault[] = [
  {
    name: "kill -9 of a replica at random instants",
    shape: { guilds: 5, announcements: 5, events: 8, spreadMs: 8_000 },
    patienceMs: 100_000,
    inject: (cluster, load) => killInTurn(cluster, load, 2_500),
    control: TAKEN_OVER,
  },
  {
    name: "kill -9 after the send, before the settle",
    shape: { ...SOME, spreadMs: 3_000 },
    patienceMs: 100_000,
    inject: (cluster, load) => killSender(cluster, load, true, 1),
    control: WITHOUT_NONCES,
  },
];

export const KILLS: readonly Fault[] = [
  {
    name: "2000 posts in a minute, a replica killed every 5 s",
    shape: { guilds: 10, announcements: 10, events: 20, spreadMs: 60_000 },
    inject: (cluster, load) => killInTurn(cluster, load, 5_000),
    control: TAKEN_OVER,
  },
  {
    name: "kill -9 before the claim",
    shape: { guilds: 4, announcements: 5, events: 6, spreadMs: 48_000 },
    isAlone: true,
    inject: killBeforeTheClaim,
    control: { name: "another replica", setup: { replicas: ["one"] } },
  },
  {
    name: "kill -9 after the claim, before the send",
    shape: { ...SOME, spreadMs: 20_000 },
    inject: (cluster, load) => killSender(cluster, load, false, 3),
    control: TAKEN_OVER,
  },
  {
    name: "kill -9 after the send, before the settle",
    shape: { ...SOME, spreadMs: 20_000 },
    inject: (cluster, load) => killSender(cluster, load, true, 3),
    control: WITHOUT_NONCES,
  },
  {
    name: "a poison document that crashes its worker",
    shape: { guilds: 10, announcements: 1, events: 10, spreadMs: 30_000 },
    setup: { breaks: ["crash-on-poison-post"], isRestarted: true },
    patienceMs: 100_000,
    mayEndUnsent: true,
    inject: poisoned,
    check: quarantined,
    control: without("a post that crashed two workers is quarantined"),
  },
];
