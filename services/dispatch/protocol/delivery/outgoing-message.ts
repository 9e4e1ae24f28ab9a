import type { EpochMs } from "../../../contracts/ids.ts";
import type { ChatMessage } from "../../domain/message/chat-message.ts";
import type { Post } from "../../domain/post/post.ts";
import type { OutgoingMessage, Sink } from "../../sinks/sink.ts";
import { nonceOf } from "./nonce.ts";
import type { Timing } from "../timing.ts";

/** One part of a post, as sinks take it: for every attempt and look-up under the same nonce. */
export function outgoing(post: Post, part: number, message: ChatMessage): OutgoingMessage {
  const { id: postId, guildId, channel, changedBy } = post;
  return { postId, part, nonce: nonceOf(post, part), guildId, channel, message, ...(changedBy && { changedBy }) };
}

/** Until when the receiver surely knows the nonces of a post that was first tried at `doubtSince`. */
export function nonceKnownUntil(
  { doubtSince = 0 }: Pick<Post, "doubtSince">,
  { nonceWindowMs }: Pick<Sink, "nonceWindowMs">,
  timing: Pick<Timing, "nonceWindowMs">,
): EpochMs {
  return doubtSince + (nonceWindowMs ?? timing.nonceWindowMs);
}
