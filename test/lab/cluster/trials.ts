import { setTimeout as pause } from "node:timers/promises";
import { type ServiceName, SERVICES } from "../../../services/contracts/service-names.ts";
import type { Installation, MongoServers } from "./installation.ts";
import type { Verdict } from "../chaos/verdict.ts";
import { LAST_RELEASE, previousVersion, versionOf } from "./previous-version.ts";
import type { MongoSet } from "../../harness/mongo-set.ts";
import { changeManyEvents } from "./many-changes.ts";
import type { Replica } from "./replica.ts";
import type { Tally } from "./tally.ts";

/** One row of the table: an operator's change, or a failure, under load. */
export interface Trial<Database extends MongoServers = MongoSet> {
  readonly name: string;
  /** Approximate duration; posts come due during this time. */
  readonly aboutMs: number;
  /** Makes the change or the failure, and repairs it; resolves with the number of times. */
  readonly inject: (installation: Installation<Database>, requests: () => number) => Promise<number>;
  /** Whether the requests and posts had no worse effects than allowed, compared with the trial without a fault. */
  readonly isAcceptable: (tally: Tally, quiet: Tally, posts: Pick<Verdict, "worstMs">) => boolean;
}

const ROUNDS = 5;
const MIN_REQUESTS = 20_000;
/** Interval of counting the requests. */
const POLL_MS = 100;
const QUIET_MS = 10_000;
/** Pause between two faults, so that the installation has recovered from the first. */
const RECOVERY_MS = 4_000;

/** The failure of a write that was in flight in a gateway when it was killed. Clients repeat a read. */
const GATEWAY_KILLED = "write 502 BALANCER_502";

/**
 * A post that the killed replica was sending: its lease, two turns for late posts, since that replica is still listed beside its
 * replacement, and a read of late posts (`STANDARD_TIMING`) are 31 s.
 */
const LATEST_POST_MS = 35_000;

const nothingFails = ({ failedReads, failedWrites }: Tally) => failedReads + failedWrites === 0;

/** All requests succeed, and none takes longer than in the trial without a fault by more than this time. */
const allWaitAtMost = (ms: number) => (tally: Tally, quiet: Tally) =>
  nothingFails(tally) && tally.worstMs <= quiet.worstMs + ms;

/** Replaces the replicas of all services at the same time, as after `kubectl apply`; those of one service one by one. */
async function rollAll(
  installation: Installation<MongoServers>,
  services: readonly ServiceName[] = SERVICES,
  project?: string,
): Promise<void> {
  await Promise.all(
    services.map(async (service) => {
      for (const replica of installation.replicas(service)) await installation.replace(replica, project);
    }),
  );
}

/** Spreads the rounds evenly over all requests. */
async function rollInRounds(installation: Installation, requests: () => number): Promise<number> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await rollAll(installation);
    while (requests() < ((round + 1) * MIN_REQUESTS) / ROUNDS) await pause(POLL_MS);
  }
  return ROUNDS;
}

/** Replaces one replica of each service by the previous version, and later all replicas by this version. */
async function withPreviousVersion(installation: Installation): Promise<number> {
  const before = await previousVersion();
  try {
    await Promise.all(before.services.map((service) => replaceFirst(installation, service, before.project)));
    await pause(QUIET_MS);
    await rollAll(installation);
  } finally {
    await before.remove();
  }
  return 1;
}

/**
 * Rolls every service back to the last release, and forward again, on the same data. The gateway is the first one back and the last
 * one forward (docs/deploying.md): the owners of 0.1.0 do not recognize the repeated writes of newer gateways.
 */
async function rollBackAndForward(installation: Installation): Promise<number> {
  const release = await versionOf(LAST_RELEASE);
  const ownersOf = (services: readonly ServiceName[]) => services.filter((service) => service !== "api");
  try {
    await rollAll(installation, ["api"], release.project);
    await rollAll(installation, ownersOf(release.services), release.project);
    await pause(QUIET_MS);
    await rollAll(installation, ownersOf(SERVICES));
    await rollAll(installation, ["api"]);
  } finally {
    await release.remove();
  }
  return 1;
}

async function replaceFirst(installation: Installation, service: ServiceName, project: string): Promise<void> {
  const [first] = installation.replicas(service);
  if (first !== undefined) await installation.replace(first, project);
}

