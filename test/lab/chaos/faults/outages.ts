import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../../real-parts/until.ts";
import type { Cluster } from "../cluster.ts";
import type { Load } from "../load.ts";
import { type Fault, type FinishedRun, type Injected, SOME, untilInstant, without } from "./fault.ts";

/** An edit is seen within so long after the bus is back. */
const SEEN_MS = 5_000;
/** A question that was under way when the bus went waits for its time-out of a second. */
const QUESTION_MS = 1_300;
/** What comes due is not held up longer by what is late. */
const HELD_UP_MS = 2_000;
/** The guards by which dispatch outlives a database error: each of them alone is not missed. */
const DATABASE_ERRORS = [
  "a write to the ledger is tried again after a database error",
  "work that is repeated goes on after a database error",
  "a post that met a database error is looked for again",
  "the driver waits for another primary",
];

/** Takes the bus away for a while; then what is not due yet is moved to the nearest instant that must be met. */
async function withoutNats(cluster: Cluster, load: Load, ms: number): Promise<Injected> {
  await untilInstant(load.firstDueAt);
  await cluster.killNats();
  await pause(ms);
  await cluster.raiseNats();
  const later = load.events.filter(({ dueAt }) => dueAt > Date.now() + 2 * SEEN_MS);
  for (const event of later) {
    const moved = () =>
      load.move(event, Date.now() + SEEN_MS).then(
        () => true,
        () => false,
      );
    await until(moved, "an edit after the outage");
  }
  return { times: 1, latestMs: QUESTION_MS };
}

/** The bus is gone so long, and comes back before the last posts are due. */
function busGone(name: string, ms: number): Fault {
  return {
    name: `nats-server kill -9, gone for ${name}`,
    shape: { guilds: 4, announcements: 5, events: 10, spreadMs: ms + 30_000 },
    isAlone: ms < 10_000,
    inject: (cluster, load) => withoutNats(cluster, load, ms),
    control: without("the plan stands while the bus is down"),
  };
}

const DOWN_MS = 300_000;
const GRACE_MINUTES = 3;
const GRACE_MS = GRACE_MINUTES * 60_000;
/** How long it takes to send what an outage has left. */
const CATCHING_UP_MS = 60_000;
/** A change is read, planned and marked as read within so long. */
const MARKED_MS = 6_000;
const raisedAt = new WeakMap<Cluster, number>();

async function allDown(cluster: Cluster, load: Load): Promise<Injected> {
  const { replicas, names } = cluster;
  // Replicas that come back read the feeds again from ten seconds before the last change on, and plan what they read anew:
  // what is overdue is to be found by looking for it.
  await untilInstant(load.firstDueAt - MARKED_MS);
  await load.changeElsewhere();
  await untilInstant(load.firstDueAt - 500);
  await Promise.all(names.map((name) => replicas.kill(name)));
  await untilInstant(load.firstDueAt + DOWN_MS);
  await Promise.all(names.map((name) => replicas.raise(name)));
  raisedAt.set(cluster, Date.now());
  return { times: 1, latestMs: GRACE_MS + 1_000 };
}

/** What is missed must have been past its deadline; what came due after the outage is not held up by what is late. */
function lateByTheRule({ cluster, expected, told, seen }: FinishedRun): string[] {
  const back = raisedAt.get(cluster) ?? 0;
  const dueAt = new Map(expected.map((post) => [`${post.channel} ${post.title}`, post.dueAt]));
  const dueOf = new Map(expected.map((post) => [`${post.channel} ${post.eventId}`, post.dueAt]));
  const tooSoon = told.filter(
    ({ state, channel, eventId }) =>
      state !== "sent" && (dueOf.get(`${channel} ${eventId}`) ?? 0) + GRACE_MS > back + CATCHING_UP_MS,
  );
  const heldUp = seen.filter(({ channel, title, receivedAt }) => {
    const due = dueAt.get(`${channel} ${title}`) ?? 0;
    return due > back + SEEN_MS && receivedAt > due + HELD_UP_MS;
  });
  return [
    ...(tooSoon.length === 0 ? [] : [`${tooSoon.length} were given up within their time`]),
    ...(heldUp.length === 0 ? [] : [`${heldUp.length} that came due afterwards were held up`]),
  ];
}

/** Posts while the database changes its primary. */
const ELECTED = { guilds: 4, announcements: 5, events: 20, spreadMs: 40_000 };
const AFTER_ELECTION_MS = 2_000;
const PAUSE_MS = 4_000;
/** So far apart what one election has held up is over before the next. */
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
  await set?.raise(killed as string);
  return { times: 1, latestMs: electionMs + AFTER_ELECTION_MS };
}

const LOST_CLAIMS = 5;

/** The answers to some claims are lost after they were applied. */
async function loseAnswers({ database: { proxy } }: Cluster, load: Load): Promise<Injected> {
  await untilInstant(load.firstDueAt);
  proxy?.lose((command) => isStep(command, "planned", "sending"), LOST_CLAIMS);
  await until(() => proxy?.lost === LOST_CLAIMS, "lost answers to claims", 30_000);
  return { times: LOST_CLAIMS, latestMs: 3_000 };
}

/** Whether steps of posts from one state to another are among what it writes. */
function isStep(command: Readonly<Record<string, unknown>>, from: string, to: string): boolean {
  const { update, updates = [] } = command as {
    update?: unknown;
    updates?: readonly { readonly q: { readonly state?: unknown }; readonly u: object }[];
  };
  const isMeant = ({ q, u }: (typeof updates)[number]) =>
    q.state === from && JSON.stringify(u).includes(`"state":"${to}"`);
  return update === "posts" && updates.some(isMeant);
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
    control: without("what is long overdue is looked for"),
  },
  {
    name: "MongoDB: the primary steps down",
    shape: ELECTED,
    setup: { database: "set" },
    isAlone: true,
    inject: stepDown,
    control: "the next primary is there in a tenth of a second, too soon to show what kill -9 of the primary shows",
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
    name: "claims are applied, their answers lost",
    shape: SOME,
    setup: { database: "behind a proxy" },
    isAlone: true,
    inject: loseAnswers,
    control: without("a claim in doubt is resolved by its attempt id"),
  },
];
