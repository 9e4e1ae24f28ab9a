import { MAX_ANNOUNCEMENTS } from "../../../../services/contracts/announcements.contract.ts";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import { until } from "../../../harness/until.ts";
import { startOnFilledDatabase } from "../filled-database.ts";
import type { HostileRow } from "../row.ts";

const GUILD = "3601" as GuildId;
/** The default of EVENTS_PER_GUILD. */
const EVENTS = 100_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Time in which the announcements are created and planned. */
const PLANNED_WITHIN_MS = 40_000;
const READ_WITHIN_MS = 30_000;

/** A guild has the maximum of digests at one instant, of a color that none of very many events has. */
export const MANY_DIGESTS: HostileRow = {
  name: "a guild has a thousand digests at one instant in a calendar with 100 000 events of another color",
  attackMs: 120_000,
  start: (env) => startOnFilledDatabase(env, fillCalendar),
  async attack({ ask }) {
    // A digest is due at a full minute.
    const due = Math.ceil((Date.now() + PLANNED_WITHIN_MS) / MINUTE_MS) * MINUTE_MS;
    const time = new Date(due).toISOString().slice(11, 16);
    const digest = { calendar_number: 1, frequency: "DAILY", time, days: 31, color: "RED" };
    const create = () =>
      ask("/v1/announcement/create", { guild_id: GUILD, channel: "1", type: "DIGEST", info: "", digest });
    await Promise.all(Array.from({ length: MAX_ANNOUNCEMENTS }, create));
  },
  async check({ ask }) {
    const isRead = async () => {
      const { posts } = await ask<{ posts: { readonly reason_code?: string }[] }>("/v1/announcement/history", {
        guild_id: GUILD,
        amount: -1,
      });
      return posts.some(({ reason_code }) => reason_code === "DIGEST_EMPTY");
    };
    // The others are read in turns, and are missed after the grace time.
    return until(isRead, "a digest was read", READ_WITHIN_MS, 1_000).then(
      () => [],
      (error: unknown) => [String(error)],
    );
  },
  control: {
    name: "the turns of a guild's digests",
    without: ["the digests of a guild are read one after the other"],
  },
};

/** The events of the next 31 days, without a color. */
async function fillCalendar(mongoUrl: string): Promise<void> {
  const calendar = await openCalendar(mongoUrl);
  const events = Array.from({ length: EVENTS }, (_, at) => {
    const startsAt = Date.now() + Math.floor((at / EVENTS) * 31 * DAY_MS);
    return { startsAt, endsAt: startsAt + MINUTE_MS };
  });
  await calendar.fill(GUILD, events);
  await calendar.connection.close();
}
