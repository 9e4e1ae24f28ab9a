import { setTimeout as pause } from "node:timers/promises";
import type { Cluster } from "../cluster.ts";
import type { Load } from "../load.ts";
import { type Fault, type Injected, SOME, untilInstant, without, WITHOUT_NONCES } from "./fault.ts";

/** So slow is the receiver, and so long after its claim a sender surely has its request under way. */
const SLOW_MS = 3_000;
const UNDER_WAY_MS = 500;

async function freezeSender({ replicas, chat, sender }: Cluster, load: Load, ms: number): Promise<Injected> {
  await untilInstant(load.firstDueAt);
  chat.script({ kind: "slow", ms: SLOW_MS }, load.expected.length);
  const name = await sender();
  await pause(UNDER_WAY_MS);
  replicas.signal(name, "SIGSTOP");
  await pause(ms);
  replicas.signal(name, "SIGCONT");
  return { times: 1 };
}

/** One replica's freezes last up to so long, and those of the others; the others are awake when its leases end. */
const [LONGEST_MS, OTHERS_LONGEST_MS] = [60_000, 15_000];

/** Freezes each replica again and again at random instants, for 1 s or longer, until its time is over. */
async function freezeAtRandom({ replicas, names, chat }: Cluster, load: Load): Promise<Injected> {
  chat.script({ kind: "slow", ms: 500 }, load.expected.length);
  let times = 0;
  await untilInstant(load.firstDueAt);
  const freezing = names.map(async (name, at) => {
    const longest = at === 0 ? LONGEST_MS : OTHERS_LONGEST_MS;
    // One begins with the longest, so that each run has it.
    for (
      let ms = at === 0 ? longest : 1_000;
      Date.now() < load.lastDueAt;
      ms = 1_000 * (longest / 1_000) ** Math.random()
    ) {
      await pause(Math.random() * 5_000);
      replicas.signal(name, "SIGSTOP");
      times += 1;
      await pause(ms);
      replicas.signal(name, "SIGCONT");
    }
  });
  await Promise.all(freezing);
  return { times };
}

/** So often that every moment of a post's life meets a step. */
const STEP_EVERY_MS = 700;

async function stepClocks({ replicas, names }: Cluster, load: Load): Promise<Injected> {
  let times = 0;
  await untilInstant(load.firstDueAt - STEP_EVERY_MS);
  while (Date.now() < load.lastDueAt) {
    for (const name of names) replicas.signal(name, "SIGUSR2");
    times += names.length;
    await pause(STEP_EVERY_MS);
  }
  return { times, latestMs: 3_000 };
}

export const CLOCKS: readonly Fault[] = [
  {
    name: "SIGSTOP for 10 s while sending",
    shape: SOME,
    inject: (cluster, load) => freezeSender(cluster, load, 10_000),
    control: WITHOUT_NONCES,
  },
  {
    name: "SIGSTOP for 60 s while sending",
    shape: SOME,
    patienceMs: 100_000,
    inject: (cluster, load) => freezeSender(cluster, load, 60_000),
    control: WITHOUT_NONCES,
  },
  {
    name: "SIGSTOP for 1 s to 60 s at random instants",
    shape: { guilds: 5, announcements: 5, events: 32, spreadMs: 80_000 },
    patienceMs: 100_000,
    inject: freezeAtRandom,
    control: WITHOUT_NONCES,
  },
  {
    name: "node clock stepped by +1 h and -1 h while running",
    shape: { ...SOME, spreadMs: 15_000 },
    setup: { breaks: ["stepped-clock"] },
    isAlone: true,
    inject: stepClocks,
    control: without("time is the database's, not the node's"),
  },
];
