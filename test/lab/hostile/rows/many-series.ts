import { setTimeout as pause } from "node:timers/promises";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import { startOnFilledDatabase } from "../filled-database.ts";
import type { HostileRow } from "../row.ts";

const GUILD = "3401" as GuildId;
/** The default of EVENTS_PER_GUILD. */
const SERIES = 100_000;
const CLIENTS_OF_EACH = 6;
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const TEXT = "x".repeat(2_000);

let previewed = { guild_id: GUILD, id: "" };

/**
 * One key requests lists, as a whole and in pages, searches that find nothing, and previews of an announcement that covers no
 * event, in a guild with very many series.
 */
export const MANY_SERIES: HostileRow = {
  name: "one key requests previews, lists and searches in a guild with 100 000 endless series",
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
    const repeat = async (path: string, body: () => object) => {
      while (!signal.aborted) {
        const { status } = await stage.post(path, key, JSON.stringify(body()));
        // A pause after a refusal or a failed connection, so that the loop does not spin.
        if (status !== 200 && status !== 404) await pause(100);
      }
    };
    const where = { guild_id: GUILD, calendar_number: 1 };
    const anHour = () => ({
      ...where,
      epoch_start: Date.now(),
      epoch_end: Date.now() + HOUR_MS,
    });
    await Promise.all(
      Array.from({ length: CLIENTS_OF_EACH }, () => [
        repeat("/v1/announcement/preview", () => previewed),
        repeat("/v2/events/list/range", anHour),
        repeat("/v2/events/list/range", () => ({ ...anHour(), limit: 1_000 })),
        repeat("/v2/events/search", () => ({ ...where, text: `${"x".repeat(100)}y zebra` })),
      ]).flat(),
    );
  },
  control: {
    name: "sequential slow searches of a guild, and previews that read only the occurrences that they can show",
    without: [
      "slow lists of a guild run one after the other",
      "a preview counts towards the concurrent lists",
      "a preview reads a limited number of occurrences at once",
      "a preview reads only the occurrences that it can show",
      "a preview searches near occurrences before distant ones",
    ],
  },
};

/**
 * Half of the series are daily, the other half have an interval of 1 000 weeks and long texts. They are written directly
 * to the database: through the API they would take 17 minutes within the limits.
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
