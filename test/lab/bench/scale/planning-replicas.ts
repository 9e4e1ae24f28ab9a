import type { Connection } from "mongoose";
import { until } from "../../../harness/until.ts";
import { cpuShare } from "../requests/cpu-share.ts";
import {
  type Bus,
  guildsPlannedAfter,
  makeGuildsDue,
  measurePhase,
  type Phase,
  plannedGuilds,
  startServices,
} from "./dispatch-run.ts";

/** Share of a CPU for each replica of dispatch; the owners and MongoDB have the rest, so that they are not the limit. */
const SHARE = 0.2;
const SWEEP_STARTS_MS = 120_000;
const PLANNED = ["guild_plans", "posts", "plan_sources", "feed_marks"] as const;

export interface PlanningOptions {
  readonly bus: Bus;
  readonly mongoUrl: string;
  /** Guilds with announcements. */
  readonly announcing: number;
  readonly minutes: number;
}

/** Plans all guilds with a number of replicas of dispatch: on data without plans, and when all plans are due again. */
export async function planWith(
  replicas: number,
  connection: Connection,
  { bus, mongoUrl, announcing, minutes }: PlanningOptions,
): Promise<{ readonly start: Phase; readonly sweep: Phase }> {
  for (const name of PLANNED) await connection.collection(name).deleteMany({});
  const share = (name: string) => cpuShare(`guildcal-scale-${process.pid}-${name}`, SHARE);
  const services = await startServices(mongoUrl, bus, { replicas, share });
  try {
    // What a replica plans before all have started is not counted.
    const start = await measurePhase(services, {
      total: announcing,
      doneNow: () => plannedGuilds(connection),
      minutes,
    });
    const total = await plannedGuilds(connection);
    const now = await makeGuildsDue(connection);
    const doneNow = () => guildsPlannedAfter(connection, now);
    // A sweep begins within half a minute, which is not counted.
    await until(async () => (await doneNow()) > 0, "the sweep", SWEEP_STARTS_MS);
    return { start, sweep: await measurePhase(services, { total, doneNow, minutes }) };
  } finally {
    await services.stop();
  }
}
