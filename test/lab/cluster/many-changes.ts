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

/** The size of the guilds is that of the largest ones of so many. */
const ALL_GUILDS = 180_000;
/** Of these, the guilds with an announcement are written: 3 000 guilds with about 130 000 events. */
const LARGEST = 10_000;
const GUILDS_AT_ONCE = 100;
/** The rows are older than the changes that dispatch reads, so that only the changes are planned. */
const WRITTEN_MS_AGO = 7_200_000;
const WITHIN_MS = 900_000;

const isFilled = (rank: number) => rank <= LARGEST && isAnnouncing(rank);

/** Fills the guilds, and changes each event once: those of small guilds first, since many changes of one guild need one plan. */
export async function changeManyEvents(mongoUrl: string): Promise<ManyChanges> {
  const connection = await connectTo(mongoUrl);
  await fillGuilds(connection, ALL_GUILDS, Date.now() - WRITTEN_MS_AGO, isFilled);
  const events = connection.collection("calendar_events");
  const ranks = Array.from({ length: LARGEST }, (_, at) => LARGEST - at).filter(isFilled);
  const ids = ranks.map(guildIdAt);
  for (let from = 0; from < ids.length; from += GUILDS_AT_ONCE) {
    const guildId = { $in: ids.slice(from, from + GUILDS_AT_ONCE) };
    await events.updateMany({ guildId }, [{ $set: { changedAt: "$$NOW", revision: 2 } }]);
  }

  const [last] = await events
    .find({ guildId: { $in: ids.slice(-GUILDS_AT_ONCE) } })
    .sort({ changedAt: -1 })
    .limit(1)
    .toArray();
  const lastAt = Number(last?.["changedAt"]);

  async function unplannedGuilds(): Promise<number> {
    const plans = connection.collection<{ readonly _id: string }>("guild_plans");
    return ids.length - (await plans.countDocuments({ _id: { $in: ids } }));
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
