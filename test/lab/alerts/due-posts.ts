import { createAnnouncement } from "../../../services/contracts/announcements.contract.ts";
import { createEvent } from "../../../services/contracts/calendar-events.contract.ts";
import type { GuildId } from "../../../services/contracts/ids.ts";
import type { Installation } from "../cluster/installation.ts";

const MINUTE = 60_000;
const EVERY_MS = 1_000;
const CONCURRENT = 20;
let guilds = 700_000;

/**
 * Creates events whose posts come due one after the other, one a second, for so long. A post is due a minute before its event,
 * which lasts a second: if it is over a minute late, it is missed.
 *
 * @param hasHistory - Whether the bot can read the history of the channel, and so find out what became of a send without a response.
 */
export async function makePostsDue(
  { broker, chat }: Installation,
  forMs: number,
  { hasHistory }: { readonly hasHistory: boolean },
): Promise<void> {
  const guildId = String((guilds += 1)) as GuildId;
  const overwrites = hasHistory ? [] : [{ id: guildId, deny: ["READ_MESSAGE_HISTORY"] as const }];
  chat.addChannel(guildId, { guild: guildId, overwrites });
  const announcement = { guildId, channel: guildId, type: "UNIVERSAL", hours: 0, minutes: 1, info: "" };
  await broker.call(createAnnouncement.name, announcement);
  const first = Date.now() + MINUTE + 5_000;
  const starts = Array.from({ length: forMs / EVERY_MS }, (_, at) => first + at * EVERY_MS);
  while (starts.length > 0) {
    const events = starts.splice(0, CONCURRENT).map((startsAt) => {
      const times = { startsAt, endsAt: startsAt + EVERY_MS };
      return broker.call(createEvent.name, { guildId, calendarNumber: 1, name: "raid", ...times });
    });
    await Promise.all(events);
  }
}
