import { createHash } from "node:crypto";
import type { Post } from "../../domain/post/post.ts";

/**
 * 24 characters (144 bits) that are the same for every attempt and round, and different for every part of every post:
 * a receiver that sees one twice drops the second (D32).
 */
export function nonceOf(post: Post, part: number): string {
  const { announcementId, occurrenceId, startsAt, channel } = post;
  const named = `${announcementId}:${occurrenceId}:${startsAt}:${channel}:${part}`;
  return createHash("sha256").update(named).digest("base64url").slice(0, 24);
}
