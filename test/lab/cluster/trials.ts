import { setTimeout as pause } from "node:timers/promises";
import { type ServiceName, SERVICES } from "../../../services/contracts/service-names.ts";
import type { Installation, MongoServers } from "./installation.ts";
import { previousVersion } from "./previous-version.ts";
import type { MongoSet } from "../../real-parts/mongo-set.ts";
import type { Tally } from "./tally.ts";

/** One row of the table: something that an operator does, or that breaks, under load. */
export interface Trial<Database extends MongoServers = MongoSet> {
  readonly name: string;
  /** About how long it takes: posts come due all the while. */
  readonly aboutMs: number;
  /** Does it or breaks it, mends it, and tells how many times. */
  readonly inject: (installation: Installation<Database>, requests: () => number) => Promise<number>;
  /** What requests may suffer, beside when nothing happens; posts and answered writes may suffer nothing. */
  readonly mayHappen: (tally: Tally, quiet: Tally) => boolean;
}

const ROUNDS = 5;
const LEAST_REQUESTS = 20_000;
/** How often the requests are counted. */
const LOOK_MS = 100;
const QUIET_MS = 10_000;
/** Between two faults, so that each is met by an installation that has come to rest. */
const REST_MS = 4_000;

/** What the balancer says of a write that a gateway had in hand when it was killed; of a read it asks another gateway. */
const GATEWAY_KILLED = "write 502 BALANCER_502";

const nothingFails = ({ failedReads, failedWrites }: Tally) => failedReads + failedWrites === 0;

/** Requests may wait so much longer than when nothing happens, and succeed. */
const allWaitAtMost = (ms: number) => (tally: Tally, quiet: Tally) =>
  nothingFails(tally) && tally.worstMs <= quiet.worstMs + ms;

/** Every service at once, as after `kubectl apply`: of each one replica after the other. */
async function rollAll(installation: Installation<MongoServers>): Promise<void> {
  await Promise.all(
    SERVICES.map(async (service) => {
      for (const replica of installation.replicas(service)) await installation.replace(replica);
    }),
  );
}

/** Spread over the requests: all of them meet the rounds, and not one round that never ends. */
async function rollInRounds(installation: Installation, requests: () => number): Promise<number> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await rollAll(installation);
    while (requests() < ((round + 1) * LEAST_REQUESTS) / ROUNDS) await pause(LOOK_MS);
  }
  return ROUNDS;
}

/** Of each service one replica of the version before beside one of this, then all of this one again. */
async function withPreviousVersion(installation: Installation): Promise<number> {
  const before = await previousVersion();
  try {
    await Promise.all(SERVICES.map((service) => replaceFirst(installation, service, before.project)));
    await pause(QUIET_MS);
    await rollAll(installation);
  } finally {
    await before.remove();
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
      await pause(REST_MS);
    }
  }
  return SERVICES.length * 2;
}

async function killNatsServers({ nats }: Installation): Promise<number> {
  for (let times = 0; times < 3; times += 1) {
    const at = await nats.busiest();
    await nats.kill(at);
    await pause(REST_MS);
    await nats.raise(at);
    await pause(REST_MS);
  }
  return 3;
}

async function stepDown({ mongo }: Installation): Promise<number> {
  for (let times = 0; times < 3; times += 1) {
    await mongo.stepDown();
    await pause(REST_MS);
  }
  return 3;
}

async function killPrimary({ mongo }: Installation): Promise<number> {
  const host = await mongo.killPrimary();
  await pause(20_000);
  await mongo.raise(host);
  return 1;
}

/** The first row: what the others are held against. */
export const QUIET: Trial<MongoServers> = {
  name: "nothing happens",
  aboutMs: QUIET_MS,
  inject: () => pause(QUIET_MS, 0),
  mayHappen: nothingFails,
};

/** Tried on a MongoDB of its own. */
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
    mayHappen: nothingFails,
  },
  {
    name: "rolling restarts of every service, 20 000 requests",
    aboutMs: 400_000,
    inject: rollInRounds,
    mayHappen: nothingFails,
  },
  {
    name: "kill -9 of each replica of each service in turn",
    aboutMs: 70_000,
    inject: killEach,
    mayHappen: ({ failures }) => Object.keys(failures).every((kind) => kind === GATEWAY_KILLED),
  },
  {
    name: "kill -9 of the busiest of three NATS servers, 3 times",
    aboutMs: 25_000,
    inject: killNatsServers,
    mayHappen: allWaitAtMost(1_000),
  },
  {
    name: "MongoDB's primary steps down, 3 times",
    aboutMs: 20_000,
    inject: stepDown,
    mayHappen: allWaitAtMost(5_000),
  },
  {
    name: "kill -9 of MongoDB's primary",
    aboutMs: 25_000,
    inject: killPrimary,
    mayHappen: allWaitAtMost(5_000),
  },
];
