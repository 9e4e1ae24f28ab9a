import { setTimeout as pause } from "node:timers/promises";
import mongoose from "mongoose";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { MAX_UNSENT_POSTS } from "../../../../services/dispatch/domain/plan/plan-input.ts";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import { startOnFilledDatabase } from "../filled-database.ts";
import type { HostileRow } from "../row.ts";

const GUILD = "3601" as GuildId;
/** The maximum that a plan reads. */
const EVENTS = 10_000;
const EVENT_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The longest lead time: the posts of all events were due before the announcement was created. */
const LEAD_HOURS = 8_784;

let mongoUrl = "";

/** One key repeatedly creates and deletes an announcement that comes too late for ten thousand events. */
export const SKIPPED_POSTS: HostileRow = {
  name: "one key makes and deletes announcements that come too late for ten thousand events",
  attackMs: 60_000,
  async start(env) {
    const target = await startOnFilledDatabase(env, fillEvents);
    mongoUrl = target.mongoUrl;
    return target;
  },
  async attack(stage, signal) {
    const key = await stage.createKey(GUILD);
    const rule = { channel: "1", type: "UNIVERSAL", hours: LEAD_HOURS, minutes: 0, info: "" };
    const ask = (path: string, body: object) => stage.post(path, key, JSON.stringify({ guild_id: GUILD, ...body }));
    while (!signal.aborted) {
      const { status, text } = await ask("/v1/announcement/create", rule);
      if (status === 200) await ask("/v1/announcement/delete", { id: (JSON.parse(text) as { id: string }).id });
      else await pause(100);
    }
  },
  async check() {
    const connection = await mongoose.createConnection(mongoUrl, { dbName: "guildcal" }).asPromise();
    const rows = await connection.collection("posts").countDocuments({ guildId: GUILD });
    await connection.close();
    return rows <= MAX_UNSENT_POSTS ? [] : [`the ledger has ${rows} rows of the guild`];
  },
  control: {
    name: "the limits on rows of unsent posts",
    without: [
      "an announcement that skips many posts has one summary row for those beyond the first",
      "posts that were cancelled long ago are deleted from the ledger",
      "a former rule without due posts is not combined with every occurrence",
    ],
  },
};

async function fillEvents(url: string): Promise<void> {
  const calendar = await openCalendar(url);
  const from = Date.now() + HOUR_MS;
  const events = Array.from({ length: EVENTS }, (_, at) => {
    const startsAt = from + at * EVENT_EVERY_MS;
    return { startsAt, endsAt: startsAt };
  });
  await calendar.fill(GUILD, events);
  await calendar.connection.close();
}
