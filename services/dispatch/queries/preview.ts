import { unhandled } from "../../../mixins/objects/unhandled.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import { dateOfDigest, digestRules } from "../../contracts/announcement-digests.ts";
import { anchorInstant, type PostOffset } from "../../contracts/announcement-offsets.ts";
import type { Announcement } from "../../contracts/announcements.contract.ts";
import { digestParams, type Occurrence, type OnlyOccurrences } from "../../contracts/occurrences.contract.ts";
import type { PostPreview, PostProblem, PreviewedOffset } from "../../contracts/dispatch.contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import {
  type AnnouncementId,
  type EpochMs,
  type EventId,
  type GuildId,
  LAST_EPOCH_MS,
  type OccurrenceId,
} from "../../contracts/ids.ts";
import type { ForeseenSkip, Pause } from "../../contracts/pause.ts";
import type { ChannelChecks } from "../channel-checks/channel-checks.ts";
import { encodeMessage } from "../sinks/message-body.ts";
import { isEmptyDigest } from "../domain/plan/empty-digest.ts";
import { leadMs } from "../domain/plan/offsets.ts";
import { skippedWhenDue } from "../domain/plan/skip-when-due.ts";
import { foreseenSkip } from "../domain/post/reason-code.ts";
import { covers } from "../domain/plan/covers.ts";
import { type MessageInput, showsGuildName } from "../domain/message/message-input.ts";
import { renderAnnouncement } from "../domain/message/announcement-message.ts";
import type { Owners } from "../protocol/ports.ts";

/** An announcement, and the event or occurrence; without `eventId` the next occurrence that the announcement covers. */
export interface PreviewParams {
  readonly guildId: GuildId;
  readonly id: string;
  readonly eventId?: string;
}

/** A digest is posted at least once in a week; a date may not exist (D46). */
export const NEXT_DIGEST_MS = 15 * 86_400_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Searched one after the other, so that an occurrence that starts soon is found without reading all. */
const SEARCH_RANGES_MS = [DAY_MS / 24, 32 * DAY_MS, Infinity];
/** A covered occurrence of a series is searched among this many: the first occurrence may have been moved behind others. */
const MAX_OF_SERIES = 100;
export const NOTHING_AHEAD = "The announcement covers no event that is still ahead";

/** Renders the messages of an announcement as they would be sent now. */
export async function renderPreview(
  owners: Owners,
  channels: Pick<ChannelChecks, "currentProblem" | "guildName">,
  { guildId, id, eventId }: PreviewParams,
  now: EpochMs,
): Promise<PostPreview | Refusal> {
  const announcement = await owners.announcement(guildId, id as AnnouncementId);
  if (announcement === null) return refuse("ANNOUNCEMENT_NOT_FOUND");
  const wrongEvent = eventOfDigest(announcement, eventId);
  if (wrongEvent !== undefined) return wrongEvent;
  const [occurrence, settings, problem] = await Promise.all([
    eventId === undefined ? nextCovered(owners, announcement, now) : findNamed(owners, announcement, eventId, now),
    owners.settings(guildId),
    channels.currentProblem(announcement),
  ]);
  if (occurrence === undefined) {
    return refuse("EVENT_NOT_FOUND", undefined, eventId === undefined ? NOTHING_AHEAD : undefined);
  }
  const guildName = showsGuildName(announcement, settings) ? await channels.guildName(guildId) : undefined;
  return previewOf({ announcement, occurrence, settings, guildName }, settings, problem);
}

/** The preview of a post, with the pause or the problem that would prevent it. */
export function previewOf(input: MessageInput, settings: Pause, problem: PostProblem | undefined): PostPreview {
  const { announcement, occurrence } = input;
  const skipAt = (dueAt: EpochMs) => foreseenSkip(skippedWhenDue(dueAt, { settings, announcement, occurrence }));
  return {
    eventId: occurrence.occurrenceId,
    startsAt: occurrence.startsAt,
    channel: announcement.channel,
    ...(announcement.offsets === undefined
      ? skipAt(occurrence.startsAt - leadMs(announcement))
      : { offsets: previewedOffsets(announcement.offsets, occurrence, skipAt) }),
    ...(problem === undefined ? {} : { problem }),
    messages: isEmptyDigest(input) ? [] : renderAnnouncement(input).map(encodeMessage),
  };
}

