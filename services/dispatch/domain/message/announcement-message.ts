import type { ChatMessage } from "./chat-message.ts";
import { type Announced, announcementEmbed } from "./announcement-embed.ts";
import { mentionParts } from "./subscriber-mentions.ts";

/**
 * An announcement of an occurrence as messages (D33): one, or more when its subscribers don't fit into one. The
 * first has the box, so that the channel has the announcement even when a later one can't be sent.
 *
 * Texts never stand beside the mentions, and who is pinged is named apart from all text: nothing that is written in
 * a name, description, location or info pings anybody. Texts are shown as they were written, their markdown too.
 */
export function renderAnnouncement(announced: Announced): readonly ChatMessage[] {
  const { subscribersRole, subscribersUser } = announced.announcement;
  return mentionParts(subscribersRole, subscribersUser).map((part, at) => ({
    content: part.content,
    allowedMentions: part.allowedMentions,
    embeds: at === 0 ? [announcementEmbed(announced)] : [],
  }));
}
