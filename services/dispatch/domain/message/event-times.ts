import { DateTime } from "luxon";
import { luxonZone } from "../../../../mixins/time-zones/luxon-zone.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { AnnouncementWords } from "./words/message-words.ts";

/** Words, 12 or 24 hours, and the calendar's IANA time zone (D22). */
export interface TimeStyle {
  readonly words: AnnouncementWords;
  readonly twelveHour: boolean;
  readonly timezone: string;
}

/** An instant on two lines: in the calendar's time zone, and as a timestamp that Discord shows in each reader's zone. */
export function instantLines(at: EpochMs, style: TimeStyle): string {
  const local = localTime(at, style.timezone);
  return `${dateTimeText(local, style)} (${local.zoneName})\n${discordTimestamp(at)}`;
}

/** Start and end in one line, with one date if both are on the same day. An event without length has no end. */
export function spanLine(startsAt: EpochMs, endsAt: EpochMs, style: TimeStyle): string {
  const start = localTime(startsAt, style.timezone);
  const end = localTime(endsAt, style.timezone);
  const from = dateTimeText(start, style);
  if (startsAt === endsAt) return `${from} (${start.zoneName}) · ${discordTimestamp(startsAt)}`;
  const until = start.hasSame(end, "day") ? timeText(end, style) : dateTimeText(end, style);
  return `${from} – ${until} (${start.zoneName}) · ${discordTimestamp(startsAt)} – ${discordTimestamp(endsAt)}`;
}

/**
 * A timestamp that Discord's client shows in the reader's zone and language: `F` is date and time, `D` the date alone, `R` the
 * time until then.
 */
export function discordTimestamp(at: EpochMs, format: "F" | "D" | "R" = "F"): string {
  return `<t:${Math.floor(at / 1000)}:${format}>`;
}

/** A time zone without rules in this process is read and shown as UTC, so that its post is still sent. */
export function localTime(at: EpochMs, timezone: string): DateTime {
  return DateTime.fromMillis(at, { zone: luxonZone(timezone) ?? "UTC" });
}

export function dateTimeText(local: DateTime, style: TimeStyle): string {
  return style.words.dateTime(dateText(local, style.words), timeText(local, style));
}

export function dateText(local: DateTime, words: AnnouncementWords): string {
  const { year, month, day, weekday } = local;
  return words.date({ year, month, day, weekday }, words.weekdays[weekday - 1] ?? "", words.months[month - 1] ?? "");
}

export function timeText({ hour, minute }: DateTime, { words, twelveHour }: TimeStyle): string {
  return twelveHour ? words.time12({ hour, minute }) : words.time24({ hour, minute });
}
