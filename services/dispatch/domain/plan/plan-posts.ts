import type { EpochMs } from "../../../contracts/ids.ts";
import { calledOffEarly } from "./cancelled-before-planned.ts";
import { type FireTime, leadMs } from "./fire-time.ts";
import { missedOut } from "./missed-over-limit.ts";
import { notRead } from "./missed-unread.ts";
import { inOneGo, pausing } from "./time-slices.ts";
import { comparePositions, type Position } from "./plan-order.ts";
import { type GuildTruth, CANDIDATES_PER_POST, type Plan, type PlannedRow, type PlanUpdate } from "./plan-input.ts";
import { isAnnounced, isOpen, type Post, postId } from "../post/post.ts";
import { type Candidate, type Selection, selectSoonest } from "./select-soonest.ts";
import { type SkippedWish, skippedPosts } from "./skipped-posts.ts";
import { whyCalledOff } from "./cancel-reason.ts";
import { keyOf, type Wish, wishMaker } from "./desired-posts.ts";

/** A guild's plan in one step: for tests, and for whoever has all of its rows. */
export function planPosts(truth: GuildTruth): Plan {
  return inOneGo(planSelected(truth, inOneGo(selectSoonest(truth, CANDIDATES_PER_POST * truth.maxOpenPosts))));
}

/**
 * What has to change so that the guild's open posts are the soonest of those that the truth asks for (D30, D31, D39).
 * Planning what is planned changes nothing. Yields where the caller may let others have their turn.
 */
export function* planSelected(truth: GuildTruth, selection: Selection): Generator<void, Plan> {
  const rows = yield* latestRounds(truth.existing);
  const wishesOf = wishMaker(truth);
  const wished: Wished[] = [];
  yield* pausing(selection.candidates, (candidate) => wished.push({ candidate, wishes: wishesOf(candidate) }));
  const wishedKeys = yield* keysOf(wished);
  const { calledOff: updates, later, staying } = yield* openRows(rows, wishedKeys, truth, selection);
  const isKnown = (key: string) => rows.has(key) || wishedKeys.has(key);
  const inserts: Post[] = [
    ...missedOut(selection.passedOver, truth, rows),
    ...notRead(truth, rows),
    ...(yield* calledOffEarly(truth, beyondReach(truth), isKnown)),
  ];
  let room = truth.maxOpenPosts - staying;
  let cut: Position | undefined;
  const putOff: Post[] = [];
  const skipped: SkippedWish[] = [];
  yield* pausing(wished, ({ candidate, wishes }) => {
    const needed = wishes.filter((wish) => needsRoom(rows.get(keyOf(wish)), wish)).length;
    if (cut === undefined && needed > room) cut = candidate;
    if (cut === undefined) room -= needed;
    for (const wish of wishes) {
      const { time } = wish;
      const row = rows.get(keyOf(wish));
      if (row?.state === "planned") {
        if (cut !== undefined && isUntried(row) && time.kind === "due") putOff.push(row);
        else updates.push(...updateOf(row, wish, truth.now));
      } else if (cut === undefined && time.kind === "skipped") {
        skipped.push({ wish, row, reason: time.reason, revision: candidate.announcement.revision });
      } else if (cut === undefined && time.kind === "due" && mayHaveNewRow(row, wish)) {
        inserts.push(newPost(truth, { ...wish, time }, (row?.round ?? 0) + 1));
      }
    }
  });
  inserts.push(...skippedPosts(skipped, truth, ({ row, wish }) => mayHaveNewRow(row, wish)));
  const isFull = cut !== undefined;
  later.sort((one, other) => comparePositions(positionOf(one), positionOf(other)));
  putOff.push(...later.slice(isFull ? 0 : Math.max(0, room)));
  const first = cut ?? selection.next;
  return {
    inserts,
    updates,
    removes: putOff.map(plannedRow),
    cut: first !== undefined && first.at < truth.through ? positionAlone(first) : undefined,
    isFull,
  };
}

interface Wished {
  readonly candidate: Candidate;
  readonly wishes: readonly Wish[];
}

function* keysOf(wished: readonly Wished[]): Generator<void, Set<string>> {
  const keys = new Set<string>();
  yield* pausing(wished, ({ wishes }) => {
    for (const wish of wishes) keys.add(keyOf(wish));
  });
  return keys;
}

/** The planned rows that the selection does not ask for, and how many open rows take room in any case. */
function* openRows(
  rows: ReadonlyMap<string, Post>,
  wished: ReadonlySet<string>,
  truth: GuildTruth,
  { next }: Selection,
): Generator<void, { calledOff: PlanUpdate[]; later: Post[]; staying: number }> {
  const beyond = beyondReach(truth);
  const calledOff: PlanUpdate[] = [];
  const later: Post[] = [];
  let staying = 0;
  yield* pausing(rows, ([key, row]) => {
    if (!isOpen(row)) return;
    const isLater = row.dueAt >= truth.through || (next !== undefined && comparePositions(positionOf(row), next) >= 0);
    if (row.state === "planned" && wished.has(key)) staying += isUntried(row) ? 0 : 1;
    else if (row.state === "planned" && isLater && isUntried(row)) later.push(row);
    else if (row.state === "planned" && !isLater && isSeen(row, truth, beyond)) {
      calledOff.push(
        guarded(row, { state: "cancelled", reason: whyCalledOff(row, truth, beyond), settledAt: truth.now }),
      );
    } else staying += 1;
  });
  return { calledOff, later, staying };
}

