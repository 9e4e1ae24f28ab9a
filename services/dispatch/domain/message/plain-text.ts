import type { ChatMessage, Embed } from "./chat-message.ts";
import { cut } from "./truncate-text.ts";
import { MAX_CONTENT } from "./message-limits.ts";

/**
 * The same message without its box, for a channel that refuses the box: mentions first, then title, description,
 * fields and footer, a line each, as far as a message's length goes. The same people are pinged, and nobody else.
 */
export function asPlainText({ content, embeds, allowedMentions }: ChatMessage): ChatMessage {
  const lines = [content, ...embeds.flatMap(linesOf)].filter((line) => line !== "");
  return { content: cut(lines.join("\n"), MAX_CONTENT), embeds: [], allowedMentions };
}

function linesOf({ title = "", description = "", footer = "", fields }: Embed): string[] {
  return [title, description, ...fields.map(({ name, value }) => `${name}: ${value.replaceAll("\n", " ")}`), footer];
}
