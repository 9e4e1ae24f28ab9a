import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import { wasSkippedWhenDue } from "../post/reason-code.ts";
import { isOpen, mayHaveBeenSent, offsetText, type Post, postId } from "../post/post.ts";
import { type AnchorsThrough, cancelReasons, isBeyond } from "./cancel-reason.ts";
import { cancelledBeforePlanned } from "./cancelled-before-planned.ts";
import { type DesiredPost, desiredPostsFor, postKey } from "./desired-posts.ts";
import type { FireTime } from "./fire-time.ts";
import { missedOverLimit } from "./missed-over-limit.ts";
import { missedUnread } from "./missed-unread.ts";
import { anchorInKey, elapsedOffset, elapsedOffsets, hasOffset } from "./offsets.ts";
import type { Plan, PlannedRow, PlanUpdate } from "./plan.ts";
import { CANDIDATES_PER_POST, type PlanInput } from "./plan-input.ts";
import { comparePositions, type Position } from "./plan-order.ts";
import { type Candidate, type Selection, selectSoonest } from "./select-soonest.ts";
import { type SkippedPost, skippedPosts } from "./skipped-posts.ts";
import { forEachInSlices, runWithoutPauses } from "./time-slices.ts";

/** Selects and plans a guild's posts without pauses; for tests and the simulator. */
export function planPosts(input: PlanInput): Plan {
  return runWithoutPauses(
    planSelection(input, runWithoutPauses(selectSoonest(input, CANDIDATES_PER_POST * input.maxOpenPosts))),
  );
}

/**
 * Computes the changes after which the guild's open posts are the soonest desired posts (D30, D31, D39). Planning the
 * same input again changes nothing. The generator yields so that the caller can run other work.
 */
export function* planSelection(input: PlanInput, selection: Selection): Generator<void, Plan> {
  const rows = yield* latestRounds(input.existing);
  const desiredPostsOf = desiredPostsFor(input);
  const desired: CandidatePosts[] = [];
  const desiredKeys = new Set<string>();
  yield* forEachInSlices(selection.candidates, (candidate) => {
    const posts = desiredPostsOf(candidate).map((post) => ({ post, key: postKey(post) }));
    for (const { key } of posts) desiredKeys.add(key);
    desired.push({ candidate, posts });
  });
  const anchors = anchorsThrough(input);
  const reasonOf = cancelReasons(input, anchors);
  const {
    cancelled: updates,
    later,
    fixed,
  } = yield* openRows(rows, desiredKeys, { ...input, anchors, reasonOf }, selection);
  const isKnown = (key: string) => rows.has(key) || desiredKeys.has(key);
  const inserts: Post[] = [
    ...missedOverLimit(selection.expired, input, rows),
    ...missedUnread(input, rows),
    ...(yield* cancelledBeforePlanned(input, reasonOf, isKnown)),
  ];
  let room = input.maxOpenPosts - fixed;
  let end: Position | undefined;
  const deferred: Post[] = [];
  const skipped: SkippedPost[] = [];
  yield* forEachInSlices(desired, ({ candidate, posts }) => {
    const needed = posts.filter(({ post, key }) => needsRoom(rows.get(key), post)).length;
    if (end === undefined && needed > room) end = candidate;
    if (end === undefined) room -= needed;
    for (const { post, key } of posts) {
      const { time } = post;
      const row = rows.get(key);
      if (row?.state === "planned") {
        if (end !== undefined && wasNeverClaimed(row) && time.kind === "due") deferred.push(row);
        else updates.push(...updatesOf(row, post, input.now));
      } else if (end === undefined && time.kind === "skipped") {
        skipped.push({ post, row, reason: time.reason, revision: candidate.announcement.revision });
      } else if (end === undefined && time.kind === "due" && mayBeInserted(row, post)) {
        inserts.push(newPost(input, { ...post, time }, (row?.round ?? 0) + 1));
      }
    }
  });
  inserts.push(...skippedPosts(skipped, input, ({ row, post }) => mayBeInserted(row, post)));
  const isFull = end !== undefined;
  later.sort((one, other) => comparePositions(positionOf(one), positionOf(other)));
  deferred.push(...later.slice(isFull ? 0 : Math.max(0, room)));
  const first = end ?? selection.firstOmitted;
  return {
    inserts,
    updates,
    removes: deferred.map(plannedRow),
    end: first !== undefined && first.at < input.through ? toPosition(first) : undefined,
    isFull,
  };
}

