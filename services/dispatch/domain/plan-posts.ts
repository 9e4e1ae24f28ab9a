import type { Announcement } from "../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import { covers } from "./covers.ts";
import { fireTime, type FireTime, leadMs } from "./fire-time.ts";
import {
  isAnnounced,
  isOpen,
  type Post,
  postId,
  type PostKey,
  type PostPlan,
  type SinkName,
  subjectOf,
} from "./post.ts";
import { isReannounced } from "./reannounce.ts";
import { whyCalledOff } from "./why-called-off.ts";

/** At most this many posts of one guild in one plan; above it the guild's horizon shrinks. */
export const MOST_POSTS = 5_000;

/** Starts in `[from, until)`. */
export interface Window {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** All that a guild's plan depends on. */
export interface GuildTruth {
  readonly guildId: GuildId;
  readonly announcements: readonly Announcement[];
  /** Every occurrence that starts in one of the windows. */
  readonly occurrences: readonly Occurrence[];
  readonly windows: readonly Window[];
  /** The guild's open posts, and all of these occurrences. */
  readonly existing: readonly Post[];
  readonly sinks: readonly SinkName[];
  /** Planned is what is due in `[from, through)`; a post that is due outside is left as it is. */
  readonly from: EpochMs;
  readonly through: EpochMs;
  readonly now: EpochMs;
  readonly graceMs: number;
  /** How many posts may be asked for: MOST_POSTS, unless there is no way to ask for fewer. */
  readonly mostPosts: number;
}

/** A change to a row that is `planned` and was not claimed or planned since it was read. */
export interface PlanUpdate {
  readonly id: string;
  readonly startsAt: EpochMs;
  readonly fence: number;
  readonly planRevision: number;
  readonly to:
    | ({ readonly state: "planned"; readonly wakeAt: EpochMs } & PostPlan)
    | { readonly state: "cancelled" | "skipped"; readonly reason: string; readonly settledAt: EpochMs };
}

export interface PlanChanges {
  readonly inserts: readonly Post[];
  readonly updates: readonly PlanUpdate[];
}

/** A post that the truth asks for. */
interface Wish extends PostKey {
  readonly channel: string;
  readonly time: FireTime;
}

/**
 * What has to change so that the guild's open posts are those that the truth asks for (D30, D31); "too many" when
 * there would be more than `mostPosts`. Planning what is planned changes nothing.
 */
export function planPosts(truth: GuildTruth): PlanChanges | "too many" {
  const wishes = wishesOf(truth);
  if (wishes.size > truth.mostPosts) return "too many";
  const rows = latestRounds(truth.existing);
  const beyond = beyondReach(truth);
  const inserts: Post[] = [];
  const updates: PlanUpdate[] = [];
  for (const [key, wish] of wishes) {
    const row = rows.get(key);
    if (row === undefined || mayBePlannedAnew(row, wish)) inserts.push(newPost(truth, wish, (row?.round ?? 0) + 1));
    else if (row.state === "planned") updates.push(...updateOf(row, wish, truth.now));
  }
  for (const [key, row] of rows) {
    if (row.state !== "planned" || wishes.has(key) || !isSeen(row, truth, beyond)) continue;
    const reason = whyCalledOff(row, truth, beyond);
    updates.push(guarded(row, { state: "cancelled", reason, settledAt: truth.now }));
  }
  return { inserts, updates };
}

/**
 * What starts from then on is not due within the plan by any announcement of now, and so is not looked for: a post that is
 * was planned by one that has a shorter lead time now, or is gone.
 */
function beyondReach({ announcements, through }: GuildTruth): EpochMs {
  return through + Math.max(0, ...announcements.filter(({ enabled }) => enabled).map(leadMs));
}

/** Whether this truth would show the post's occurrence if it were still there and in reach. */
function isSeen({ dueAt, startsAt }: Post, { from, through, windows }: GuildTruth, beyond: EpochMs): boolean {
  if (dueAt < from || dueAt >= through) return false;
  return startsAt >= beyond || windows.some((window) => startsAt >= window.from && startsAt < window.until);
}

function keyOf(key: PostKey): string {
  return postId(key, 0);
}

/** What the truth asks for within the window, by key; stops a little above the limit. */
function wishesOf(truth: GuildTruth): Map<string, Wish> {
  const wishes = new Map<string, Wish>();
  const announced = announcedStarts(truth.existing);
  const refused = truth.existing.filter(({ suspends }) => suspends !== undefined);
  for (const announcement of truth.announcements) {
    for (const occurrence of truth.occurrences) {
      if (!mayBeDue(announcement, occurrence, truth) || !covers(announcement, occurrence)) continue;
      const time = fireTime(announcement, occurrence, truth.graceMs);
      if (time === undefined || !isWithin(time, truth)) continue;
      for (const sink of truth.sinks) {
        const wish = wishFor(announcement, occurrence, sink, time);
        const isSecond = isReannounced(occurrence, leadMs(announcement), announced.get(subjectOf(wish)) ?? []);
        const reason = isSecond ? ANNOUNCED_ALREADY : whySuspended(announcement, sink, refused);
        wishes.set(keyOf(wish), reason === undefined ? wish : skippedWish(wish, reason));
      }
      if (wishes.size > truth.mostPosts) return wishes;
    }
  }
  return wishes;
}

const ANNOUNCED_ALREADY = "the event had been announced already";

function wishFor(announcement: Announcement, occurrence: Occurrence, sink: SinkName, time: FireTime): Wish {
  const { id: announcementId, channel } = announcement;
  const { occurrenceId, startsAt } = occurrence;
  return { announcementId, occurrenceId, startsAt, sink, channel, time };
}

/** A quick look at the window, so that a thousand announcements of ten thousand occurrences stay cheap. */
function mayBeDue(announcement: Announcement, { startsAt }: Occurrence, { from, through }: GuildTruth): boolean {
  return startsAt >= from && startsAt - leadMs(announcement) < through;
}

/** What is skipped is recorded up to its start, however long before it would have been due. */
function isWithin({ kind, dueAt }: FireTime, { from, through }: GuildTruth): boolean {
  return dueAt < through && (kind === "skipped" || dueAt >= from);
}

function skippedWish(wish: Wish, reason: string): Wish {
  return { ...wish, time: { kind: "skipped", dueAt: wish.time.dueAt, reason } };
}

/** After a channel refused for good, its announcement waits for an update: any, of whatever field. */
function whySuspended({ id, revision }: Announcement, sink: SinkName, refused: readonly Post[]): string | undefined {
  const refusal = refused.find(
    (post) => post.suspends === revision && post.announcementId === id && post.sink === sink,
  );
  return refusal && `the announcement is suspended until it is updated: ${refusal.reason}`;
}

function announcedStarts(existing: readonly Post[]): Map<string, EpochMs[]> {
  const starts = new Map<string, EpochMs[]>();
  for (const post of existing) {
    if (!isAnnounced(post)) continue;
    const subject = subjectOf(post);
    starts.set(subject, [...(starts.get(subject) ?? []), post.startsAt]);
  }
  return starts;
}

function latestRounds(existing: readonly Post[]): Map<string, Post> {
  const latest = new Map<string, Post>();
  for (const post of existing) {
    const key = keyOf(post);
    if (post.round > (latest.get(key)?.round ?? 0)) latest.set(key, post);
  }
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

function newPost({ guildId, now }: GuildTruth, { time, ...wish }: Wish, round: number): Post {
  const post = { ...wish, id: postId(wish, round), guildId, round, planRevision: 1, fence: 0 };
  const untried = { attempts: 0, crashes: 0, delivered: [], wakeAt: time.dueAt, dueAt: time.dueAt };
  if (time.kind === "due") return { ...post, ...untried, state: "planned", deadline: time.deadline };
  return { ...post, ...untried, state: "skipped", deadline: time.dueAt, reason: time.reason, settledAt: now };
}

function updateOf(row: Post, { time, channel }: Wish, now: EpochMs): PlanUpdate[] {
  if (time.kind === "skipped") return [guarded(row, { state: "skipped", reason: time.reason, settledAt: now })];
  const { dueAt, deadline } = time;
  if (row.dueAt === dueAt && row.deadline === deadline && row.channel === channel) return [];
  // A retry that waits keeps its hour, unless the post itself was re-timed.
  const wakeAt = row.dueAt === dueAt ? row.wakeAt : dueAt;
  return [guarded(row, { state: "planned", dueAt, deadline, channel, wakeAt })];
}

/** The row as it is once the update is stored. */
export function updated(row: Post, { to }: PlanUpdate): Post {
  return { ...row, ...to, planRevision: row.planRevision + 1 };
}

function guarded({ id, startsAt, fence, planRevision }: Post, to: PlanUpdate["to"]): PlanUpdate {
  return { id, startsAt, fence, planRevision, to };
}
