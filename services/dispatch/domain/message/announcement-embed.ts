import { type TemplateField, TEMPLATE_FIELDS } from "../../../contracts/message-template.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { Embed, EmbedField } from "./chat-message.ts";
import { ANNOUNCEMENT_WORDS } from "./announcement-words.ts";
import { type MessageInput, templateOf } from "./message-input.ts";
import { renderTemplate } from "./render-template.ts";
import { truncate, visibleText } from "./truncate-text.ts";
import { EMBED_COLORS } from "./embed-colors.ts";
import type { AnnouncementWords } from "./words/message-words.ts";
import { dateLines, datesOf, dateSpanLine, type ShownDates } from "./event-dates.ts";
import { instantLines, spanLine, type TimeStyle } from "./event-times.ts";
import {
  MAX_AUTHOR,
  MAX_DESCRIPTION,
  MAX_EMBED,
  MAX_FIELD_VALUE,
  MAX_FOOTER,
  MAX_TITLE,
  MAX_URL,
} from "./message-limits.ts";

/**
 * The embed of an announcement (D33). Its title is the event's name, or a generic word for an event without a name. The
 * body has all details; with `info_only` and an info, the info alone. A template replaces title and description, and selects
 * the details (D61).
 */
export function announcementEmbed(input: MessageInput): Embed {
  const { announcement, occurrence, settings } = input;
  const words = ANNOUNCEMENT_WORDS[settings.lang];
  const author = settings.branded ? truncate(visibleText(input.guildName), MAX_AUTHOR) : "";
  const head = {
    ...(author === "" ? {} : { author }),
    title:
      ownText(input, "title", MAX_TITLE) || truncate(visibleText(occurrence.name) || words.announcement, MAX_TITLE),
    color: EMBED_COLORS[occurrence.color],
  };
  const info = visibleText(announcement.info);
  if (announcement.infoOnly && info !== "")
    return { ...head, description: truncate(info, MAX_DESCRIPTION), fields: [] };
  return fitTotal({ ...head, ...eventBody(input, words, info) });
}

/** The text of the template for a part of the embed; undefined without one. */
function ownText(input: MessageInput, part: "title" | "body", maxLength: number): string | undefined {
  const source = templateOf(input.announcement, input.settings)?.[part];
  return source === undefined ? undefined : renderTemplate(source, input, maxLength);
}

function eventBody(input: MessageInput, words: AnnouncementWords, info: string): Omit<Embed, "color"> {
  const { announcement, occurrence, settings } = input;
  const ownBody = ownText(input, "body", MAX_DESCRIPTION);
  const description = ownBody ?? truncate(visibleText(occurrence.description), MAX_DESCRIPTION);
  const shown = new Set<TemplateField>(templateOf(announcement, settings)?.fields ?? TEMPLATE_FIELDS);
  const imageUrl = shown.has("IMAGE") ? imageOf(occurrence.image) : undefined;
  const style: TimeStyle = { words, twelveHour: settings.twelveHour, timezone: occurrence.timezone };
  return {
    ...(description === "" ? {} : { description }),
    ...(imageUrl === undefined ? {} : { imageUrl }),
    fields: [
      ...(shown.has("TIMES") ? timeFields(occurrence, style, settings.simpleAnnouncements) : []),
      ...(shown.has("LOCATION") ? textField(words.location, visibleText(occurrence.location)) : []),
      ...(shown.has("INFO") ? textField(words.info, info) : []),
    ],
    ...(settings.simpleAnnouncements || !shown.has("IDS")
      ? {}
      : { footer: truncate(words.ids(announcement.id, occurrence.occurrenceId), MAX_FOOTER) }),
  };
}

function timeFields(occurrence: Occurrence, style: TimeStyle, isSimple: boolean): EmbedField[] {
  return isSimple ? [spanField(occurrence, style)] : instantFields(occurrence, style);
}

function spanField(occurrence: Occurrence, style: TimeStyle): EmbedField {
  const { startsAt, endsAt } = occurrence;
  const dates = datesOf(occurrence);
  const value = dates === undefined ? spanLine(startsAt, endsAt, style) : dateSpanLine(dates, style);
  return { name: style.words.when, value, inline: false };
}

/** An event without length shows no end. */
function instantFields(occurrence: Occurrence, style: TimeStyle): EmbedField[] {
  const { startsAt, endsAt } = occurrence;
  const dates = datesOf(occurrence);
  if (dates !== undefined) return dateFields(dates, style);
  const starts = { name: style.words.starts, value: instantLines(startsAt, style), inline: true };
  if (endsAt === startsAt) return [starts];
  return [starts, { name: style.words.ends, value: instantLines(endsAt, style), inline: true }];
}

/** An event of one day shows no end. */
function dateFields(dates: ShownDates, style: TimeStyle): EmbedField[] {
  const { words } = style;
  const { first, last } = dateLines(dates, style);
  if (last === undefined) return [{ name: words.when, value: first, inline: true }];
  return [
    { name: words.starts, value: first, inline: true },
    { name: words.ends, value: last, inline: true },
  ];
}

function textField(name: string, text: string): EmbedField[] {
  return text === "" ? [] : [{ name, value: truncate(text, MAX_FIELD_VALUE), inline: false }];
}

/** Discord refuses a message with a bad image link, so a link that it can't show is left out. */
function imageOf(image: string | undefined): string | undefined {
  const url = image === undefined ? null : URL.parse(image);
  const isLink = (url?.protocol === "http:" || url?.protocol === "https:") && url.hostname.includes(".");
  return isLink && url.href.length <= MAX_URL ? url.href : undefined;
}

/** Shortens the description; all other texts together have at most 5 300 characters. */
function fitTotal(embed: Embed): Embed {
  const { description = "", ...rest } = embed;
  const room = MAX_EMBED - (embedLength(embed) - description.length);
  return description.length <= room ? embed : { ...rest, description: truncate(description, room) };
}

/** Characters of an embed as Discord counts them. */
export function embedLength({ title = "", description = "", author = "", footer = "", fields }: Embed): number {
  const inFields = fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  return title.length + description.length + author.length + footer.length + inFields;
}
