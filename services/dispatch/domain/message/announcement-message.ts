import { announcementEmbed } from "./announcement-embed.ts";
import type { ChatMessage, Embed } from "./chat-message.ts";
import { digestEmbed } from "./digest-embed.ts";
import type { MessageInput } from "./message-input.ts";
import { mentionParts } from "./subscriber-mentions.ts";

/**
 * Renders an announcement of an occurrence as messages (D33): one, or several if the subscribers don't fit into one. The
 * first has the embed, so the channel has the announcement even if a later message can't be sent.
 *
 * Mentions and event texts are in separate fields, and `allowedMentions` lists every subscriber: no name, description,
 * location or info can ping anybody. Texts are shown with their markdown.
 */
export function renderAnnouncement(input: MessageInput): readonly ChatMessage[] {
  const { subscribersRole, subscribersUser } = input.announcement;
  return mentionParts(subscribersRole, subscribersUser).map((part, at) => ({
    content: part.content,
    allowedMentions: part.allowedMentions,
    embeds: at === 0 ? [embedOf(input)] : [],
  }));
}

function embedOf(input: MessageInput): Embed {
  return input.occurrence.digest === undefined ? announcementEmbed(input) : digestEmbed(input);
}
