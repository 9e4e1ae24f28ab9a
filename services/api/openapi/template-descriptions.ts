const TEMPLATE =
  "Layout of the messages; an absent part is as without a template. docs/posting.md lists the placeholders, such as {name} and {start:relative}.";
const TITLE = "Title of the embed, with placeholders; without visible characters the name of the event.";
const BODY = "Description of the embed, with placeholders, in place of the event's description.";
const FIELDS =
  "Parts of the embed that are shown: TIMES (start and end), LOCATION, INFO (`info`), IMAGE and IDS (footer with ids); all when absent.";

/** Descriptions of the fields of templates (D61). */
export const TEMPLATE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  template: `${TEMPLATE} Null removes it.`,
  "Announcement.template": `${TEMPLATE} It replaces the template of the guild as a whole.`,
  "GuildSettings.template": `${TEMPLATE} For announcements without a template of their own.`,
  "MessageTemplate.title": TITLE,
  "MessageTemplate.body": BODY,
  "MessageTemplate.fields": FIELDS,
  "MessageTemplateInput.title": TITLE,
  "MessageTemplateInput.body": BODY,
  "MessageTemplateInput.fields": FIELDS,
};
