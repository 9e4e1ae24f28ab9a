import { setTimeout as pause } from "node:timers/promises";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { startOnFilledDatabase } from "../filled-database.ts";
import { fillHourly } from "../hourly-events.ts";
import type { HostileRow } from "../row.ts";

const GUILD = "3751" as GuildId;
/** The default of EVENTS_PER_GUILD. */
const EVENTS = 100_000;
const TEXT = "x".repeat(500);
const CLIENTS = 48;

/** One key reads the changes of a full guild from the beginning, in pages of every size. */
export const MANY_CHANGES: HostileRow = {
  name: "one key reads 100 000 changes of a guild from the beginning, 48 times at once",
  settings: { REQUESTS_PER_GUILD: "0", REQUESTS_PER_KEY: "0" },
  attackMs: 30_000,
  start: (env) => startOnFilledDatabase(env, (mongoUrl) => fillHourly(mongoUrl, GUILD, EVENTS, TEXT)),
  async attack(stage, signal) {
    const key = await stage.createKey(GUILD);
    const read = async (limit: number) => {
      let sync_token: string | undefined;
      while (!signal.aborted) {
        const body = { guild_id: GUILD, limit, ...(sync_token === undefined ? {} : { sync_token }) };
        const { status, text } = await stage.post("/v2/changes", key, JSON.stringify(body));
        if (status === 200) {
          const page = JSON.parse(text) as { sync_token: string; more: boolean };
          sync_token = page.more ? page.sync_token : undefined;
        } else await pause(100);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, at) => read(at % 2 === 0 ? 1_000 : 50)));
  },
  // As no list, a read of changes would still count towards the four other requests of the guild.
  control: {
    name: "the limits of concurrent requests of a guild and of lists of a key",
    without: [
      "the concurrent requests of a guild are limited, large lists more than others",
      "the concurrent lists of a key are limited",
    ],
  },
};
