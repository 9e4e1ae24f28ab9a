import { setTimeout as pause } from "node:timers/promises";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import { startOnFilledDatabase } from "../filled-database.ts";
import type { HostileRow } from "../row.ts";

const GUILD = "3401" as GuildId;
/** As many as EVENTS_PER_GUILD allows by default. */
const SERIES = 100_000;
const AT_ONCE = 6;
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const TEXT = "x".repeat(2_000);

let previewed = { guild_id: GUILD, id: "" };

/** One key asks for previews of an announcement that covers nothing, and for lists, in a guild with very many series. */
export const MANY_SERIES: HostileRow = {
  name: "one key asks for previews and lists in a guild with 100 000 series that go on",
  settings: { REQUESTS_PER_GUILD: "0", REQUESTS_PER_KEY: "0" },
  attackMs: 20_000,
  start: (env) => startOnFilledDatabase(env, fillSeries),
  async prepare({ ask }) {
    const rule = { channel: "1", type: "COLOR", event_color: "RED", hours: 0, minutes: 0, info: "" };
    const { id } = await ask<{ id: string }>("/v1/announcement/create", { guild_id: GUILD, ...rule });
    previewed = { guild_id: GUILD, id };
  },
  async attack(stage, signal) {
    const key = await stage.createKey(GUILD);
    const asked = async (path: string, body: () => object) => {
      while (!signal.aborted) {
        const { status } = await stage.post(path, key, JSON.stringify(body()));
        // Refused or not reached: it goes on, and not as fast as it can.
        if (status !== 200 && status !== 404) await pause(100);
      }
    };
    const anHour = () => ({
      guild_id: GUILD,
      calendar_number: 1,
      epoch_start: Date.now(),
      epoch_end: Date.now() + HOUR_MS,
    });
    await Promise.all(
      Array.from({ length: AT_ONCE }, () => [
        asked("/v1/announcement/preview", () => previewed),
        asked("/v2/events/list/range", anHour),
      ]).flat(),
    );
  },
  control: {
    name: "slow searches of a guild one after the other, and a preview that asks for what it shows alone",
    without: [
      "slow lists of a guild are made one after the other",
      "a preview waits for its turn as lists do",
      "a preview asks for so many occurrences at once",
      "a preview asks for what it shows alone",
      "a preview looks for what starts soon before all that ever starts",
    ],
  },
};

/**
 * Half of them every day, half of them every 1 000 weeks with long texts. They are written past the service, which would
 * take them, within the limits, in 17 minutes.
 */
async function fillSeries(mongoUrl: string): Promise<void> {
  const calendar = await openCalendar(mongoUrl);
  const series = Array.from({ length: SERIES }, (_, at) => {
    const startsAt = Date.now() - Math.floor(Math.random() * YEAR_MS);
    const times = { startsAt, endsAt: startsAt + HOUR_MS / 4, recurs: true };
    return at % 2 === 0
      ? { ...times, description: TEXT, recurrence: { frequency: "WEEKLY", interval: 1_000 } as const }
      : { ...times, recurrence: { frequency: "DAILY" } as const };
  });
  await calendar.fill(GUILD, series);
  await calendar.connection.close();
}
