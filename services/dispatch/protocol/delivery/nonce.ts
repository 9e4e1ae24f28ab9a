import { createHash } from "node:crypto";
import { offsetInId, type Post } from "../../domain/post/post.ts";

/**
 * The nonce of one message (part) of a post: 24 characters (144 bits), the same for every attempt, also when a cancelled post
 * is planned again. A receiver drops the second message with the same nonce (D32).
 */
export function nonceOf(post: Post, part: number): string {
  const { announcementId, occurrenceId, startsAt, channel } = post;
  const identity = `${announcementId}:${occurrenceId}:${startsAt}:${channel}:${part}${offsetInId(post)}`;
  return createHash("sha256").update(identity).digest("base64url").slice(0, 24);
}
