import type { ChatMessage, Embed } from "./chat-message.ts";
import { truncate } from "./truncate-text.ts";
import { MAX_CONTENT } from "./message-limits.ts";

/**
 * The message without its embed, for a channel that refuses embeds: mentions, title, description, fields and footer on
 * lines of their own, truncated to the length of a message, without author and image. The mentions stay the same.
 */
export function toPlainText({ content, embeds, allowedMentions }: ChatMessage): ChatMessage {
  const lines = [content, ...embeds.flatMap(linesOf)].filter((line) => line !== "");
  return { content: truncate(lines.join("\n"), MAX_CONTENT), embeds: [], allowedMentions };
}

function linesOf({ title = "", description = "", footer = "", fields }: Embed): string[] {
  return [title, description, ...fields.map(({ name, value }) => `${name}: ${value.replaceAll("\n", " ")}`), footer];
}
