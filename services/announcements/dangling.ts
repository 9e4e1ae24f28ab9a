import { type CallContext, isUnavailable } from "../../mixins/actions/contract-action.ts";
import { callAction } from "../../mixins/actions/typed-calls.ts";
import type { Announcement, AnnouncementView } from "../contracts/announcements.contract.ts";
import { listExistingEvents, type ListExistingEventsParams } from "../contracts/event-references.contract.ts";
import type { GuildId } from "../contracts/ids.ts";

/** Timeout of the calls to the owner of the events. */
const EXISTING_EVENTS_TIMEOUT_MS = 1_000;

/**
 * Marks announcements whose event no longer exists as `dangling` (D42). Calls the owner of the events each time, once for
 * SPECIFIC and once for the other types: a stored mark would depend on broadcasts, which may be lost. While the owner is
 * unavailable, no announcement is marked.
 */
export async function markDangling(
  announcements: readonly Announcement[],
  guildId: GuildId,
  context: CallContext<unknown>,
): Promise<AnnouncementView[]> {
  const isSpecific = ({ type }: Announcement) => type === "SPECIFIC";
  const [specific, others] = [announcements.filter(isSpecific), announcements.filter((each) => !isSpecific(each))];
  // SPECIFIC on a series means its first occurrence (D24).
  const [occurrences, events] = await Promise.all([
    findExisting({ guildId, eventIds: eventIdsOf(specific), firstOccurrence: true }, context),
    findExisting({ guildId, eventIds: eventIdsOf(others) }, context),
  ]);
  return announcements.map((announcement) => {
    const { eventId } = announcement;
    const exists = eventId === "" || (isSpecific(announcement) ? occurrences : events).has(eventId);
    return exists ? announcement : { ...announcement, dangling: true };
  });
}

function eventIdsOf(announcements: readonly Announcement[]): string[] {
  return [...new Set(announcements.map(({ eventId }) => eventId))].filter((eventId) => eventId !== "");
}

async function findExisting(
  params: ListExistingEventsParams,
  context: CallContext<unknown>,
): Promise<ReadonlySet<string>> {
  if (params.eventIds.length === 0) return new Set();
  const options = { timeout: EXISTING_EVENTS_TIMEOUT_MS };
  try {
    return new Set(await callAction(context, listExistingEvents, params, options));
  } catch (error) {
    if (isUnavailable(error)) return new Set(params.eventIds);
    throw error;
  }
}
