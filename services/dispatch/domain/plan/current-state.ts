import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { GuildSettings } from "../../../contracts/guild-settings.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { Post } from "../post/post.ts";
import { covers } from "./covers.ts";
import { fireTime } from "./fire-time.ts";
import { hasOffset, hasPresentTimes } from "./offsets.ts";
import { skippedWhenDue } from "./skip-when-due.ts";

/** The announcement, occurrence and settings of a post as they are now. Announcement and occurrence are null if deleted. */
export interface CurrentState {
  readonly announcement: Announcement | null;
  readonly occurrence: Occurrence | null;
  readonly settings: GuildSettings;
}

/** A state with everything that a message is made from. */
export interface CompleteState extends CurrentState {
  readonly announcement: Announcement;
  readonly occurrence: Occurrence;
}

/** Whether a message can be made from the state: the copies of a plan have no entries of digests (D65). */
export function canBeRendered({ occurrence }: CurrentState): boolean {
  return occurrence?.digest === undefined || occurrence.digest.entries !== undefined;
}

/** Whether the current state requires the post exactly as it was planned. If not, the guild needs a new plan. */
export function matchesPlan(post: Post, state: CurrentState, graceMs: number): state is CompleteState {
  const { announcement, occurrence } = state;
  if (announcement === null || occurrence === null || !hasPresentTimes(post, occurrence)) return false;
  if (!covers(announcement, occurrence) || announcement.channel !== post.channel) return false;
  if (!hasOffset(announcement, post.offset)) return false;
  const time = fireTime(announcement, post.offset, occurrence, graceMs);
  return time?.kind === "due" && time.dueAt === post.dueAt && time.deadline === post.deadline;
}

/** Whether the current state requires the post exactly as it was planned, and does not pause it. */
export function requiresPost(post: Post, state: CurrentState, graceMs: number): state is CompleteState {
  return matchesPlan(post, state, graceMs) && skippedWhenDue(post.dueAt, state) === undefined;
}
