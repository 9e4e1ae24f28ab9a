import { setTimeout as pause } from "node:timers/promises";
import { type Cluster, type ReplicaName, REPLICAS } from "./cluster.ts";
import type { Load, LoadShape } from "./load.ts";

/** One row of the table: posts that come due while something is broken. */
export interface Fault {
  readonly name: string;
  readonly shape: LoadShape;
  /** How long before the first due instant all is planned; a few seconds when absent. */
  readonly leadMs?: number;
  /** Whether no replica hears a broadcast. */
  readonly isDeaf?: boolean;
  /** Whether a receiver that knows no nonce must see doubles: the run that shows what the nonce is for. */
  readonly needsNonce?: boolean;
  /** Breaks it, mends it, and tells how many times. */
  readonly inject: (cluster: Cluster, load: Load) => Promise<number>;
}

const SOME: LoadShape = { guilds: 4, announcements: 5, events: 5, spreadMs: 10_000 };

async function untilInstant(at: number): Promise<void> {
  await pause(Math.max(0, at - Date.now()));
}

/** Kills one replica after the other, each raised again before the next. */
async function killInTurn(cluster: Cluster, load: Load, everyMs: number): Promise<number> {
  let times = 0;
  await untilInstant(load.firstDueAt);
  while (Date.now() < load.lastDueAt) {
    const next = Date.now() + everyMs * (0.5 + Math.random());
    const name = REPLICAS[times % 2] as ReplicaName;
    await cluster.kill(name);
    await cluster.raise(name);
    times += 1;
    await untilInstant(next);
  }
  return times;
}

/** Kills whoever is sending while the receiver keeps it waiting for its answer. */
async function killSender(cluster: Cluster, accepted: boolean, times: number): Promise<number> {
  for (let at = 0; at < times; at += 1) {
    cluster.chat.script({ kind: "silence", accepted });
    const name = await cluster.sender();
    await cluster.kill(name);
    await cluster.raise(name);
  }
  return times;
}

async function freezeSender(cluster: Cluster, ms: number): Promise<number> {
  cluster.chat.script({ kind: "slow", ms: 1_500 });
  const name = await cluster.sender();
  cluster.freeze(name, true);
  await pause(ms);
  cluster.freeze(name, false);
  return 1;
}

async function withoutNats(cluster: Cluster, ms: number): Promise<number> {
  await cluster.killNats();
  await pause(ms);
  await cluster.raiseNats();
  return 1;
}

async function allDown(cluster: Cluster, load: Load): Promise<number> {
  await Promise.all(REPLICAS.map((name) => cluster.kill(name)));
  await untilInstant(load.lastDueAt);
  await Promise.all(REPLICAS.map((name) => cluster.raise(name)));
  return 1;
}

/** Everything that a receiver may do wrong with one request, one after the other. */
function receiverInTrouble({ chat }: Cluster): number {
  const rounds = 3;
  for (let round = 0; round < rounds; round += 1) {
    chat.script({ kind: "answer", answer: { status: 500, body: {} } });
    chat.script({
      kind: "answer",
      answer: { status: 429, body: { retry_after: 0.3, global: false, message: "slow" } },
    });
    chat.script({ kind: "reset", accepted: true });
    chat.script({ kind: "reset", accepted: false });
    chat.script({ kind: "garbage", accepted: true });
    chat.script({ kind: "silence", accepted: true });
    chat.script({ kind: "slow", ms: 2_000 });
  }
  return rounds * 7;
}

/** So far apart the posts of two events are no burst, whose own lateness would hide that of the edits. */
const APART_MS = 100;

/** Moves every event to five seconds from now: who hears no broadcast must have read it by then. */
async function moveAllNear(load: Load): Promise<number> {
  for (const event of load.events) {
    await load.move(event, Date.now() + 5_000);
    await pause(APART_MS);
  }
  return load.events.length;
}

/** Moves each event away at a random instant of the last three seconds before it is due. */
async function moveAtTheLastMoment(load: Load): Promise<number> {
  await Promise.all(
    load.events.map(async (event) => {
      const { dueAt } = event;
      await untilInstant(dueAt - Math.random() * 3_000);
      await load.move(event, dueAt + 5_000);
    }),
  );
  return load.events.length;
}

/** The faults that CI meets at every change: the sharpest of them, and short. */
export const SHORT: readonly Fault[] = [
  {
    name: "kill -9 of a replica at random instants",
    shape: { guilds: 5, announcements: 5, events: 8, spreadMs: 8_000 },
    inject: (cluster, load) => killInTurn(cluster, load, 2_500),
  },
  {
    name: "kill -9 after the send, before the settle",
    shape: { ...SOME, spreadMs: 3_000 },
    inject: (cluster) => killSender(cluster, true, 1),
  },
];

/** The whole table. */
export const FAULTS: readonly Fault[] = [
  {
    name: "2000 posts in a minute, a replica killed every 5 s",
    shape: { guilds: 10, announcements: 10, events: 20, spreadMs: 60_000 },
    inject: (cluster, load) => killInTurn(cluster, load, 5_000),
  },
  {
    name: "kill -9 after the claim, before the send",
    shape: SOME,
    inject: (cluster) => killSender(cluster, false, 3),
  },
  {
    name: "kill -9 after the send, before the settle",
    shape: SOME,
    needsNonce: true,
    inject: (cluster) => killSender(cluster, true, 3),
  },
  {
    name: "SIGSTOP for 10 s while sending",
    shape: SOME,
    needsNonce: true,
    inject: (cluster) => freezeSender(cluster, 10_000),
  },
  { name: "SIGSTOP for 60 s while sending", shape: SOME, inject: (cluster) => freezeSender(cluster, 60_000) },
  { name: "all replicas down while everything comes due", shape: SOME, inject: allDown },
  {
    name: "every broadcast dropped, events moved to 5 s from now",
    shape: SOME,
    leadMs: 600_000,
    isDeaf: true,
    inject: (_cluster, load) => moveAllNear(load),
  },
  {
    name: "events moved 0 to 3 s before they are due",
    shape: SOME,
    inject: (_cluster, load) => moveAtTheLastMoment(load),
  },
  { name: "nats-server kill -9, gone for 2 s", shape: SOME, inject: (cluster) => withoutNats(cluster, 2_000) },
  {
    name: "nats-server kill -9, gone for 30 s",
    shape: { ...SOME, spreadMs: 35_000 },
    inject: (cluster) => withoutNats(cluster, 30_000),
  },
  {
    name: "receiver: 500, 429, reset, garbage, no answer, slow",
    shape: SOME,
    needsNonce: true,
    inject: async (cluster) => receiverInTrouble(cluster),
  },
];
