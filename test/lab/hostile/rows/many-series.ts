import { setTimeout as pause } from "node:timers/promises";
import type { HostileRow, Stage } from "../row.ts";

const GUILD = "3401";
const SERIES = 20_000;
const AT_ONCE = 6;
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
/** So many creates are sent at once. */
const CREATES = 64;
const TEXT = "x".repeat(2_000);

let previewed = { guild_id: GUILD, id: "" };

/** One key asks for previews of an announcement that covers nothing, and for lists, in a guild with very many series. */
export const MANY_SERIES: HostileRow = {
  name: "one key asks for previews and lists in a guild with 20 000 series that go on",
  // The series could be created within the limits in four minutes.
  settings: { REQUESTS_PER_GUILD: "0", REQUESTS_PER_KEY: "0" },
  attackMs: 20_000,
  prepare: createSeries,
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

/** Half of them every day, half of them every 1 000 weeks with long texts. */
async function createSeries({ post, ask, operatorKey }: Stage): Promise<void> {
  let made = 0;
  const create = async () => {
    while (made < SERIES) {
      made += 1;
      const start = Date.now() - Math.floor(Math.random() * YEAR_MS);
      const isRare = made % 2 === 0;
      const recurrence = isRare ? { frequency: "WEEKLY", interval: 1_000 } : { frequency: "DAILY" };
      const event = { guild_id: GUILD, calendar_number: 1, epoch_start: start, epoch_end: start + HOUR_MS / 4 };
      const text = isRare ? { description: TEXT } : {};
      const { status } = await post(
        "/v2/events/create",
        operatorKey,
        JSON.stringify({ ...event, ...text, recur: true, recurrence }),
      );
      if (status !== 200) throw new Error(`an event was not created: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CREATES }, create));
  const rule = { channel: "1", type: "COLOR", event_color: "RED", hours: 0, minutes: 0, info: "" };
  const { id } = await ask<{ id: string }>("/v1/announcement/create", { guild_id: GUILD, ...rule });
  previewed = { guild_id: GUILD, id };
}
