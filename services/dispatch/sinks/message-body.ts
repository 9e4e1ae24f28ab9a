import type { EmbedBody, MessageBody } from "../../contracts/dispatch.contract.ts";
import type { ChatMessage, Embed } from "../domain/message/chat-message.ts";

/** Leaves out empty fields, except `parse`: without it every mention in the content would ping. */
export function encodeMessage({ content, embeds, allowedMentions }: ChatMessage): MessageBody {
  const { parse, users, roles } = allowedMentions;
  return {
    ...(content === "" ? {} : { content }),
    ...(embeds.length === 0 ? {} : { embeds: embeds.map(encodeEmbed) }),
    allowed_mentions: {
      parse,
      ...(users.length === 0 ? {} : { users }),
      ...(roles.length === 0 ? {} : { roles }),
    },
  };
}

function encodeEmbed({ title, description, color, imageUrl, author, footer, fields }: Embed): EmbedBody {
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    color,
    ...(imageUrl === undefined ? {} : { image: { url: imageUrl } }),
    ...(author === undefined ? {} : { author: { name: author } }),
    ...(footer === undefined ? {} : { footer: { text: footer } }),
    ...(fields.length === 0 ? {} : { fields }),
  };
}