interface CandidatePosts {
  readonly candidate: Candidate;
  readonly posts: readonly { readonly post: DesiredPost; readonly key: string }[];
}

/**
 * Sorts the open rows: `cancelled` are no longer desired, `later` are due after the selection, `fixed` counts those that
 * keep their place in any case.
 */
function* openRows(
  rows: ReadonlyMap<string, Post>,
  desired: ReadonlySet<string>,
  input: PlanInput & { readonly anchors: AnchorsThrough; readonly reasonOf: ReturnType<typeof cancelReasons> },
  { firstOmitted }: Selection,
): Generator<void, { cancelled: PlanUpdate[]; later: Post[]; fixed: number }> {
  const { anchors, reasonOf } = input;
  const rules = new Map(input.announcements.map((rule) => [rule.id, rule]));
  const cancelled: PlanUpdate[] = [];
  const later: Post[] = [];
  let fixed = 0;
  yield* forEachInSlices(rows, ([key, row]) => {
    if (!isOpen(row)) return;
    const isLater =
      row.dueAt >= input.through ||
      (firstOmitted !== undefined && comparePositions(positionOf(row), firstOmitted) >= 0);
    if (row.state === "planned" && desired.has(key)) fixed += wasNeverClaimed(row) ? 0 : 1;
    else if (row.state === "planned" && isLater && wasNeverClaimed(row)) later.push(row);
    else if (row.state === "planned" && !isLater && isWithinInput(row, input, rules.get(row.announcementId), anchors)) {
      cancelled.push(updateOf(row, { state: "cancelled", reason: reasonOf(row), settledAt: input.now }));
    } else fixed += 1;
  });
  return { cancelled, later, fixed };
}

/**
 * The `AnchorsThrough` of the announcements. A planned post of an occurrence with such an anchor comes from an announcement
 * that was removed or now has other times.
 */
function anchorsThrough({ announcements, through }: PlanInput): AnchorsThrough {
  const farthest = { START: through, END: through, CREATED: through, CHANGED: through };
  for (const { anchor, ms } of elapsedOffsets(announcements)) {
    farthest[anchor] = Math.max(farthest[anchor], through - ms);
  }
  return farthest;
}

/**
 * Whether the input decides about a row that is not desired: the input would contain the row's occurrence if this still
 * existed, or the row's announcement no longer has such posts.
 */
function isWithinInput(
  row: Post,
  { start, through, windows }: PlanInput,
  rule: AnnouncementRule | undefined,
  anchors: AnchorsThrough,
): boolean {
  if (comparePositions(positionOf(row), start) < 0 || row.dueAt >= through) return false;
  if (rule?.enabled !== true || !hasOffset(rule, row.offset) || isBeyond(row, anchors)) return true;
  const { anchor, ms } = elapsedOffset(rule, row.offset);
  const anchorAt = anchorInKey(row) ?? row.dueAt - ms;
  return windows[anchor]?.some(({ from, until }) => anchorAt >= from && anchorAt < until) === true;
}

/** Only a row that was never claimed may lose its place to a sooner post. */
function wasNeverClaimed({ fence }: Post): boolean {
  return fence === 0;
}

function needsRoom(row: Post | undefined, post: DesiredPost): boolean {
  if (post.time.kind === "skipped") return false;
  if (row === undefined) return true;
  return row.state === "planned" ? wasNeverClaimed(row) : mayBeReplanned(row, post);
}

type Positioned = Pick<Post, "dueAt" | "announcementId" | "occurrenceId" | "offset">;

function positionOf({ dueAt: at, announcementId, occurrenceId, offset }: Positioned): Position {
  return toPosition({ at, announcementId, occurrenceId, ...(offset && { offset: offsetText(offset) }) });
}

