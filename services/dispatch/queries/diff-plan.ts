import { type DigestRule, digestRules } from "../../contracts/announcement-digests.ts";
import { isOfWrites } from "../../contracts/announcement-offsets.ts";
import type { Announcement } from "../../contracts/announcements.contract.ts";
import { MAX_ENTRIES } from "../../contracts/calendar-events.contract.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import type { AnnouncementId, EpochMs } from "../../contracts/ids.ts";
import { pauseEnd } from "../../contracts/pause.ts";
import { mergedWindows, type Window } from "../../contracts/window.ts";
import type { DraftedOccurrences } from "../../contracts/owner-drafts.contract.ts";
import { DEFAULT_DIFFERENCES, type PlanDiff, type PlanDiffParams } from "../../contracts/plan-diff.contract.ts";
import { type ComparedPlans, comparePlans, type PlanDifference } from "../domain/diff/compare-plans.ts";
import { messageChanges } from "../domain/diff/message-changes.ts";
import { passesOf, selectedIds, selectPasses } from "../domain/diff/select-passes.ts";
import { elapsedOffsets } from "../domain/plan/offsets.ts";
import { type AnchorWindows, CANDIDATES_PER_POST, MAX_OPEN_POSTS } from "../domain/plan/plan-input.ts";
import { comparePositions, firstPositionAt, type Position } from "../domain/plan/plan-order.ts";
import type { SinkName } from "../domain/post/sink-name.ts";
import { existingPosts } from "../protocol/planning/existing-posts.ts";
import {
  type AnchorOffsets,
  anchorParam,
  byAnchor,
  distinct,
  dueWithin,
  longestLead,
  MAX_CREATED_LATE_MS,
} from "../protocol/planning/read-occurrences.ts";
import type { PostStore } from "../protocol/post-store.ts";
import { renderDifferences, type RenderPorts } from "./render-differences.ts";
import { ChangedMeanwhile, changedIds, type DraftedGuild, draftGuild, type DraftOwners } from "./drafted-guild.ts";
import { inSlices } from "./in-slices.ts";

/** The dependencies of a comparison of plans. */
export interface DiffPorts extends RenderPorts {
  readonly owners: DraftOwners;
  readonly store: Pick<PostStore, "postsForPlan" | "postsOfPairs">;
  readonly sinks: readonly SinkName[];
  readonly graceMs: number;
}

const DAY_MS = 86_400_000;
/** Plans are compared up to this time after now. */
export const COMPARED_MS = 366 * DAY_MS;
/** A guild with too many occurrences is compared for a shorter time: the time is divided by this until they can be read. */
const SPAN_DIVISOR = 4;
const MIN_COMPARED_MS = 3_600_000;
const MAX_PAIRS = CANDIDATES_PER_POST * MAX_OPEN_POSTS;

/** Compares the plan of a guild with its plan after changes that are stored nowhere (D58). */
export async function diffPlanOf(
  ports: DiffPorts,
  { guildId, changes, limit = DEFAULT_DIFFERENCES }: PlanDiffParams,
  now: EpochMs,
  byOperator: boolean,
): Promise<PlanDiff | Refusal> {
  try {
    const guild = await draftGuild(ports.owners, { guildId, changes, now, byOperator });
    if (isRefusal(guild)) return guild;
    const compared = await compareGuild(ports, guildId, guild, { now, mayMoveDigests: changes.some(mayMoveDigests) });
    return isRefusal(compared) ? compared : await diffOf(ports, guildId, guild, compared, limit);
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return error.refusal;
    throw error;
  }
}

/** Whether digests may have other instants although their announcements are the same: by another zone or number of calendars. */
function mayMoveDigests({ action }: PlanDiffParams["changes"][number]): boolean {
  return action === "UPDATE_CALENDAR" || action === "UPDATE_SETTINGS";
}

/** The differences, soonest first, and the instant before which posts were compared. */
interface ComparedGuild {
  readonly differences: readonly PlanDifference[];
  readonly through: EpochMs;
}

