import { type MessageTemplate, TEMPLATE_FIELDS } from "../../contracts/message-template.ts";
import { asEnumValue, eachOf, field, objectField } from "./request-fields.ts";
import { enumOf, optional, responseFields, shown, shownObject, STRING } from "./response-fields.ts";

/** The layout of messages in a request (D61). A null part is an absent one. */
export const templateField = objectField<MessageTemplate>(
  "template",
  { title: field("title"), body: field("body"), fields: field("fields", eachOf(asEnumValue)) },
  "absent",
);

/** The same in a response. */
export const shownTemplate = optional(
  shownObject(
    "template",
    responseFields<MessageTemplate>({
      title: optional(shown("title", STRING)),
      body: optional(shown("body", STRING)),
      fields: optional(shown("fields", { type: "array", items: enumOf(TEMPLATE_FIELDS) })),
    }),
    "MessageTemplate",
  ),
);
