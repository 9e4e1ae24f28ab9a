import type { EpochMs } from "../../../contracts/ids.ts";
import type { ChatMessage } from "../../domain/message/chat-message.ts";
import type { Post } from "../../domain/post/post.ts";
import type { OutgoingMessage, Sink } from "../../sinks/sink.ts";
import type { Timing } from "../timing.ts";
import { nonceOf } from "./nonce.ts";

/** One part of a post for a sink, with the same nonce for every attempt and lookup. */
export function outgoingMessage(post: Post, part: number, message: ChatMessage): OutgoingMessage {
  const { id: postId, guildId, channel, changedBy } = post;
  return { postId, part, nonce: nonceOf(post, part), guildId, channel, message, ...(changedBy && { changedBy }) };
}

/** Until when the receiver certainly recognises the nonces of a post that was first sent at `doubtSince`. */
export function nonceValidUntil(
  { doubtSince = 0 }: Pick<Post, "doubtSince">,
  { nonceWindowMs }: Pick<Sink, "nonceWindowMs">,
  timing: Pick<Timing, "nonceWindowMs">,
): EpochMs {
  return doubtSince + (nonceWindowMs ?? timing.nonceWindowMs);
}