async function compareGuild(
  ports: DiffPorts,
  guildId: PlanDiffParams["guildId"],
  guild: DraftedGuild,
  { now, mayMoveDigests: movesDigests }: { readonly now: EpochMs; readonly mayMoveDigests: boolean },
): Promise<ComparedGuild | Refusal> {
  const { announcements, settings } = guild;
  const { before: rulesBefore, after: rulesAfter } = announcements;
  const stored = await storedAnnouncements(ports, guildId, guild);
  const messages = messageChanges(settings, stored, announcements.changed);
  const changed =
    messages.byEveryAnnouncement || pauseEnd(settings.before) !== pauseEnd(settings.after)
      ? new Set([...rulesBefore, ...rulesAfter].map(({ id }) => id))
      : changedIds(guild);
  const rules = [...rulesBefore, ...rulesAfter];
  const offsetsOfChanged = Map.groupBy(
    elapsedOffsets(rules.filter(({ id }) => changed.has(id))),
    ({ anchor }) => anchor,
  );
  const anchors = byAnchor(elapsedOffsets(rules)).map(({ anchor, offsets }) => ({
    anchor,
    offsets,
    offsetsOfChanged: (offsetsOfChanged.get(anchor) ?? []).map(({ ms }) => ms),
  }));
  const from = now - ports.graceMs;
  const digests = digestRules(movesDigests ? rules : rules.filter(({ id }) => changed.has(id)));
  const read = await readSpan(guild, { from, now, anchors, digests });
  if (isRefusal(read)) return read;
  const { occurrences, windows, through: readThrough } = read;
  const { unchanged, before, after, altered } = occurrences;
  const passes = passesOf({ rulesBefore, rulesAfter, changed, unchanged, before, after });
  const common = { start: firstPositionAt(from), through: readThrough, now, graceMs: ports.graceMs };
  const selected = await inSlices(selectPasses(passes, common, MAX_PAIRS));
  const sides = selected.passes.flatMap(({ before: one, after: other }) => [one, other]);
  const maxOpenPosts = MAX_OPEN_POSTS;
  const existing = await existingPosts(ports, { maxOpenPosts }, guildId, selectedIds(sides));
  const input = { guildId, sinks: ports.sinks, windows, existing, ...common };
  const plans = await inSlices(comparePlans(selected, input, settings));
  return { differences: sorted(plans, messages.of(new Set(altered))), through: selected.through };
}

/** The announcements that the changes name, or that are deleted with an event, as they are stored. */
async function storedAnnouncements(
  { owners }: DiffPorts,
  guildId: PlanDiffParams["guildId"],
  { announcements: { changed, before } }: DraftedGuild,
): Promise<ReadonlyMap<AnnouncementId, Announcement>> {
  const known = new Set(before.map(({ id }) => id));
  const ids = changed.map(({ id }) => id).filter((id) => known.has(id));
  const found = await Promise.all(ids.map((id) => owners.announcement(guildId, id)));
  return new Map(found.flatMap((each) => (each === null ? [] : [[each.id, each] as const])));
}

/** The offsets of the guild's announcements from one anchor, before and after the changes. */
interface SpanAnchor extends AnchorOffsets {
  readonly offsetsOfChanged: readonly number[];
}

interface SpanToRead {
  readonly from: EpochMs;
  readonly now: EpochMs;
  readonly anchors: readonly SpanAnchor[];
  /** Those before the changes, and those after them. */
  readonly digests: readonly DigestRule[];
}

/** The occurrences of a guild that were read. */
interface SpanRead {
  readonly occurrences: DraftedOccurrences;
  /** Every occurrence of a changed event with an anchor in one of them was read. */
  readonly windows: AnchorWindows;
  /** The posts that are due before this instant are those of the occurrences. */
  readonly through: EpochMs;
}

/**
 * Reads the occurrences whose posts are due within 366 days. If there are too many, it reads those that are due within a shorter
 * time; of unchanged events, those that were created after they were due are read for the next days only, as a plan reads them.
 */
