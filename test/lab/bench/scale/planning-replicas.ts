import type { Connection } from "mongoose";
import { cpuShare } from "../requests/cpu-share.ts";
import { type Bus, measurePhase, type Phase, plannedGuilds, startServices } from "./dispatch-run.ts";

/** Share of a CPU for each replica of dispatch; the owners and MongoDB have the rest, so that they are not the limit. */
const SHARE = 0.2;
const PLANNED = ["guild_plans", "posts", "plan_sources", "feed_marks"] as const;

export interface PlanningOptions {
  readonly bus: Bus;
  readonly mongoUrl: string;
  /** Guilds with announcements. */
  readonly announcing: number;
  readonly minutes: number;
}

/** Plans all guilds with a number of replicas of dispatch, on data without plans. */
export async function planWith(
  replicas: number,
  connection: Connection,
  { bus, mongoUrl, announcing, minutes }: PlanningOptions,
): Promise<Phase> {
  for (const name of PLANNED) await connection.collection(name).deleteMany({});
  const share = (name: string) => cpuShare(`guildcal-scale-${process.pid}-${name}`, SHARE);
  const services = await startServices(mongoUrl, bus, { replicas, share });
  try {
    // What a replica plans before all have started is not counted.
    return await measurePhase(services, { total: announcing, doneNow: () => plannedGuilds(connection), minutes });
  } finally {
    await services.stop();
  }
}
