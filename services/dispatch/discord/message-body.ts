import type { ChatMessage, Embed } from "../domain/chat-message.ts";

/** The part of Discord's "create message" body that is used here; the names are Discord's. */
export interface MessageBody {
  readonly content?: string;
  readonly embeds?: readonly EmbedBody[];
  readonly allowed_mentions: {
    readonly parse: readonly string[];
    readonly users?: readonly string[];
    readonly roles?: readonly string[];
  };
}

interface EmbedBody {
  readonly title?: string;
  readonly description?: string;
  readonly color: number;
  readonly image?: { readonly url: string };
  readonly author?: { readonly name: string };
  readonly footer?: { readonly text: string };
  readonly fields?: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[];
}

/** What is empty is left out. `parse` always stands: without it every mention in the content would ping. */
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
