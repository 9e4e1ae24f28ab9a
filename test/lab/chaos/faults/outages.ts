import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../../harness/until.ts";
import type { Cluster } from "../cluster.ts";
import type { Load } from "../load.ts";
import { type Fault, type FinishedRun, type Injected, SOME, untilInstant, without } from "./fault.ts";

/** Time within which an edit is effective after the bus is back. */
const SEEN_MS = 5_000;
/** A call that was in flight when the bus went down waits for its timeout of a second. */
const CALL_MS = 1_300;
/** Maximum delay of posts behind late ones. */
const HELD_UP_MS = 2_000;
/** The guards with which dispatch survives a database error. One of them may be removed without an effect. */
const DATABASE_ERRORS = [
  "a write to the ledger is retried after a database error",
  "periodic work continues after a database error",
  "a post is read again after a database error",
  "the driver waits for a new primary",
];

/** Stops the bus for a while; then moves the events ahead to the nearest instant at which posts must be punctual. */
async function withoutNats(cluster: Cluster, load: Load, ms: number): Promise<Injected> {
  await untilInstant(load.firstDueAt);
  await cluster.killNats();
  await pause(ms);
  await cluster.restartNats();
  const later = load.events.filter(({ dueAt }) => dueAt > Date.now() + 2 * SEEN_MS);
  for (const event of later) {
    const moved = () =>
      load.move(event, Date.now() + SEEN_MS).then(
        () => true,
        () => false,
      );
    await until(moved, "an edit after the outage");
  }
  return { times: 1, latestMs: CALL_MS };
}

/** The bus is down for this time, and is back before the last posts are due. */
function busGone(name: string, ms: number): Fault {
  return {
    name: `nats-server kill -9, gone for ${name}`,
    shape: { guilds: 4, announcements: 5, events: 10, spreadMs: ms + 30_000 },
    isAlone: ms < 10_000,
    inject: (cluster, load) => withoutNats(cluster, load, ms),
    control: without("posts are sent as planned while the bus is down"),
  };
}

const DOWN_MS = 300_000;
const GRACE_MINUTES = 3;
const GRACE_MS = GRACE_MINUTES * 60_000;
/** Time for sending the posts that came due during an outage. */
const CATCHING_UP_MS = 60_000;
/** Time within which a change is read and planned, and the mark of the feed is stored. */
const MARKED_MS = 6_000;
const restartedAt = new WeakMap<Cluster, number>();

async function allDown(cluster: Cluster, load: Load): Promise<Injected> {
  const { replicas, names } = cluster;
  // Replicas that start again read the last ten seconds of the feeds, and plan the guilds in them. The change elsewhere
  // makes them read no guild of the load, so that overdue posts are found only by polling.
  await untilInstant(load.firstDueAt - MARKED_MS);
  await load.changeElsewhere();
  await untilInstant(load.firstDueAt - 500);
  await Promise.all(names.map((name) => replicas.kill(name)));
  await untilInstant(load.firstDueAt + DOWN_MS);
  await Promise.all(names.map((name) => replicas.start(name)));
  restartedAt.set(cluster, Date.now());
  return { times: 1, latestMs: GRACE_MS + 1_000 };
}

/** A missed post must be past its deadline, and a post that came due after the outage must not wait behind late ones. */
function lateByTheRule({ cluster, expected, outcomes, seen }: FinishedRun): string[] {
  const back = restartedAt.get(cluster) ?? 0;
  const dueAt = new Map(expected.map((post) => [`${post.channel} ${post.title}`, post.dueAt]));
  const dueOf = new Map(expected.map((post) => [`${post.channel} ${post.eventId}`, post.dueAt]));
  const tooSoon = outcomes.filter(
    ({ state, channel, eventId }) =>
      state !== "sent" && (dueOf.get(`${channel} ${eventId}`) ?? 0) + GRACE_MS > back + CATCHING_UP_MS,
  );
  const heldUp = seen.filter(({ channel, title, receivedAt }) => {
    const due = dueAt.get(`${channel} ${title}`) ?? 0;
    return due > back + SEEN_MS && receivedAt > due + HELD_UP_MS;
  });
  return [
    ...(tooSoon.length === 0 ? [] : [`${tooSoon.length} were given up before their deadline`]),
    ...(heldUp.length === 0 ? [] : [`${heldUp.length} that came due afterwards were held up`]),
  ];
}

