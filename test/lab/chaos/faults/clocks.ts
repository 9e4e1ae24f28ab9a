import { setTimeout as pause } from "node:timers/promises";
import type { Cluster } from "../cluster.ts";
import type { Load } from "../load.ts";
import { type Fault, type Injected, SOME, untilInstant, without, WITHOUT_NONCES } from "./fault.ts";

/** Response time of the receiver, and time from a claim until its request is certainly in flight. */
const SLOW_MS = 3_000;
const IN_FLIGHT_MS = 500;

async function freezeSender({ replicas, chat, sender }: Cluster, load: Load, ms: number): Promise<Injected> {
  await untilInstant(load.firstDueAt);
  chat.script({ kind: "slow", ms: SLOW_MS }, load.expected.length);
  const name = await sender();
  await pause(IN_FLIGHT_MS);
  replicas.signal(name, "SIGSTOP");
  await pause(ms);
  replicas.signal(name, "SIGCONT");
  return { times: 1 };
}

/** Maximum duration of the first replica's freezes, and of the others', which run when the first one's leases end. */
const [LONGEST_MS, OTHERS_LONGEST_MS] = [60_000, 15_000];

/** Freezes each replica repeatedly at random instants, for 1 s or longer, until the last post is due. */
async function freezeAtRandom({ replicas, names, chat }: Cluster, load: Load): Promise<Injected> {
  chat.script({ kind: "slow", ms: 500 }, load.expected.length);
  let times = 0;
  await untilInstant(load.firstDueAt);
  const freezing = names.map(async (name, at) => {
    const longest = at === 0 ? LONGEST_MS : OTHERS_LONGEST_MS;
    // The first replica begins with the longest freeze, so that each run has one.
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

/** Interval of steps: short enough that a step meets every state of a post. */
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
    control: without("dispatch computes time from a monotonic clock, not from the node's wall clock"),
  },
];
