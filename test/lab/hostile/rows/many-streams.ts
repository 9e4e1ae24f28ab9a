import type { GuildId } from "../../../../services/contracts/ids.ts";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import { attackOn } from "../connections.ts";
import { startOnFilledDatabase } from "../filled-database.ts";
import type { HostileRow } from "../row.ts";

const GUILDS = Array.from({ length: 8 }, (_, at) => String(3_701 + at) as GuildId);
const EVENTS = 10_000;
const HOUR_MS = 3_600_000;
/** An event of the stream has fifty changes, and about 100 kB. */
const TEXT = "x".repeat(2_000);
/** Connections of each kind for each key, of which it may have 20 open. With 30 the row holds without its limits, too. */
const PER_KEY = 60;
const AGAIN_MS = 1_000;

/** Eight keys read the stream of their guild from the beginning, again and again, and open streams that they never read. */
export const MANY_STREAMS: HostileRow = {
  name: "eight keys open 120 streams of changes each, and read half of them from the beginning",
  attackMs: 40_000,
  start: (env) => startOnFilledDatabase(env, fill),
  async attack(stage, signal) {
    const keys = await Promise.all(GUILDS.map((guild) => stage.createKey(guild)));
    const requests = keys.map((key, at) => streamRequest(key, GUILDS[at]!));
    const load = { count: PER_KEY * GUILDS.length, requests, againMs: AGAIN_MS };
    await attackOn(stage, signal, [
      { ...load, addresses: ["127.0.0.2"], afterwards: "follow" },
      { ...load, addresses: ["127.0.0.3"], afterwards: "never read" },
    ]);
  },
  control: {
    name: "the limit of streams of a key, and the pauses of a guild's streams",
    without: [
      "a key has a limited number of streams",
      "the pages of a guild's streams are read one after the other, with pauses",
    ],
  },
};

function streamRequest(key: string, guild: string): string {
  return `GET /v2/changes/stream?guild_id=${guild} HTTP/1.1\r\nhost: x\r\nauthorization: ${key}\r\n\r\n`;
}

/** Written directly to the database: through the API it would take a quarter of an hour within the limits. */
async function fill(mongoUrl: string): Promise<void> {
  const calendar = await openCalendar(mongoUrl);
  const from = Date.now() + 1_000 * HOUR_MS;
  for (const guildId of GUILDS) {
    const events = Array.from({ length: EVENTS }, (_, at) => {
      const startsAt = from + at * HOUR_MS;
      return { startsAt, endsAt: startsAt + HOUR_MS, description: TEXT };
    });
    await calendar.fill(guildId, events);
  }
  await calendar.connection.close();
}
