import { eventMark } from "../bench/scale/dispatch-run.ts";
import { connectTo, fillGuilds } from "../bench/scale/scale-database.ts";
import { guildIdAt, isAnnouncing } from "../bench/scale/synthetic-guilds.ts";
import { until } from "../../harness/until.ts";

/** Changes of the events of synthetic guilds, which were written straight into the database. */
export interface ManyChanges {
  /** Fails if fewer changes wait to be planned. */
  needWaiting(least: number): Promise<void>;
  /** Resolves when every change is planned, and every guild with an announcement has a plan. */
  planned(): Promise<void>;
  close(): Promise<void>;
}

/** So many have about 135 000 events. */
const GUILDS = 40_000;
const GUILDS_AT_ONCE = 2_000;
/** The rows are older than the changes that dispatch reads, so that only the changes are planned. */
const WRITTEN_MS_AGO = 7_200_000;
const WITHIN_MS = 900_000;

/** Fills the guilds, and changes each event once. */
export async function changeManyEvents(mongoUrl: string): Promise<ManyChanges> {
  const connection = await connectTo(mongoUrl);
  await fillGuilds(connection, GUILDS, Date.now() - WRITTEN_MS_AGO);
  const events = connection.collection("calendar_events");
  const ids = Array.from({ length: GUILDS }, (_, at) => guildIdAt(at + 1));
  for (let from = 0; from < GUILDS; from += GUILDS_AT_ONCE) {
    const guildId = { $in: ids.slice(from, from + GUILDS_AT_ONCE) };
    await events.updateMany({ guildId }, [{ $set: { changedAt: "$$NOW", revision: 2 } }]);
  }

  const [last] = await events.find().sort({ changedAt: -1 }).limit(1).toArray();
  const lastAt = Number(last?.["changedAt"]);

  async function unplannedGuilds(): Promise<number> {
    const announcing = ids.filter((_, at) => isAnnouncing(at + 1));
    const plans = connection.collection<{ readonly _id: string }>("guild_plans");
    return announcing.length - (await plans.countDocuments({ _id: { $in: announcing } }));
  }

  return {
    async needWaiting(least) {
      const found = await events.countDocuments({ changedAt: { $gt: new Date(await eventMark(connection)) } });
      if (found < least) throw new Error(`${found} changes wait, not ${least}`);
    },
    async planned() {
      const arePlanned = async () => (await eventMark(connection)) >= lastAt && (await unplannedGuilds()) === 0;
      await until(arePlanned, "the last change, and each guild with an announcement, is planned", WITHIN_MS, 1_000);
    },
    close: () => connection.close(),
  };
}
