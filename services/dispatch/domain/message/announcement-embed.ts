import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { GuildSettings } from "../../../contracts/guild-settings.contract.ts";
import type { Embed, EmbedField } from "./chat-message.ts";
import { ANNOUNCEMENT_WORDS, type AnnouncementWords } from "./announcement-words.ts";
import { cut, shown } from "./truncate-text.ts";
import { DRAWN_COLORS } from "./embed-colors.ts";
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

/** All that a message is made from. */
export interface Announced {
  readonly announcement: Announcement;
  readonly occurrence: Occurrence;
  readonly settings: GuildSettings;
  /** The guild's name where it is known: `branded` shows it. */
  readonly guildName?: string | undefined;
}

/**
 * The box of an announcement (D33): the event's name as the title (a word in its place when there is none), and
 * below it either everything or, with `info_only` and an info, the info alone.
 */
export function announcementEmbed(announced: Announced): Embed {
  const { announcement, occurrence, settings } = announced;
  const words = ANNOUNCEMENT_WORDS[settings.lang];
  const author = settings.branded ? cut(shown(announced.guildName), MAX_AUTHOR) : "";
  const head = {
    ...(author === "" ? {} : { author }),
    title: cut(shown(occurrence.name) || words.announcement, MAX_TITLE),
    color: DRAWN_COLORS[occurrence.color],
  };
  const info = shown(announcement.info);
  if (announcement.infoOnly && info !== "") return { ...head, description: cut(info, MAX_DESCRIPTION), fields: [] };
  return withinTotal({ ...head, ...eventBody(announced, words, info) });
}

function eventBody(
  { announcement, occurrence, settings }: Announced,
  words: AnnouncementWords,
  info: string,
): Omit<Embed, "color"> {
  const description = cut(shown(occurrence.description), MAX_DESCRIPTION);
  const imageUrl = imageOf(occurrence.image);
  const style: TimeStyle = { words, twelveHour: settings.twelveHour, timezone: occurrence.timezone };
  return {
    ...(description === "" ? {} : { description }),
    ...(imageUrl === undefined ? {} : { imageUrl }),
    fields: [
      ...(settings.simpleAnnouncements ? [spanField(occurrence, style)] : instantFields(occurrence, style)),
      ...textField(words.location, shown(occurrence.location)),
      ...textField(words.info, info),
    ],
    ...(settings.simpleAnnouncements
      ? {}
      : { footer: cut(words.ids(announcement.id, occurrence.occurrenceId), MAX_FOOTER) }),
  };
}

function spanField({ startsAt, endsAt }: Occurrence, style: TimeStyle): EmbedField {
  return { name: style.words.when, value: spanLine(startsAt, endsAt, style), inline: false };
}

/** An event of no length has no end of its own. */
function instantFields({ startsAt, endsAt }: Occurrence, style: TimeStyle): EmbedField[] {
  const starts = { name: style.words.starts, value: instantLines(startsAt, style), inline: true };
  if (endsAt === startsAt) return [starts];
  return [starts, { name: style.words.ends, value: instantLines(endsAt, style), inline: true }];
}

function textField(name: string, text: string): EmbedField[] {
  return text === "" ? [] : [{ name, value: cut(text, MAX_FIELD_VALUE), inline: false }];
}

/** The receiver refuses the whole message for a bad link, so one that it could not show is left out. */
function imageOf(image: string | undefined): string | undefined {
  const url = image === undefined ? null : URL.parse(image);
  const isLink = (url?.protocol === "http:" || url?.protocol === "https:") && url.hostname.includes(".");
  return isLink && url.href.length <= MAX_URL ? url.href : undefined;
}

/** Only the description gives way: everything else together is at most 5 300 characters. */
function withinTotal(embed: Embed): Embed {
  const { description = "", ...rest } = embed;
  const room = MAX_EMBED - (embedLength(embed) - description.length);
  return description.length <= room ? embed : { ...rest, description: cut(description, room) };
}

/** The characters of an embed as the receiver adds them up. */
function embedLength({ title = "", description = "", author = "", footer = "", fields }: Embed): number {
  const inFields = fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  return title.length + description.length + author.length + footer.length + inFields;
}
