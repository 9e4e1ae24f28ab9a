import { type CallContext, isUnavailable } from "../../mixins/contract-action.ts";
import type { Announcement, ShownAnnouncement } from "../contracts/announcements.contract.ts";
import { listExistingEvents } from "../contracts/calendar-events.contract.ts";
import type { GuildId } from "../contracts/ids.ts";

/** How long an answer waits for the owner of the events. */
const EXISTING_ANSWER_MS = 1_000;

/**
 * The announcements of a guild; those whose event is gone are marked as `dangling` (D42). The owner of the events is asked
 * each time, in one call: a broadcast may be lost. While the owner is not there, nothing is marked.
 */
export async function markDangling(
  announcements: readonly Announcement[],
  guildId: GuildId,
  context: CallContext<unknown>,
): Promise<ShownAnnouncement[]> {
  const eventIds = [...new Set(announcements.map(({ eventId }) => eventId))].filter((eventId) => eventId !== "");
  if (eventIds.length === 0) return [...announcements];
  const existing = await existingAmong(guildId, eventIds, context);
  return announcements.map((announcement) =>
    announcement.eventId === "" || existing.has(announcement.eventId)
      ? announcement
      : { ...announcement, dangling: true },
  );
}

async function existingAmong(
  guildId: GuildId,
  eventIds: readonly string[],
  context: CallContext<unknown>,
): Promise<ReadonlySet<string>> {
  const options = { timeout: EXISTING_ANSWER_MS, retries: 0 };
  const asked = { guildId, eventIds };
  try {
    return new Set(await context.call<string[], typeof asked>(listExistingEvents.name, asked, options));
  } catch (error) {
    if (isUnavailable(error)) return new Set(eventIds);
    throw error;
  }
}
