import { attackOn, requestText } from "../connections.ts";
import type { HostileRow } from "../row.ts";

const GUILDS = ["3101", "3102", "3103", "3104", "3105", "3106", "3107", "3108"];
const DAY_MS = 86_400_000;
/** An occurrence with the longest texts has 7 kB. */
const DAYS_OF_FOUR_MIB = 580;
const DAYS_OF_68_MB = 9_900;
const SENDERS = 24;
const NEVER_READING = 24;
const FROM = { addresses: ["127.0.0.2"], againMs: 100 };

/** Eight guilds request the largest allowed lists and larger ones, and do not read some of the responses. */
export const LARGE_RESPONSES: HostileRow = {
  name: "eight keys request lists of 4 and of 68 MB without a pause",
  attackMs: 30_000,
  async prepare({ ask }) {
    for (const guild of GUILDS) {
      const event = {
        guild_id: guild,
        calendar_number: 1,
        epoch_start: 0,
        epoch_end: 3_600_000,
        recur: true,
        recurrence: { frequency: "DAILY" },
        name: "n".repeat(256),
        description: "d".repeat(4_000),
        location: "l".repeat(256),
        image: `https://example.com/${"i".repeat(2_000)}`,
      };
      await ask("/v2/events/create", event);
    }
  },
  async attack(stage, signal) {
    const keys = await Promise.all(GUILDS.map((guild) => stage.createKey(guild)));
    const requests = (days: number) => keys.map((key, at) => request(key, GUILDS[at]!, days));
    const reading = { ...FROM, count: SENDERS, afterwards: "repeat" } as const;
    await attackOn(stage, signal, [
      { ...reading, requests: requests(DAYS_OF_FOUR_MIB) },
      { ...reading, requests: requests(DAYS_OF_68_MB) },
      { ...FROM, count: NEVER_READING, afterwards: "ignore", requests: requests(DAYS_OF_FOUR_MIB) },
    ]);
  },
  control: {
    name: "the limit of 4 MiB",
    without: ["a service and the gateway limit the size of a list (D38)"],
  },
};

function request(key: string, guild: string, days: number): string {
  const body = { guild_id: guild, calendar_number: 1, epoch_start: 0, epoch_end: days * DAY_MS };
  return requestText("/v2/events/list/range", key, body);
}
