import type { GuildId } from "../../../services/contracts/ids.ts";
import { openCalendar } from "../../calendar/filled-calendar.ts";

const HOUR_MS = 3_600_000;

/** Stores one event for each hour, from a thousand hours ahead on, in the first calendar of the guild. */
export async function fillHourly(
  mongoUrl: string,
  guildId: GuildId,
  count: number,
  description: string,
): Promise<void> {
  const calendar = await openCalendar(mongoUrl);
  const from = Date.now() + 1_000 * HOUR_MS;
  const events = Array.from({ length: count }, (_, at) => {
    const startsAt = from + at * HOUR_MS;
    return { startsAt, endsAt: startsAt + HOUR_MS, description };
  });
  await calendar.fill(guildId, events);
  await calendar.connection.close();
}
