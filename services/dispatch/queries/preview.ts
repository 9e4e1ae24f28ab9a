import { type Announcement } from "../../contracts/announcements.contract.ts";
import type { Occurrence, OnlyOccurrences } from "../../contracts/occurrences.contract.ts";
import type { PostPreview } from "../../contracts/dispatch.contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import {
  type AnnouncementId,
  type EpochMs,
  type EventId,
  type GuildId,
  LAST_EPOCH_MS,
  type OccurrenceId,
} from "../../contracts/ids.ts";
import type { ChannelChecks } from "../channel-checks/channel-checks.ts";
import { encodeMessage } from "../sinks/message-body.ts";
import { covers } from "../domain/plan/covers.ts";
import { renderAnnouncement } from "../domain/message/announcement-message.ts";
import type { Owners } from "../protocol/ports.ts";

/** What is to be shown: an announcement, for the next occurrence that it covers or for the named one. */
export interface PreviewParams {
  readonly guildId: GuildId;
  readonly id: string;
  readonly eventId?: string;
}

const DAY_MS = 86_400_000;
/** How far is looked ahead, one after the other: what starts soon is found without looking at all that ever starts. */
const AHEAD_MS = [DAY_MS / 24, 32 * DAY_MS, Infinity];
/** Among so many of a series its first occurrence is looked for, which may have been moved by hand. */
const MAX_OF_SERIES = 100;
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
async function nextCovered(owners: Owners, announcement: Announcement, now: EpochMs): Promise<Occurrence | undefined> {
  const enabled = { ...announcement, enabled: true };
  const { guildId } = announcement;
  switch (announcement.type) {
    case "COLOR":
      return nextOf(
        owners,
        guildId,
        now,
        announcement.eventColor === undefined ? {} : { color: announcement.eventColor },
      );
    case "RECUR":
    case "SPECIFIC": {
      // An occurrence is named by its series and its start (D12).
      const [eventId] = (announcement.eventId ?? "").split("_", 1);
      return nextOf(owners, guildId, now, { eventId: eventId as EventId }, (occurrence) => covers(enabled, occurrence));
    }
    case "UNIVERSAL":
    default:
      return nextOf(owners, guildId, now, {});
  }
}

/** The event or the occurrence with this id, past or ahead; of a series the next that is ahead. */
async function named(owners: Owners, guildId: GuildId, id: string, now: EpochMs): Promise<Occurrence | undefined> {
  const occurrence = await owners.occurrence(guildId, id as OccurrenceId);
  return occurrence ?? nextOf(owners, guildId, now, { eventId: id as EventId });
}

/** The soonest that is ahead; with `isMeant` the soonest of those, among the first hundred. */
async function nextOf(
  owners: Owners,
  guildId: GuildId,
  now: EpochMs,
  only: OnlyOccurrences,
  isMeant?: (occurrence: Occurrence) => boolean,
): Promise<Occurrence | undefined> {
  let from = now;
  for (const aheadMs of AHEAD_MS) {
    const until = Math.min(now + aheadMs, LAST_EPOCH_MS + 1);
    const asked = {
      guildId,
      windows: [{ from, until }],
      limit: isMeant === undefined ? 1 : MAX_OF_SERIES,
      texts: false,
      only,
    };
    // Sequential on purpose: what is further ahead is asked for only when nothing was found before it.
    const { occurrences, truncated } = await owners.occurrences(asked);
    const found = isMeant === undefined ? occurrences[0] : occurrences.find(isMeant);
    if (found !== undefined) return (await owners.occurrence(guildId, found.occurrenceId)) ?? undefined;
    if (truncated || until > LAST_EPOCH_MS) return undefined;
    from = until;
  }
  return undefined;
}
