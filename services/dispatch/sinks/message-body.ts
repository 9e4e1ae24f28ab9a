import { complete } from "../../../mixins/objects/complete.ts";
import { definedFields, unlessEmpty } from "../../../mixins/objects/defined-fields.ts";
import type { EmbedBody, MessageBody } from "../../contracts/dispatch.contract.ts";
import type { ChatMessage, Embed } from "../domain/message/chat-message.ts";

/** Leaves out empty fields, except `parse`: without it every mention in the content would ping. */
export function encodeMessage({ content, embeds, allowedMentions }: ChatMessage): MessageBody {
  const { parse, users, roles } = allowedMentions;
  return complete<MessageBody>()({
    ...definedFields({
      content: content === "" ? undefined : content,
      embeds: unlessEmpty(embeds.map(encodeEmbed)),
    }),
    allowed_mentions: complete<MessageBody["allowed_mentions"]>()({
      parse,
      ...definedFields({ users: unlessEmpty(users), roles: unlessEmpty(roles) }),
    }),
  });
}

function encodeEmbed({ title, description, color, imageUrl, author, footer, fields }: Embed): EmbedBody {
  return complete<EmbedBody>()({
    ...definedFields({ title, description }),
    color,
    ...definedFields({
      image: imageUrl === undefined ? undefined : { url: imageUrl },
      author: author === undefined ? undefined : { name: author },
      footer: footer === undefined ? undefined : { text: footer },
      fields: unlessEmpty(fields),
    }),
  });
}