async function killEach(installation: Installation): Promise<number> {
  for (const service of SERVICES) {
    for (const replica of installation.replicas(service)) {
      await installation.kill(replica);
      await pause(RECOVERY_MS);
    }
  }
  return SERVICES.length * 2;
}

async function killNatsServers({ nats }: Installation): Promise<number> {
  for (let times = 0; times < 3; times += 1) {
    const at = await nats.busiest();
    await nats.kill(at);
    await pause(RECOVERY_MS);
    await nats.restart(at);
    await pause(RECOVERY_MS);
  }
  return 3;
}

async function stepDown({ mongo }: Installation): Promise<number> {
  for (let times = 0; times < 3; times += 1) {
    await mongo.stepDown();
    await pause(RECOVERY_MS);
  }
  return 3;
}

/** Kills a NATS server and MongoDB's primary at the same moment, as if their zone were lost. */
async function loseZone({ mongo, nats }: Installation): Promise<number> {
  const at = await nats.busiest();
  const [host] = await Promise.all([mongo.killPrimary(), nats.kill(at)]);
  await pause(20_000);
  await Promise.all([mongo.restart(host), nats.restart(at)]);
  return 1;
}

async function killPrimary({ mongo }: Installation): Promise<number> {
  const host = await mongo.killPrimary();
  await pause(20_000);
  await mongo.restart(host);
  return 1;
}

/** Kills one of the two replicas of dispatch, which share the plans, and waits until all changes are planned. */
async function killPlanner(installation: Installation): Promise<number> {
  const changes = await changeManyEvents(installation.mongo.url);
  try {
    await changes.needWaiting(100_000);
    await installation.kill(installation.replicas("dispatch")[0] as Replica);
    await changes.planned();
  } finally {
    await changes.close();
  }
  return 1;
}

/** The first row, with which the others are compared. */
export const QUIET: Trial<MongoServers> = {
  name: "nothing happens",
  aboutMs: QUIET_MS,
  inject: () => pause(QUIET_MS, 0),
  isAcceptable: nothingFails,
};

/** Runs on a sharded MongoDB. */
export const SHARDED: Trial<MongoServers> = {
  ...QUIET,
  name: "on two shards behind mongos, every service rolled once",
  aboutMs: 40_000,
  async inject(installation) {
    await rollAll(installation);
    return 1;
  },
};

export const TRIALS: readonly Trial[] = [
  {
    name: "the previous commit's services beside these, and back",
    aboutMs: 60_000,
    inject: withPreviousVersion,
    isAcceptable: nothingFails,
  },
  {
    name: "every service rolled back to the last release, and forward",
    aboutMs: 110_000,
    inject: rollBackAndForward,
    isAcceptable: nothingFails,
  },
  {
    name: "rolling restarts of every service, 20 000 requests",
    aboutMs: 400_000,
    inject: rollInRounds,
    isAcceptable: nothingFails,
  },
  {
    name: "kill -9 of each replica of each service in turn",
    aboutMs: 70_000,
    inject: killEach,
    isAcceptable: ({ failures }) => Object.keys(failures).every((kind) => kind === GATEWAY_KILLED),
  },
  {
    name: "kill -9 of the busiest of three NATS servers, 3 times",
    aboutMs: 25_000,
    inject: killNatsServers,
    isAcceptable: allWaitAtMost(1_000),
  },
  {
    name: "MongoDB's primary steps down, 3 times",
    aboutMs: 20_000,
    inject: stepDown,
    isAcceptable: allWaitAtMost(5_000),
  },
  {
    name: "kill -9 of MongoDB's primary",
    aboutMs: 25_000,
    inject: killPrimary,
    isAcceptable: allWaitAtMost(5_000),
  },
  {
    name: "kill -9 of a NATS server and MongoDB's primary together",
    aboutMs: 25_000,
    inject: loseZone,
    isAcceptable: allWaitAtMost(5_000),
  },
  {
    name: "kill -9 of a replica that plans 100 000 changes",
    aboutMs: 120_000,
    inject: killPlanner,
    isAcceptable: (tally, _quiet, { worstMs }) => nothingFails(tally) && worstMs <= LATEST_POST_MS,
  },
];