/** A filter of occurrences that lets all those pass that the announcement covers; of a series also others. */
export function occurrencesCoveredBy({ type, eventColor, eventId }: Announcement): OnlyOccurrences {
  switch (type) {
    case "COLOR":
      return { color: eventColor };
    case "RECUR":
    case "SPECIFIC":
      // The id of an occurrence is the series' id, `_` and the start (D12).
      return { eventId: eventId.split("_", 1)[0] as EventId };
    case "UNIVERSAL":
    case "DIGEST":
      return {};
    default:
      unhandled(type);
      return {};
  }
}

/** The due instants by the times of the occurrence alone. */
function previewedOffsets(
  offsets: readonly PostOffset[],
  occurrence: Occurrence,
  skipAt: (dueAt: EpochMs) => ForeseenSkip,
): PreviewedOffset[] {
  return offsets.map(({ anchor, minutes }) => {
    const anchorAt = anchorInstant(occurrence, anchor);
    const dueAt = anchorAt === undefined ? undefined : anchorAt + minutes * MINUTE_MS;
    return { anchor, minutes, ...definedFields({ dueAt }), ...(dueAt === undefined ? {} : skipAt(dueAt)) };
  });
}

/**
 * A disabled announcement is previewed as if it were enabled. If the filter also lets other occurrences pass, each is checked by
 * `covers`.
 */
async function nextCovered(owners: Owners, announcement: Announcement, now: EpochMs): Promise<Occurrence | undefined> {
  if (announcement.type === "DIGEST") return nextDigest(owners, announcement, now);
  const { type } = announcement;
  const only = occurrencesCoveredBy(announcement);
  const enabled = { ...announcement, enabled: true };
  const isOfSeries = type === "RECUR" || type === "SPECIFIC";
  return nextOccurrence(owners, announcement, now, only, isOfSeries ? (each) => covers(enabled, each) : undefined);
}

/** The next digest with the events of its days, as they are now. */
async function nextDigest(owners: Owners, announcement: Announcement, now: EpochMs): Promise<Occurrence | undefined> {
  const { guildId } = announcement;
  const digests = {
    rules: digestRules([{ ...announcement, enabled: true }]),
    window: { from: now, until: now + NEXT_DIGEST_MS },
  };
  const { occurrences } = await owners.occurrences({ guildId, windows: [], limit: 1, texts: false, digests });
  const date = dateOfDigest(occurrences[0]?.occurrenceId ?? "");
  const params = date === undefined ? undefined : digestParams(announcement, date);
  return params === undefined ? undefined : ((await owners.digest(params)) ?? undefined);
}

/** A digest lists the events of its days, so no event can be chosen. */
export function eventOfDigest({ type }: Announcement, eventId: string | undefined): Refusal | undefined {
  if (type !== "DIGEST" || eventId === undefined) return undefined;
  const message = "must be absent: the announcement is of the type DIGEST";
  return refuse("INVALID_REQUEST", [{ field: "eventId", code: "CONFLICTING", message }]);
}

/** The single event or the occurrence with this id, past or ahead; for a series, its next occurrence. */
async function findNamed(
  owners: Owners,
  announcement: Announcement,
  id: string,
  now: EpochMs,
): Promise<Occurrence | undefined> {
  const occurrence = await owners.occurrence(announcement.guildId, id as OccurrenceId, announcement.skipOn);
  return occurrence ?? nextOccurrence(owners, announcement, now, { eventId: id as EventId });
}

/** The next occurrence; with `isWanted`, the first wanted one among the next hundred. */
async function nextOccurrence(
  owners: Owners,
  { guildId, skipOn }: Announcement,
  now: EpochMs,
  only: OnlyOccurrences,
  isWanted?: (occurrence: Occurrence) => boolean,
): Promise<Occurrence | undefined> {
  let from = now;
  for (const aheadMs of SEARCH_RANGES_MS) {
    const until = Math.min(now + aheadMs, LAST_EPOCH_MS + 1);
    const params = {
      guildId,
      windows: [{ from, until }],
      limit: isWanted === undefined ? 1 : MAX_OF_SERIES,
      texts: false,
      only,
    };
    // Sequential on purpose: the next range is read only if this one has no result.
    const { occurrences, truncated } = await owners.occurrences(params);
    const found = isWanted === undefined ? occurrences[0] : occurrences.find(isWanted);
    if (found !== undefined) return (await owners.occurrence(guildId, found.occurrenceId, skipOn)) ?? undefined;
    if (truncated || until > LAST_EPOCH_MS) return undefined;
    from = until;
  }
  return undefined;
}
