import mongoose from "mongoose";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import { type Address, postRequest } from "./post-request.ts";
import { GUILDS, guildEvents } from "./bench-data.ts";
import { databaseNamed, type Given, startGuildcal } from "./subjects.ts";

const FILLED_AT_ONCE = 8;
const ANNOUNCEMENTS_EACH = 20;

/** Fills a database with all guilds: events directly; settings and announcements through the API. */
export async function fillGuilds(given: Given): Promise<void> {
  const calendar = await openCalendar(given.mongoUrl);
  for (const { guildId } of GUILDS) await calendar.fill(guildId, guildEvents());
  await calendar.connection.close();
  const guildcal = await startGuildcal(given);
  try {
    const left = [...GUILDS];
    const fill = async () => {
      for (let guild = left.pop(); guild !== undefined; guild = left.pop()) await fillRest(guildcal, guild.guildId);
    };
    await Promise.all(Array.from({ length: FILLED_AT_ONCE }, fill));
  } finally {
    await guildcal.stop();
  }
}

async function fillRest(guildcal: Address, guild_id: GuildId): Promise<void> {
  await postRequest(guildcal, "/v2/guild/settings/update", { guild_id, lang: "SPANISH" });
  for (let at = 0; at < ANNOUNCEMENTS_EACH; at += 1) {
    await postRequest(guildcal, "/v1/announcement/create", {
      guild_id,
      channel: "375357265198317580",
      type: "UNIVERSAL",
      hours: at,
      minutes: 30,
      info: "Don't be late",
      subscribers_role: ["everyone"],
      subscribers_user: ["375357265198317581"],
    });
  }
}

/** Copies all guilds to another database, without the plans of dispatch. */
export async function copyGuilds(given: Given, database: string): Promise<Given> {
  const connection = await mongoose.createConnection(given.mongoUrl).asPromise();
  for (const name of ["calendar_events", "guild_settings", "announcements"]) {
    await connection
      .collection(name)
      .aggregate([{ $out: { db: database, coll: name } }])
      .toArray();
  }
  await connection.close();
  return { ...given, mongoUrl: databaseNamed(given.mongoUrl, database) };
}