/**
 * What starts from then on is not due within the plan by any announcement of now, and so is not looked for: a post that is
 * was planned by one that has a shorter lead time now, or is gone.
 */
function beyondReach({ announcements, through }: GuildTruth): EpochMs {
  return through + Math.max(0, ...announcements.filter(({ enabled }) => enabled).map(leadMs));
}

/** Whether this truth would show the post's occurrence if it were still there and in reach. */
function isSeen(row: Post, { after, through, windows }: GuildTruth, beyond: EpochMs): boolean {
  const { dueAt, startsAt } = row;
  if (comparePositions(positionOf(row), after) < 0 || dueAt >= through) return false;
  return startsAt >= beyond || windows.some((window) => startsAt >= window.from && startsAt < window.until);
}

/** A row that was claimed before keeps its place, whatever comes. */
function isUntried({ fence }: Post): boolean {
  return fence === 0;
}

function needsRoom(row: Post | undefined, wish: Wish): boolean {
  if (wish.time.kind === "skipped") return false;
  if (row === undefined) return true;
  return row.state === "planned" ? isUntried(row) : mayBePlannedAnew(row, wish);
}

function positionOf({ dueAt: at, announcementId, occurrenceId }: Post): Position {
  return { at, announcementId, occurrenceId };
}

function positionAlone({ at, announcementId, occurrenceId }: Position): Position {
  return { at, announcementId, occurrenceId };
}

function* latestRounds(existing: readonly Post[]): Generator<void, Map<string, Post>> {
  const latest = new Map<string, Post>();
  yield* pausing(existing, (post) => {
    const key = keyOf(post);
    if (post.round > (latest.get(key)?.round ?? 0)) latest.set(key, post);
  });
  return latest;
}

/**
 * Whether a settled post gives way to a new round: one that was called off when it is asked for again, one that was
 * missed or failed when it was re-timed to an instant that lay ahead. What was posted never does.
 */
function mayBePlannedAnew(row: Post, { time }: Wish): boolean {
  if (isOpen(row) || isAnnounced(row)) return false;
  if (time.kind === "skipped") return row.state === "cancelled";
  if (row.state === "cancelled" || row.state === "skipped") return true;
  return time.dueAt > (row.settledAt ?? Infinity);
}

function mayHaveNewRow(row: Post | undefined, wish: Wish): boolean {
  return row === undefined || mayBePlannedAnew(row, wish);
}

interface DueWish extends Wish {
  readonly time: Extract<FireTime, { readonly kind: "due" }>;
}

function newPost({ guildId, now, version }: GuildTruth, { time, ...wish }: DueWish, round: number): Post {
  const post = { ...wish, id: postId(wish, round), guildId, round, planRevision: version + 1, fence: 0 };
  const untried = { attempts: 0, crashes: 0, delivered: [], wakeAt: time.dueAt, dueAt: time.dueAt };
  return { ...post, ...untried, state: "planned", deadline: time.deadline, ...lateAt(now, time.dueAt) };
}

function updateOf(row: Post, { time, channel }: Wish, now: EpochMs): PlanUpdate[] {
  if (time.kind === "skipped") return [guarded(row, { state: "skipped", reason: time.reason, settledAt: now })];
  const { dueAt, deadline } = time;
  if (row.dueAt === dueAt && row.deadline === deadline && row.channel === channel) return [];
  // A retry that waits keeps its hour, unless the post itself was re-timed.
  const isRetimed = row.dueAt !== dueAt;
  const wakeAt = isRetimed ? dueAt : row.wakeAt;
  const plannedAt = isRetimed ? lateAt(now, dueAt) : {};
  return [guarded(row, { state: "planned", dueAt, deadline, channel, wakeAt, ...plannedAt })];
}

/** What is planned after it was due says when (D44). */
function lateAt(now: EpochMs, dueAt: EpochMs): Pick<Post, "plannedAt"> {
  return now > dueAt ? { plannedAt: now } : {};
}

/** The row as it is once the update is stored. */
export function updated(row: Post, { to }: PlanUpdate): Post {
  return { ...row, ...to, planRevision: row.planRevision + 1 };
}

function plannedRow({ id, fence, planRevision }: Post): PlannedRow {
  return { id, fence, planRevision };
}

function guarded(row: Post, to: PlanUpdate["to"]): PlanUpdate {
  return { ...plannedRow(row), startsAt: row.startsAt, to };
}
