import type { DigestEntry } from "../../../contracts/announcement-digests.ts";
import { embedLength } from "./announcement-embed.ts";
import { ANNOUNCEMENT_WORDS } from "./announcement-words.ts";
import type { Embed, EmbedField } from "./chat-message.ts";
import { EMBED_COLORS } from "./embed-colors.ts";
import { datesOf, dateSpanLine } from "./event-dates.ts";
import { discordTimestamp, spanLine, type TimeStyle } from "./event-times.ts";
import type { MessageInput } from "./message-input.ts";
import { MAX_AUTHOR, MAX_EMBED, MAX_FIELD_VALUE, MAX_TITLE } from "./message-limits.ts";
import { truncate, visibleText } from "./truncate-text.ts";

/** Largest number of events in one message, below Discord's limit of 25 fields. */
const MAX_SHOWN = 20;
/** Characters of a name or a location in a list of events. */
const MAX_ENTRY_TEXT = 100;
/** Characters that the number of further events needs, in every language. */
export const MORE_RESERVE = 64;

/**
 * The embed of a digest (D65): the calendar, the days, and a field for each event. The footer has the announcement and the due
 * instant, also with `simple_announcements`: a lookup recognizes the message by them, since its list changes with the events.
 */
export function digestEmbed(input: MessageInput): Embed {
  const { announcement, occurrence, settings } = input;
  const words = ANNOUNCEMENT_WORDS[settings.lang];
  const style: TimeStyle = { words, twelveHour: settings.twelveHour, timezone: occurrence.timezone };
  const { entries = [], hasMore = false } = occurrence.digest ?? {};
  const author = settings.branded ? truncate(visibleText(input.guildName), MAX_AUTHOR) : "";
  const empty = entries.length === 0 ? visibleText(announcement.digest?.emptyText) : "";
  const description = [
    spanLine(occurrence.startsAt, occurrence.endsAt, style),
    truncate(visibleText(announcement.info), MAX_FIELD_VALUE),
    empty,
  ];
  const head = {
    ...(author === "" ? {} : { author }),
    title: truncate(visibleText(occurrence.calendarName) || words.announcement, MAX_TITLE),
    color: EMBED_COLORS[announcement.digest?.color ?? "NONE"],
    description: description.filter((text) => text !== "").join("\n\n"),
    footer: words.digestIds(announcement.id, new Date(occurrence.startsAt).toISOString()),
  };
  const room = MAX_EMBED - embedLength({ ...head, fields: [] }) - MORE_RESERVE;
  const fields = fieldsWithin(room, entries.slice(0, MAX_SHOWN), style);
  const further = entries.length - fields.length;
  return { ...head, fields: further === 0 && !hasMore ? fields : withMore(fields, words.more(further, hasMore)) };
}

/** The first fields that fit. */
function fieldsWithin(room: number, entries: readonly DigestEntry[], style: TimeStyle): EmbedField[] {
  const fields: EmbedField[] = [];
  let left = room;
  for (const entry of entries) {
    const field = entryField(entry, style);
    left -= field.name.length + field.value.length;
    if (left < 0) break;
    fields.push(field);
  }
  return fields;
}

function entryField(entry: DigestEntry, style: TimeStyle): EmbedField {
  const name = truncate(visibleText(entry.name), MAX_ENTRY_TEXT) || style.words.event;
  const location = truncate(visibleText(entry.location), MAX_ENTRY_TEXT);
  const when = timesOf(entry, style);
  return { name, value: location === "" ? when : `${when}\n${location}`, inline: false };
}

function timesOf(entry: DigestEntry, style: TimeStyle): string {
  const { startsAt, endsAt } = entry;
  const dates = datesOf(entry);
  if (dates !== undefined) return dateSpanLine(dates, style);
  return `${spanLine(startsAt, endsAt, style)} · ${discordTimestamp(startsAt, "R")}`;
}

/** The number of further events follows the last one. */
function withMore(fields: readonly EmbedField[], more: string): EmbedField[] {
  return fields.map((field, at) => (at < fields.length - 1 ? field : { ...field, value: `${field.value}\n\n${more}` }));
}
