import { type MessageInput, showsGuildName } from "../../domain/message/message-input.ts";
import type { ChatMessage } from "../../domain/message/chat-message.ts";
import type { CompleteState } from "../../domain/plan/current-state.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Sink } from "../../sinks/sink.ts";
import type { Ports } from "../ports.ts";

/** Timeout of the read of the name, for which the claim waits: shorter than the current state is valid. */
const GUILD_NAME_TIMEOUT_MS = 400;

/**
 * Everything that the message of a post is made from. The sink knows the guild's name, which is read if the message shows it
 * (D33, D61); without it a post has no author.
 */
export async function messageInput(
  { offset }: Pick<Post, "offset">,
  { channels }: Pick<Sink, "channels">,
  { announcement, occurrence, settings }: CompleteState,
): Promise<MessageInput> {
  const input = { announcement, occurrence, settings, offset };
  if (channels === undefined || !showsGuildName(announcement, settings)) return input;
  return { ...input, guildName: await channels.guildName(announcement.guildId, GUILD_NAME_TIMEOUT_MS) };
}

/** The messages of a post, or why they cannot be made. */
export function tryRender({ render }: Pick<Ports, "render">, input: MessageInput): readonly ChatMessage[] | Error {
  try {
    return render(input);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