async function readSpan(guild: DraftedGuild, { from, now, anchors, digests }: SpanToRead): Promise<SpanRead | Refusal> {
  for (let span = COMPARED_MS; span >= MIN_COMPARED_MS; span /= SPAN_DIVISOR) {
    const through = now + Math.ceil(span);
    const reads = anchors.map(async (each) => {
      const window = { from: from - Math.max(0, ...each.offsets), until: through + longestLead(each.offsets) };
      const windows = span === COMPARED_MS ? wholeWindows(each, from, through) : shortWindows(each, from, through);
      const due = { digests: { rules: digests, window: { from, until: through } } };
      const ofDigests = digests.length > 0 && each.anchor === "START" ? due : {};
      const read = await guild.occurrences({
        ...anchorParam(each),
        window,
        windows,
        limit: MAX_ENTRIES,
        ...ofDigests,
      });
      return { anchor: each.anchor, window, read };
    });
    // Sequential on purpose: a shorter time is read only if this one has too many.
    const found = await Promise.all(reads);
    if (found.some(({ read }) => read.truncated)) continue;
    const windows = Object.fromEntries(found.map(({ anchor, window }) => [anchor, [window]]));
    return { occurrences: joined(found.map(({ read }) => read)), windows, through };
  }
  const message = `must affect fewer occurrences: more than ${MAX_ENTRIES} are due within the next days`;
  return refuse("TOO_MANY_ENTRIES", [{ field: "changes", code: "TOO_MANY", message }]);
}

/** The anchors of unchanged events that the changed announcements may post about. Nothing is due at once by a creation or a change. */
function wholeWindows({ anchor, offsetsOfChanged }: SpanAnchor, from: EpochMs, through: EpochMs): Window[] {
  if (offsetsOfChanged.length === 0 || isOfWrites(anchor)) return dueWithin(offsetsOfChanged, from, through);
  return [{ from: from - Math.max(0, ...offsetsOfChanged), until: through + longestLead(offsetsOfChanged) }];
}

function shortWindows({ anchor, offsetsOfChanged }: SpanAnchor, from: EpochMs, through: EpochMs): Window[] {
  const due = dueWithin(offsetsOfChanged, from, through);
  if (isOfWrites(anchor)) return due;
  const createdLate = { from, until: from + Math.min(MAX_CREATED_LATE_MS, longestLead(offsetsOfChanged)) };
  return mergedWindows([...due, createdLate]);
}

/** The occurrences of all anchors, each once. */
function joined(reads: readonly DraftedOccurrences[]): DraftedOccurrences {
  return {
    unchanged: distinct(reads.flatMap(({ unchanged }) => unchanged)),
    before: distinct(reads.flatMap(({ before }) => before)),
    after: distinct(reads.flatMap(({ after }) => after)),
    altered: [...new Set(reads.flatMap(({ altered }) => altered))],
    truncated: false,
    references: [],
  };
}

/** All differences by the post that they show, with those of messages alone. */
function sorted(
  { differences, unmoved }: ComparedPlans,
  reasonOf: (unmoved: ComparedPlans["unmoved"][number]) => string | undefined,
): PlanDifference[] {
  const ofMessages = unmoved.flatMap((post): PlanDifference[] => {
    const reason = reasonOf(post);
    return reason === undefined ? [] : [{ effect: "CHANGES", ...post, reason }];
  });
  return [...differences, ...ofMessages].toSorted((one, other) => comparePositions(positionOf(one), positionOf(other)));
}

function positionOf(difference: PlanDifference): Position {
  const { dueAt: at, announcementId, occurrenceId } = "after" in difference ? difference.after : difference.before;
  return { at, announcementId, occurrenceId };
}

async function diffOf(
  ports: DiffPorts,
  guildId: PlanDiffParams["guildId"],
  guild: DraftedGuild,
  { differences, through }: ComparedGuild,
  limit: number,
): Promise<PlanDiff> {
  const listed = differences.slice(0, limit);
  const posts = await renderDifferences(ports, guildId, guild, listed);
  const count = (wanted: PlanDifference["effect"]) => differences.filter(({ effect }) => effect === wanted).length;
  return {
    appear: count("APPEARS"),
    vanish: count("VANISHES"),
    move: count("MOVES"),
    // A post whose message turns out the same is not listed, and is no change.
    change: count("CHANGES") - (listed.length - posts.length),
    posts,
    more: differences.length > listed.length,
    comparedUntil: through,
  };
}
