import { setTimeout as pause } from "node:timers/promises";
import { announcementSchema, type AnnouncementRow } from "../../../../services/announcements/announcement.document.ts";
import { MAX_ANNOUNCEMENTS } from "../../../../services/contracts/announcements.contract.ts";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import { startOnFilledDatabase } from "../filled-database.ts";
import type { HostileRow } from "../row.ts";

const GUILDS = Array.from({ length: 8 }, (_, at) => String(3_601 + at) as GuildId);
const EVENTS = 10_000;
const HOUR_MS = 3_600_000;
/** The events of a guild fill the two days for which posts are planned, from the next hour on. */
const APART_MS = 16_000;
const TEXT = "x".repeat(1_000);
const CHANGE_EVERY_MS = 1_000;

/** The guilds with the largest plans change at the same time, again and again. */
export const LARGE_PLANS: HostileRow = {
  name: "eight guilds with ten thousand events and a thousand announcements each change every second",
  attackMs: 60_000,
  start: (env) => startOnFilledDatabase(env, fill),
  async attack(stage, signal) {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const changes = { channel: String(1 + turn) };
      const change = (guild: GuildId) =>
        stage.ask("/v1/announcement/update", { guild_id: guild, id: announcementOf(guild, 0), ...changes });
      await Promise.all([...GUILDS.map(change), pause(CHANGE_EVERY_MS)]);
    }
  },
  control: {
    name: "the limit of one large plan at a time",
    without: ["one large plan is made at a time"],
  },
};

/** Written directly to the database: through the API it would take half an hour within the limits. */
async function fill(mongoUrl: string): Promise<void> {
  const calendar = await openCalendar(mongoUrl);
  const announcements = calendar.connection.model<AnnouncementRow>("Announcement", announcementSchema);
  await announcements.createIndexes();
  const now = new Date();
  for (const guildId of GUILDS) {
    const events = Array.from({ length: EVENTS }, (_, at) => {
      const startsAt = now.getTime() + HOUR_MS + at * APART_MS;
      return { startsAt, endsAt: startsAt + HOUR_MS, description: TEXT };
    });
    await calendar.fill(guildId, events);
    const rows = Array.from({ length: MAX_ANNOUNCEMENTS }, (_, slot) => ({
      _id: announcementOf(guildId, slot),
      guildId,
      revision: 1,
      changedAt: now,
      channel: "1",
      type: "UNIVERSAL",
      eventId: "",
      eventColor: "NONE",
      hours: 0,
      minutes: 0,
      info: TEXT,
      enabled: true,
      infoOnly: false,
      subscribersRole: [],
      subscribersUser: [],
      standsSince: now,
      sequence: now,
      slot,
    }));
    await announcements.collection.insertMany(rows as never[], { ordered: false });
  }
  await calendar.connection.close();
}

function announcementOf(guildId: GuildId, at: number): string {
  return `00000000-0000-4000-8000-${guildId}${String(at).padStart(8, "0")}`;
}
