import { BOOLEAN, INTEGER, LIST_OF_STRINGS, STRING } from "./response-fields.ts";

const embedFieldSchema = {
  title: "EmbedField",
  type: "object",
  properties: { name: STRING, value: STRING, inline: BOOLEAN },
  required: ["name", "value", "inline"],
};

/** An embed, in Discord's names. */
const embedSchema = {
  title: "Embed",
  type: "object",
  properties: {
    title: STRING,
    description: STRING,
    color: INTEGER,
    image: { title: "EmbedImage", type: "object", properties: { url: STRING } },
    author: { title: "EmbedAuthor", type: "object", properties: { name: STRING } },
    footer: { title: "EmbedFooter", type: "object", properties: { text: STRING } },
    fields: { type: "array", items: embedFieldSchema },
  },
  required: ["color"],
};

/** A message, in Discord's names. */
export const messageSchema = {
  title: "Message",
  type: "object",
  properties: {
    content: STRING,
    embeds: { type: "array", items: embedSchema },
    allowed_mentions: {
      title: "AllowedMentions",
      type: "object",
      properties: { parse: LIST_OF_STRINGS, users: LIST_OF_STRINGS, roles: LIST_OF_STRINGS },
      required: ["parse"],
    },
  },
  required: ["allowed_mentions"],
};