/** Drops the other fields of a candidate. */
function toPosition({ at, announcementId, occurrenceId, offset }: Position): Position {
  return { at, announcementId, occurrenceId, ...definedFields({ offset }) };
}

function* latestRounds(existing: readonly Post[]): Generator<void, Map<string, Post>> {
  const latest = new Map<string, Post>();
  yield* forEachInSlices(existing, (post) => {
    const key = postKey(post);
    if (post.round > (latest.get(key)?.round ?? 0)) latest.set(key, post);
  });
  return latest;
}

/**
 * Whether a settled row is followed by a new round: a cancelled or skipped post that is desired again, or a missed or
 * failed post, or one that was skipped when it was due, that moved to a due instant which was still ahead when the row was
 * settled. A post that may have been sent is never planned again. A post that is skipped now gets a new round only after a
 * cancelled row.
 */
function mayBeReplanned(row: Post, { time }: DesiredPost): boolean {
  if (isOpen(row) || mayHaveBeenSent(row)) return false;
  if (time.kind === "skipped") return row.state === "cancelled";
  const wasDue = wasSkippedWhenDue(row);
  if (!wasDue && (row.state === "cancelled" || row.state === "skipped")) return true;
  // A clock that was set back gives a row an outcome before its own due instant.
  return time.dueAt > Math.max(row.dueAt, row.settledAt ?? Infinity);
}

function mayBeInserted(row: Post | undefined, post: DesiredPost): boolean {
  return row === undefined || mayBeReplanned(row, post);
}

interface DuePost extends DesiredPost {
  readonly time: Extract<FireTime, { readonly kind: "due" }>;
}

function newPost(input: PlanInput, { time, ...key }: DuePost, round: number): Post {
  const { guildId, now, version } = input;
  const { dueAt, deadline } = time;
  const post = { ...key, id: postId(key, round), guildId, round, planRevision: version + 1, fence: 0 };
  const untried = { attempts: 0, crashes: 0, delivered: [], wakeAt: dueAt, dueAt };
  const overLimit = now > dueAt && wasOverLimit(input, positionOf({ ...post, dueAt }));
  return {
    ...post,
    ...untried,
    state: "planned",
    deadline,
    ...plannedLate(now, dueAt),
    ...(overLimit && { overLimit }),
  };
}

/** Whether the plan before had no room for a post at this position. */
function wasOverLimit({ bounded }: PlanInput, position: Position): boolean {
  return bounded !== undefined && comparePositions(position, bounded.end) >= 0;
}

function updatesOf(row: Post, { time, channel, skipReason }: DesiredPost, now: EpochMs): PlanUpdate[] {
  if (time.kind === "skipped") return [updateOf(row, { state: "skipped", reason: time.reason, settledAt: now })];
  const { dueAt, deadline } = time;
  const isSame = row.dueAt === dueAt && row.deadline === deadline && row.channel === channel;
  const hasOtherSkip = row.skipReason !== skipReason;
  if (isSame && !hasOtherSkip) return [];
  // A row that waits for a retry keeps that instant unless the post itself moved.
  const isRetimed = row.dueAt !== dueAt;
  const wakeAt = isRetimed ? dueAt : row.wakeAt;
  const plannedAt = isRetimed ? plannedLate(now, dueAt) : {};
  const skip = hasOtherSkip ? { skipReason } : {};
  return [updateOf(row, { state: "planned", dueAt, deadline, channel, wakeAt, ...plannedAt, ...skip })];
}

/** `plannedAt` is stored only if the post was planned after it was due (D44). */
function plannedLate(now: EpochMs, dueAt: EpochMs): Pick<Post, "plannedAt"> {
  return now > dueAt ? { plannedAt: now } : {};
}

/** The row after the update is stored. */
export function applyUpdate(row: Post, { to }: PlanUpdate): Post {
  return definedFields({ ...row, ...to, planRevision: row.planRevision + 1 }) as Post;
}

function plannedRow({ id, fence, planRevision }: Post): PlannedRow {
  return { id, fence, planRevision };
}

function updateOf(row: Post, to: PlanUpdate["to"]): PlanUpdate {
  return { ...plannedRow(row), startsAt: row.startsAt, to };
}
