import { setTimeout as pause } from "node:timers/promises";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import { startOnFilledDatabase } from "../filled-database.ts";
import type { HostileRow } from "../row.ts";

const GUILD = "3801" as GuildId;
/** A thousand events and ten announcements of each are the 10 000 pairs of D58. */
const EVENTS = 1_000;
const ANNOUNCEMENTS = 10;
const HOUR_MS = 3_600_000;
const APART_MS = 8 * HOUR_MS;
const TEXT = "x".repeat(1_000);
const CLIENTS = 32;

let changes: readonly object[] = [];

/** One key compares plans at the bound, in parallel. */
export const PLAN_DIFFS: HostileRow = {
  name: "one key compares plans of ten thousand posts without a pause",
  attackMs: 30_000,
  start: (env) => startOnFilledDatabase(env, fill),
  async prepare({ ask }) {
    const rule = { guild_id: GUILD, channel: "1", type: "UNIVERSAL", hours: 0, info: TEXT };
    const ids: string[] = [];
    for (let minutes = 0; minutes < ANNOUNCEMENTS; minutes += 1) {
      ids.push((await ask<{ id: string }>("/v1/announcement/create", { ...rule, minutes })).id);
    }
    changes = ids.map((id) => ({ action: "UPDATE_ANNOUNCEMENT", id, hours: 1 }));
    await ask("/v2/plan/diff", { guild_id: GUILD, changes, limit: 200 });
  },
  async attack(stage, signal) {
    const key = await stage.createKey(GUILD);
    const repeat = async (path: string, limit: number) => {
      while (!signal.aborted) {
        const { status } = await stage.post(path, key, JSON.stringify({ guild_id: GUILD, changes, limit }));
        if (status !== 200) await pause(100);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, () => repeat("/v2/plan/diff", 200)));
  },
  control: {
    name: "the turns of comparisons",
    without: ["a comparison of plans counts towards the concurrent lists", "work that has a turn excludes other work"],
  },
};

async function fill(mongoUrl: string): Promise<void> {
  const calendar = await openCalendar(mongoUrl);
  const from = Date.now() + HOUR_MS;
  const events = Array.from({ length: EVENTS }, (_, at) => {
    const startsAt = from + at * APART_MS;
    return { startsAt, endsAt: startsAt + HOUR_MS, name: `Event ${at}`, description: TEXT };
  });
  await calendar.fill(GUILD, events);
  await calendar.connection.close();
}
