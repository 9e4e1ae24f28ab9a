import { setTimeout } from "node:timers/promises";
import type { Connection } from "mongoose";
import { STANDARD_TIMING } from "../../../../services/dispatch/protocol/timing.ts";
import { until } from "../../../harness/until.ts";
import { cpuShare } from "../requests/cpu-share.ts";
import {
  type Bus,
  guildsPlannedAfter,
  lowestMark,
  makeGuildsDue,
  measurePhase,
  type Phase,
  plannedGuilds,
  type RunningServices,
  startServices,
} from "./dispatch-run.ts";

/**
 * Share of a CPU for each replica of dispatch. The owners and MongoDB have the rest, and must leave most of it idle: two CPUs that
 * share a core are slower when both work.
 */
const SHARE = 0.1;
/** By then each replica sweeps, and V8 has compiled its code. */
const WARM_UP_MS = 2 * STANDARD_TIMING.sweepEveryMs;
const SWEEP_MINUTES = 1;
const READ_WITHIN_MS = 600_000;
const ROWS_OF_FEEDS = ["calendar_events", "announcements", "guild_settings"] as const;
const PLANNED = ["guild_plans", "posts", "plan_sources", "feed_marks"] as const;

export interface PlanningOptions {
  readonly bus: Bus;
  readonly mongoUrl: string;
  /** Guilds with announcements. */
  readonly announcing: number;
  readonly minutes: number;
}

/** Plans all guilds on data without plans, with a number of replicas of dispatch. */
export async function planAllWith(replicas: number, connection: Connection, options: PlanningOptions): Promise<Phase> {
  for (const name of PLANNED) await connection.collection(name).deleteMany({});
  // The measurement begins when all replicas have started; they have planned some guilds by then.
  return withReplicas(replicas, options, (services) => planAll(services, connection, options));
}

/**
 * Plans all guilds without a limit of processor time, for `sweepWith`. Then each feed has a change that is later than the filled
 * rows, which all have one time: otherwise a replica that starts would read all of them again, since they are within the overlap.
 */
export async function prepareSweep(connection: Connection, options: PlanningOptions): Promise<void> {
  const services = await startServices(options.mongoUrl, options.bus, { replicas: 2 });
  try {
    await planAll(services, connection, options);
    const changedAt = new Date();
    for (const name of ROWS_OF_FEEDS)
      await connection.collection(name).updateOne({}, { $set: { changedAt, revision: 2 } });
    const areRead = async () => (await lowestMark(connection)) >= changedAt.getTime();
    await until(areRead, "all changes are read", READ_WITHIN_MS, 1_000);
  } finally {
    await services.stop();
  }
}

/** Plans guilds whose plans are due again, for a minute. There must be so many that no replica has planned all of its own. */
export async function sweepWith(replicas: number, connection: Connection, options: PlanningOptions): Promise<Phase> {
  return withReplicas(replicas, options, async (services) => {
    const total = await plannedGuilds(connection);
    const now = await makeGuildsDue(connection);
    await setTimeout(WARM_UP_MS);
    const doneNow = () => guildsPlannedAfter(connection, now);
    const sweep = await measurePhase(services, { total, doneNow, minutes: SWEEP_MINUTES });
    if (sweep.isComplete) throw new Error(`${total} guilds were planned in less than ${SWEEP_MINUTES} minutes`);
    return sweep;
  });
}

async function withReplicas(
  replicas: number,
  { mongoUrl, bus }: PlanningOptions,
  measure: (services: RunningServices) => Promise<Phase>,
): Promise<Phase> {
  const share = (name: string) => cpuShare(`guildcal-scale-${process.pid}-${name}`, SHARE);
  const services = await startServices(mongoUrl, bus, { replicas, share });
  try {
    return await measure(services);
  } finally {
    await services.stop();
  }
}

function planAll(services: RunningServices, connection: Connection, options: PlanningOptions): Promise<Phase> {
  const { announcing: total, minutes } = options;
  return measurePhase(services, { total, doneNow: () => plannedGuilds(connection), minutes });
}
