import { attackOn, requestText } from "../connections.ts";
import type { HostileRow, Stage } from "../row.ts";

const GUILD = "3001";
const SENDERS = 64;

/** One valid key requests lists of a full calendar, each after the last response. */
export const FLOOD_OF_ONE_KEY: HostileRow = {
  name: "one key requests full lists without a pause",
  attackMs: 30_000,
  prepare: fill,
  async attack(stage, signal) {
    const key = await stage.createKey(GUILD);
    const body = { guild_id: GUILD, calendar_number: 1, epoch_start: 0, days_in_month: 31 };
    const requests = [requestText("/v2/events/list/month", key, body)];
    const load = { addresses: ["127.0.0.2"], count: SENDERS, requests, afterwards: "repeat", againMs: 100 } as const;
    await attackOn(stage, signal, [load]);
  },
  control: {
    name: "the limits on a guild's concurrent requests and on its requests per window",
    without: [
      "the concurrent requests of a guild are limited, large lists more than others",
      "the requests of a key and of a guild are limited per window",
    ],
  },
};

/** Twelve daily series with long texts: a list of a month is 1.5 MB. */
async function fill({ ask }: Stage): Promise<void> {
  const event = {
    guild_id: GUILD,
    calendar_number: 1,
    epoch_start: 0,
    epoch_end: 3_600_000,
    recur: true,
    recurrence: { frequency: "DAILY", count: -1, interval: 1 },
    description: "x".repeat(4_000),
  };
  for (let at = 0; at < 12; at += 1) await ask("/v2/events/create", event);
}
