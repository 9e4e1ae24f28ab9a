import type { PostOffset } from "../../../contracts/announcement-offsets.ts";
import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { PlaceholderName } from "../../../contracts/message-template.ts";
import { leadMs } from "../plan/offsets.ts";
import { ANNOUNCEMENT_WORDS } from "./announcement-words.ts";
import { datesOf, dayTexts, lengthInDays, timestampsOf } from "./event-dates.ts";
import { dateText, dateTimeText, discordTimestamp, localTime, timeText, type TimeStyle } from "./event-times.ts";
import type { MessageInput } from "./message-input.ts";
import { visibleText } from "./truncate-text.ts";

type PlaceholderText = (input: MessageInput, style: TimeStyle) => string;

/** A start or end, in each of its forms. */
interface InstantTexts {
  readonly whole: string;
  readonly date: string;
  readonly time: string;
  readonly local: string;
  readonly relative: string;
}

/** The text of each placeholder (D61). Texts of the event are inserted as they are, and not parsed again. */
const TEXTS: Readonly<Record<PlaceholderName, PlaceholderText>> = {
  name: ({ occurrence }) => visibleText(occurrence.name),
  description: ({ occurrence }) => visibleText(occurrence.description),
  location: ({ occurrence }) => visibleText(occurrence.location),
  info: ({ announcement }) => visibleText(announcement.info),
  calendar: ({ occurrence }) => visibleText(occurrence.calendarName),
  guild: ({ guildName }) => visibleText(guildName),
  start: (input, style) => startTexts(input, style).whole,
  "start:date": (input, style) => startTexts(input, style).date,
  "start:time": (input, style) => startTexts(input, style).time,
  "start:local": (input, style) => startTexts(input, style).local,
  "start:relative": (input, style) => startTexts(input, style).relative,
  end: (input, style) => endTexts(input, style).whole,
  "end:date": (input, style) => endTexts(input, style).date,
  "end:time": (input, style) => endTexts(input, style).time,
  "end:local": (input, style) => endTexts(input, style).local,
  "end:relative": (input, style) => endTexts(input, style).relative,
  duration: ({ occurrence }, { words }) => {
    const days = lengthInDays(occurrence);
    if (days !== undefined) return words.duration({ days, hours: 0, minutes: 0 });
    return durationText(occurrence.endsAt - occurrence.startsAt, words);
  },
  occurrence_number: ({ occurrence }) => String(occurrence.occurrenceNumber ?? ""),
  offset: ({ announcement, offset }, { words }) => durationText(offsetMs(announcement, offset), words),
};

/** The text of a placeholder in the language of the guild and the time zone of the calendar. */
export function placeholderText(name: PlaceholderName, input: MessageInput): string {
  const { settings, occurrence } = input;
  const words = ANNOUNCEMENT_WORDS[settings.lang];
  return TEXTS[name](input, { words, twelveHour: settings.twelveHour, timezone: occurrence.timezone });
}

function startTexts({ occurrence }: MessageInput, style: TimeStyle): InstantTexts {
  const dates = datesOf(occurrence);
  if (dates === undefined) return instantTexts(occurrence.startsAt, style);
  const { first } = dayTexts(dates, style);
  return dayInstantTexts(first, timestampsOf(dates).begins, occurrence.startsAt);
}

function endTexts({ occurrence }: MessageInput, style: TimeStyle): InstantTexts {
  const dates = datesOf(occurrence);
  if (dates === undefined) return instantTexts(occurrence.endsAt, style);
  const { first, last = first } = dayTexts(dates, style);
  return dayInstantTexts(last, timestampsOf(dates).ends, occurrence.endsAt);
}

function instantTexts(at: number, style: TimeStyle): InstantTexts {
  const local = localTime(at, style.timezone);
  return {
    whole: `${dateTimeText(local, style)} (${local.zoneName})`,
    date: dateText(local, style.words),
    time: timeText(local, style),
    local: discordTimestamp(at),
    relative: discordTimestamp(at, "R"),
  };
}

/** An all-day event has no times of day. */
function dayInstantTexts(day: string, local: string, at: number): InstantTexts {
  return { whole: day, date: day, time: "", local, relative: discordTimestamp(at, "R") };
}

const MINUTE_MS = 60_000;

/** Rounded down to minutes. */
function durationText(ms: number, words: TimeStyle["words"]): string {
  const total = Math.floor(Math.max(0, ms) / MINUTE_MS);
  return words.duration({
    days: Math.floor(total / 1440),
    hours: Math.floor((total % 1440) / 60),
    minutes: total % 60,
  });
}

/** The length of an offset, before or after its anchor. */
function offsetMs(announcement: Announcement, offset: PostOffset | undefined): number {
  const shown = offset ?? announcement.offsets?.[0];
  return shown === undefined ? leadMs(announcement) : Math.abs(shown.minutes) * MINUTE_MS;
}
