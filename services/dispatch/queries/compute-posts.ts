import { digestRules } from "../../contracts/announcement-digests.ts";
import { type AnnouncementRule, MAX_ANNOUNCEMENTS } from "../../contracts/announcements.contract.ts";
import { MAX_ENTRIES } from "../../contracts/calendar-events.contract.ts";
import { holidayCalendars } from "../../contracts/holidays.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { Pause } from "../../contracts/pause.ts";
import type { OccurrencesStarting } from "../../contracts/occurrences.contract.ts";
import type { Window } from "../../contracts/window.ts";
import { selectedIds } from "../domain/diff/select-passes.ts";
import { elapsedOffsets } from "../domain/plan/offsets.ts";
import { firstPositionAt, type Position } from "../domain/plan/plan-order.ts";
import { planSelection } from "../domain/plan/plan-posts.ts";
import { selectSoonest } from "../domain/plan/select-soonest.ts";
import type { Post } from "../domain/post/post.ts";
import { SINK_NAMES, type SinkName } from "../domain/post/sink-name.ts";
import { existingPosts } from "../protocol/planning/existing-posts.ts";
import { anchorParam, distinct, holidaysParam, readDue } from "../protocol/planning/read-occurrences.ts";
import type { Owners } from "../protocol/ports.ts";
import type { PostStore } from "../protocol/post-store.ts";
import { inSlices } from "./in-slices.ts";

export interface ComputePorts {
  readonly owners: Pick<Owners, "announcementRules" | "occurrences" | "settings">;
  readonly store: Pick<PostStore, "postsForPlan" | "postsOfPairs">;
  readonly sinks: readonly SinkName[];
  readonly graceMs: number;
}

const DAY_MS = 86_400_000;
/** The parts of a window become longer: a near page reads few occurrences, and a guild with few events is read in few parts. */
const FIRST_PART_MS = DAY_MS;
const GROWTH = 4;
/** A part with too many occurrences is divided by this. */
const SPAN_DIVISOR = 4;
/** A shorter part is not divided. */
const MIN_PART_MS = 1_000;
/** After this time no further part is read. */
const SEARCH_TIME_MS = 1_000;

/** A guild has at most that many posts that suspend an announcement, or summarize what it skips: one of each in each sink. */
const MAX_SUSPENDED = MAX_ANNOUNCEMENTS * SINK_NAMES.length;

/** Posts in the order of their positions. */
export interface ComputedPosts {
  readonly posts: readonly Post[];
  /** Every post before this position was computed. */
  readonly end: Position;
  /** Whether the end of the window was reached. */
  readonly isComplete: boolean;
}

/**
 * The posts that a plan would have from the position `start` on, before `until`, soonest first: at least `wanted`, or
 * fewer at the end of the window or after a second.
 *
 * `start` must not be before `now`: a later post is due by its offset alone, never at once because its event is new.
 */
export async function computePosts(
  ports: ComputePorts,
  guildId: GuildId,
  { start, until, now }: { readonly start: Position; readonly until: EpochMs; readonly now: EpochMs },
  wanted: number,
  clock = () => performance.now(),
): Promise<ComputedPosts> {
  const endsAt = clock() + SEARCH_TIME_MS;
  const everyRule = start.at < until ? await ports.owners.announcementRules(guildId, now) : [];
  const announcements = everyRule.filter(({ enabled, until: inForceUntil }) => enabled && inForceUntil === undefined);
  if (announcements.length === 0) return { posts: [], end: firstPositionAt(until), isComplete: true };
  const guildPause = await ports.owners.settings(guildId);
  const posts: Post[] = [];
  let end = start;
  let length = FIRST_PART_MS;
  while (end.at < until && posts.length < wanted) {
    const part = await readPart(ports, guildId, announcements, {
      from: end.at,
      until: Math.min(until, end.at + length),
    });
    const given = { start: end, through: part.window.until, now, graceMs: ports.graceMs, guildPause };
    const computed = await planPart(ports, guildId, { ...given, announcements, ...part }, wanted);
    posts.push(...computed.posts);
    end = computed.end;
    if (end.at === part.window.until) length *= GROWTH;
    if (clock() >= endsAt) break;
  }
  return { posts, end, isComplete: end.at >= until };
}

interface Part {
  readonly window: Window;
  readonly occurrences: OccurrencesStarting["occurrences"];
}

/** Reads the occurrences that are due in a window. The window is shortened while it has too many, down to MIN_PART_MS. */
async function readPart(
  { owners }: ComputePorts,
  guildId: GuildId,
  announcements: readonly AnnouncementRule[],
  { from, until }: Window,
): Promise<Part> {
  const offsets = elapsedOffsets(announcements);
  const digests = digestRules(announcements);
  const holidays = holidaysParam(holidayCalendars(announcements));
  for (let span = until - from; ; span = Math.ceil(span / SPAN_DIVISOR)) {
    const window = { from, until: from + span };
    const found = await readDue(
      (anchor, windows, only = {}) =>
        owners.occurrences({
          guildId,
          windows,
          ...anchorParam(anchor),
          limit: MAX_ENTRIES,
          texts: false,
          ...only,
          ...holidays,
        }),
      { offsets, digests, from },
      window.until,
    );
    if (span > MIN_PART_MS && found.some(({ truncated }) => truncated)) continue;
    return { window, occurrences: distinct(found.flatMap(({ occurrences }) => occurrences)) };
  }
}

interface PartInput extends Part {
  readonly announcements: readonly AnnouncementRule[];
  readonly start: Position;
  readonly through: EpochMs;
  readonly now: EpochMs;
  readonly graceMs: number;
  readonly guildPause: Pause;
}

async function planPart(
  ports: ComputePorts,
  guildId: GuildId,
  { window, ...part }: PartInput,
  wanted: number,
): Promise<Pick<ComputedPosts, "posts" | "end">> {
  const selection = await inSlices(selectSoonest(part, wanted));
  const { firstOmitted, candidates } = selection;
  const { at, announcementId, occurrenceId } = firstOmitted ?? firstPositionAt(window.until);
  const end = { at, announcementId, occurrenceId };
  if (candidates.length === 0) return { posts: [], end };
  const ofPart = { announcements: part.announcements, occurrences: part.occurrences, candidates };
  const ids = selectedIds([ofPart]);
  const existing = await existingPosts(ports, { maxOpenPosts: MAX_SUSPENDED }, guildId, ids);
  const input = {
    ...part,
    guildId,
    existing,
    sinks: ports.sinks,
    // Only the posts are used that the plan adds, whatever it decides about existing ones.
    windows: {},
    maxOpenPosts: Infinity,
    version: 0,
  };
  const { inserts } = await inSlices(planSelection(input, { candidates, firstOmitted, expired: [] }));
  return { posts: inserts.filter(({ state }) => state === "planned"), end };
}
