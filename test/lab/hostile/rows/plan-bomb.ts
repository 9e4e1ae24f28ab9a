import { once } from "node:events";
import type { HostileRow } from "../row.ts";

const GUILD = "3301";
const EVENTS = 2_000;
const ANNOUNCEMENTS = 150;
/** Time until the events start, in which they are created. */
const START_IN_MS = 30_000;

/** One guild has 300 000 posts due at one instant. Each of its requests is within the limits. */
export const PLAN_BOMB: HostileRow = {
  name: "a guild has two thousand events at one start and 150 announcements of each",
  attackMs: 60_000,
  async prepare(stage) {
    const announcement = { guild_id: GUILD, channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" };
    await each(ANNOUNCEMENTS, () => stage.ask("/v1/announcement/create", announcement));
  },
  async attack(stage, signal) {
    const start = Date.now() + START_IN_MS;
    const event = { guild_id: GUILD, calendar_number: 1, epoch_start: start, epoch_end: start + 3_600_000 };
    await each(EVENTS, () => stage.ask("/v2/events/create", event));
    if (!signal.aborted) await once(signal, "abort");
  },
  control: {
    name: "the limit on a guild's open posts",
    without: ["a guild has at most 5 000 open posts"],
  },
};

async function each(count: number, work: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work));
}
