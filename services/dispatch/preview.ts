import { type Announcement } from "../contracts/announcements.contract.ts";
import { MOST_ENTRIES } from "../contracts/calendar-events.contract.ts";
import type { Occurrence } from "../contracts/occurrences.contract.ts";
import type { PostPreview } from "../contracts/dispatch.contract.ts";
import { refuse, type Refusal } from "../contracts/errors.ts";
import { type AnnouncementId, type EpochMs, type GuildId, LAST_EPOCH_MS, type OccurrenceId } from "../contracts/ids.ts";
import type { ChannelChecks } from "./channel-checks.ts";
import { encodeMessage } from "./discord/message-body.ts";
import { covers } from "./domain/covers.ts";
import { renderAnnouncement } from "./domain/message/announcement-message.ts";
import type { Owners } from "./protocol/ports.ts";

/** What is to be shown: an announcement, for the next occurrence that it covers or for the named one. */
export interface PreviewParams {
  readonly guildId: GuildId;
  readonly id: string;
  readonly eventId?: string;
}

/** The next one is nearly always among the first; the second page is all that one answer may hold. */
const PAGES = [100, MOST_ENTRIES];
const NOTHING_AHEAD = "The announcement covers no event that is still ahead";

/** The messages of an announcement as they would be sent now. Reads the owners, and sends nothing. */
export async function previewOf(
  owners: Owners,
  channels: Pick<ChannelChecks, "problemNow" | "guildName">,
  { guildId, id, eventId }: PreviewParams,
  now: EpochMs,
): Promise<PostPreview | Refusal> {
  const announcement = await owners.announcement(guildId, id as AnnouncementId);
  if (announcement === null) return refuse("ANNOUNCEMENT_NOT_FOUND");
  const [occurrence, settings, problem] = await Promise.all([
    eventId === undefined ? nextCovered(owners, announcement, now) : named(owners, guildId, eventId, now),
    owners.settings(guildId),
    channels.problemNow(announcement),
  ]);
  if (occurrence === undefined) {
    return refuse("EVENT_NOT_FOUND", undefined, eventId === undefined ? NOTHING_AHEAD : undefined);
  }
  const guildName = settings.branded ? await channels.guildName(guildId) : undefined;
  return {
    eventId: occurrence.occurrenceId,
    startsAt: occurrence.startsAt,
    channel: announcement.channel,
    ...(problem === undefined ? {} : { problem }),
    messages: renderAnnouncement({ announcement, occurrence, settings, guildName }).map(encodeMessage),
  };
}

/** A disabled announcement is looked at before it is enabled: it is taken as if it were. */
function nextCovered(owners: Owners, announcement: Announcement, now: EpochMs): Promise<Occurrence | undefined> {
  const enabled = { ...announcement, enabled: true };
  return nextThat(owners, announcement.guildId, now, (occurrence) => covers(enabled, occurrence));
}

/** The event or the occurrence with this id, past or ahead; of a series the next that is ahead. */
async function named(owners: Owners, guildId: GuildId, id: string, now: EpochMs): Promise<Occurrence | undefined> {
  const occurrence = await owners.occurrence(guildId, id as OccurrenceId);
  return occurrence ?? nextThat(owners, guildId, now, ({ eventId }) => eventId === id);
}

async function nextThat(
  owners: Owners,
  guildId: GuildId,
  now: EpochMs,
  isMeant: (occurrence: Occurrence) => boolean,
): Promise<Occurrence | undefined> {
  const windows = [{ from: now, until: LAST_EPOCH_MS + 1 }];
  for (const limit of PAGES) {
    // Sequential on purpose: the second page is asked for only when the first did not have it.
    const { occurrences, truncated } = await owners.occurrences({ guildId, windows, limit, texts: false });
    const found = occurrences.find(isMeant);
    if (found !== undefined) return (await owners.occurrence(guildId, found.occurrenceId)) ?? undefined;
    if (!truncated) return undefined;
  }
  return undefined;
}