/** Posts during an election of the database. */
const ELECTED = { guilds: 4, announcements: 5, events: 20, spreadMs: 40_000 };
const AFTER_ELECTION_MS = 2_000;
const PAUSE_MS = 4_000;
/** Interval of elections: the posts that one has delayed are sent before the next. */
const APART_MS = 15_000;

async function stepDown({ database: { set }, chat }: Cluster, load: Load): Promise<Injected> {
  chat.script({ kind: "slow", ms: 300 }, load.expected.length);
  await untilInstant(load.firstDueAt + PAUSE_MS);
  let longestMs = 0;
  const times = 2;
  for (let at = 0; at < times; at += 1) {
    const beganAt = performance.now();
    await set?.stepDown();
    longestMs = Math.max(longestMs, performance.now() - beganAt);
    await pause(APART_MS);
  }
  return { times, latestMs: longestMs + AFTER_ELECTION_MS };
}

async function killPrimary({ database: { set }, chat }: Cluster, load: Load): Promise<Injected> {
  chat.script({ kind: "slow", ms: 300 }, load.expected.length);
  await untilInstant(load.firstDueAt + PAUSE_MS);
  const beganAt = performance.now();
  const killed = await set?.killPrimary();
  await set?.primary();
  const electionMs = performance.now() - beganAt;
  await pause(PAUSE_MS);
  await set?.restart(killed as string);
  return { times: 1, latestMs: electionMs + AFTER_ELECTION_MS };
}

const LOST_CLAIMS = 5;

/** Loses the database's responses to some claims that were applied. */
async function loseResponses({ database: { proxy } }: Cluster, load: Load): Promise<Injected> {
  await untilInstant(load.firstDueAt);
  proxy?.lose((command) => isStep(command, "planned", "sending"), LOST_CLAIMS);
  await until(() => proxy?.lost === LOST_CLAIMS, "lost responses to claims", 30_000);
  return { times: LOST_CLAIMS, latestMs: 3_000 };
}

/** Whether the command changes posts from one state to the other. */
function isStep(command: Readonly<Record<string, unknown>>, from: string, to: string): boolean {
  const { update, updates = [] } = command as {
    update?: unknown;
    updates?: readonly { readonly q: { readonly state?: unknown }; readonly u: object }[];
  };
  const isStepOf = ({ q, u }: (typeof updates)[number]) =>
    q.state === from && JSON.stringify(u).includes(`"state":"${to}"`);
  return update === "posts" && updates.some(isStepOf);
}

export const OUTAGES: readonly Fault[] = [
  busGone("2 s", 2_000),
  busGone("30 s", 30_000),
  busGone("5 min", 300_000),
  {
    name: "all replicas down for 5 min, 10000 due meanwhile",
    shape: { guilds: 20, announcements: 11, events: 50, spreadMs: 330_000 },
    setup: { graceMinutes: GRACE_MINUTES },
    patienceMs: 100_000,
    mayEndUnsent: true,
    inject: allDown,
    check: lateByTheRule,
    control: without("posts that are long overdue are polled"),
  },
  {
    name: "MongoDB: the primary steps down",
    shape: ELECTED,
    setup: { database: "set" },
    isAlone: true,
    inject: stepDown,
    control:
      "the next primary is elected in a tenth of a second, too soon to show a missing guard; see kill -9 of the primary",
  },
  {
    name: "MongoDB: kill -9 of the primary",
    shape: ELECTED,
    setup: { database: "set" },
    isAlone: true,
    inject: killPrimary,
    control: without(...DATABASE_ERRORS),
  },
  {
    name: "claims are applied, their responses lost",
    shape: SOME,
    setup: { database: "behind a proxy" },
    isAlone: true,
    inject: loseResponses,
    control: without("a claim in doubt is resolved by its attempt id"),
  },
];
