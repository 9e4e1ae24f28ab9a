import { digestRules } from "../../contracts/announcement-digests.ts";
import type { Announcement } from "../../contracts/announcements.contract.ts";
import type { DraftChange } from "../../contracts/draft-changes.contract.ts";
import { draftAnnouncementId } from "../../contracts/draft-changes.contract.ts";
import type { PostPreview } from "../../contracts/dispatch.contract.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import { type AnnouncementId, type EpochMs, LAST_EPOCH_MS } from "../../contracts/ids.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { PreviewDraftsParams } from "../../contracts/plan-diff.contract.ts";
import type { ChannelChecks } from "../channel-checks/channel-checks.ts";
import { showsGuildName } from "../domain/message/message-input.ts";
import { covers } from "../domain/plan/covers.ts";
import { shownDigests } from "./render-differences.ts";
import { ChangedMeanwhile, type DraftedGuild, draftGuild, type DraftOwners } from "./drafted-guild.ts";
import { eventOfDigest, NEXT_DIGEST_MS, NOTHING_AHEAD, occurrencesCoveredBy, previewOf } from "./preview.ts";

const DAY_MS = 86_400_000;
/** Searched one after the other, so that occurrences that start soon are found without reading all. */
const SEARCH_RANGES_MS = [32 * DAY_MS, 400 * DAY_MS, Infinity];
/** Occurrences that are read in one range: of a series, the wanted ones may have been moved behind others. */
const MAX_READ = 200;

/** Renders the messages of an announcement for the next occurrences, as they would be after changes (D58). */
export async function renderDraftPreviews(
  owners: DraftOwners,
  channels: Pick<ChannelChecks, "currentProblem" | "guildName">,
  { guildId, changes, id = announcementOf(changes), eventId, limit = 1 }: PreviewDraftsParams,
  now: EpochMs,
  byOperator: boolean,
): Promise<PostPreview[] | Refusal> {
  try {
    const guild = await draftGuild(owners, { guildId, changes, now, byOperator });
    if (isRefusal(guild)) return guild;
    if (id === undefined) return refuse("INVALID_REQUEST", [NO_ANNOUNCEMENT]);
    const changed = guild.announcements.changed.find((each) => each.id === id);
    const announcement =
      changed === undefined ? await owners.announcement(guildId, id as AnnouncementId) : (changed.announcement ?? null);
    if (announcement === null) return refuse("ANNOUNCEMENT_NOT_FOUND");
    const wrongEvent = eventOfDigest(announcement, eventId);
    if (wrongEvent !== undefined) return wrongEvent;
    const found = await nextOccurrences(guild, announcement, { eventId, limit, now });
    if (found.length === 0)
      return refuse("EVENT_NOT_FOUND", undefined, eventId === undefined ? NOTHING_AHEAD : undefined);
    const { after: settings } = guild.settings;
    const [problem, guildName] = await Promise.all([
      channels.currentProblem(announcement),
      showsGuildName(announcement, settings) ? channels.guildName(guildId) : undefined,
    ]);
    return found.map((occurrence) => previewOf({ announcement, occurrence, settings, guildName }, settings, problem));
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return error.refusal;
    throw error;
  }
}

const NO_ANNOUNCEMENT = {
  field: "id",
  code: "REQUIRED",
  message: "is required when no change creates or updates an announcement",
} as const;

/** The announcement that the last change of an announcement creates or updates. */
function announcementOf(changes: readonly DraftChange[]): string | undefined {
  const ids = changes.map((change, at) => {
    if (change.action === "CREATE_ANNOUNCEMENT") return draftAnnouncementId(at);
    return change.action === "UPDATE_ANNOUNCEMENT" ? change.id : undefined;
  });
  return ids.findLast((each) => each !== undefined);
}

interface Wanted {
  readonly eventId: string | undefined;
  readonly limit: number;
  readonly now: EpochMs;
}

/** The next occurrences that the announcement covers, or the named event's, with their texts. */
async function nextOccurrences(
  guild: DraftedGuild,
  announcement: Announcement,
  { eventId, limit, now }: Wanted,
): Promise<readonly Occurrence[]> {
  if (announcement.type === "DIGEST") return nextDigests(guild, announcement, limit, now);
  const holidays = announcement.skipOn === undefined ? {} : { holidaysOf: [announcement.skipOn] };
  if (eventId !== undefined) {
    const { after: named } = await guild.shown([], [eventId as Occurrence["occurrenceId"]], holidays);
    if (named.length > 0) return named;
  }
  // A disabled announcement is previewed as if it were enabled.
  const isWanted = (occurrence: Occurrence) =>
    eventId === undefined ? covers({ ...announcement, enabled: true }, occurrence) : occurrence.eventId === eventId;
  const only =
    eventId === undefined ? occurrencesCoveredBy(announcement) : { eventId: eventId as Occurrence["eventId"] };
  const found: Occurrence[] = [];
  let from = now;
  for (const aheadMs of SEARCH_RANGES_MS) {
    const window = { from, until: Math.min(now + aheadMs, LAST_EPOCH_MS + 1) };
    // Sequential on purpose: the next range is read only if this one has too few.
    const { unchanged, after, truncated } = await guild.occurrences({
      window,
      windows: [window],
      only,
      limit: MAX_READ,
    });
    const ahead = [...unchanged, ...after].filter(isWanted).toSorted((one, other) => one.startsAt - other.startsAt);
    found.push(...ahead.slice(0, limit - found.length));
    if (found.length >= limit || truncated) break;
    from = window.until;
  }
  if (found.length === 0) return [];
  const { after: shown } = await guild.shown(
    [],
    found.map(({ occurrenceId }) => occurrenceId),
    holidays,
  );
  return shown;
}

/** The next digests, with the events that are stored now (D65). */
async function nextDigests(
  guild: DraftedGuild,
  announcement: Announcement,
  limit: number,
  now: EpochMs,
): Promise<readonly Occurrence[]> {
  const window = { from: now, until: now + limit * NEXT_DIGEST_MS };
  const digests = { rules: digestRules([{ ...announcement, enabled: true }]), window };
  const { unchanged, after } = await guild.occurrences({ window: NO_WINDOW, windows: [], digests, limit: MAX_READ });
  const found = [...unchanged, ...after]
    .filter(({ digest }) => digest !== undefined)
    .toSorted((one, other) => one.startsAt - other.startsAt);
  const ids = found.slice(0, limit).map(({ occurrenceId }) => occurrenceId);
  const shown = { before: [], after: shownDigests(new Map([[announcement.id, announcement]])) };
  return (await guild.shown([], ids, { digests: shown })).after;
}

const NO_WINDOW = { from: 0, until: 0 };
