import type { SettledPost, UpcomingPost } from "../../contracts/dispatch.contract.ts";
import type { Post } from "./post.ts";

/** A planned post, as other contexts see it. */
export function upcomingOf({ dueAt, announcementId, occurrenceId, startsAt, channel }: Post): UpcomingPost {
  return { dueAt, announcementId, eventId: occurrenceId, startsAt, channel };
}

/** A settled post, as other contexts see it. */
export function settledOf(post: Post): SettledPost {
  const { state, settledAt = post.dueAt, lateMs, reason, messageId } = post;
  return {
    ...upcomingOf(post),
    state,
    settledAt,
    ...(lateMs === undefined ? {} : { lateMs }),
    ...(reason === undefined ? {} : { reason }),
    ...(messageId === undefined ? {} : { messageId }),
  };
}
