import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { GuildSettings } from "../../../contracts/guild-settings.contract.ts";
import { covers } from "./covers.ts";
import { fireTime } from "./fire-time.ts";
import type { Post } from "../post/post.ts";

/** What the owners say about one post; null for what is gone. */
export interface PostTruth {
  readonly announcement: Announcement | null;
  readonly occurrence: Occurrence | null;
  readonly settings: GuildSettings;
}

/** A truth by which the post stands: all that its message is made from. */
export interface StandingTruth extends PostTruth {
  readonly announcement: Announcement;
  readonly occurrence: Occurrence;
}

/** Whether the truth still asks for this post, exactly as it was planned; if not, its guild has to be planned anew. */
export function stands(post: Post, truth: PostTruth, graceMs: number): truth is StandingTruth {
  const { announcement, occurrence } = truth;
  if (announcement === null || occurrence === null || occurrence.startsAt !== post.startsAt) return false;
  if (!covers(announcement, occurrence) || announcement.channel !== post.channel) return false;
  const time = fireTime(announcement, occurrence, graceMs);
  return time?.kind === "due" && time.dueAt === post.dueAt && time.deadline === post.deadline;
}
