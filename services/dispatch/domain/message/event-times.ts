import { DateTime } from "luxon";
import { luxonZone } from "../../../../mixins/time-zones/luxon-zone.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { AnnouncementWords } from "./announcement-words.ts";

/** How a guild wants its times: words, 12 or 24 hours, and the calendar's IANA zone (D22). */
export interface TimeStyle {
  readonly words: AnnouncementWords;
  readonly twelveHour: boolean;
  readonly timezone: string;
}

/** One instant on two lines: on the calendar's wall, with its zone, and as each reader's own clock shows it. */
export function instantLines(at: EpochMs, style: TimeStyle): string {
  const wall = onWall(at, style.timezone);
  return `${momentText(wall, style)} (${wall.zoneName})\n${readersClock(at)}`;
}

/** Start and end in one line. The date stands once when both are on the same day; an event of no length has no end. */
export function spanLine(startsAt: EpochMs, endsAt: EpochMs, style: TimeStyle): string {
  const start = onWall(startsAt, style.timezone);
  const end = onWall(endsAt, style.timezone);
  const from = momentText(start, style);
  if (startsAt === endsAt) return `${from} (${start.zoneName}) · ${readersClock(startsAt)}`;
  const until = start.hasSame(end, "day") ? timeText(end, style) : momentText(end, style);
  return `${from} – ${until} (${start.zoneName}) · ${readersClock(startsAt)} – ${readersClock(endsAt)}`;
}

/** The chat client shows this in the reader's own zone and language. */
function readersClock(at: EpochMs): string {
  return `<t:${Math.floor(at / 1000)}:F>`;
}

/** A zone that this process has no rules for is read as UTC, and named so: a post is not lost for it. */
function onWall(at: EpochMs, timezone: string): DateTime {
  return DateTime.fromMillis(at, { zone: luxonZone(timezone) ?? "UTC" });
}

function momentText(wall: DateTime, style: TimeStyle): string {
  return style.words.moment(dateText(wall, style.words), timeText(wall, style));
}

function dateText(wall: DateTime, words: AnnouncementWords): string {
  const { year, month, day, weekday } = wall;
  return words.date({ year, month, day, weekday }, words.weekdays[weekday - 1] ?? "", words.months[month - 1] ?? "");
}

function timeText({ hour, minute }: DateTime, { words, twelveHour }: TimeStyle): string {
  const minutes = String(minute).padStart(2, "0");
  if (!twelveHour) return `${String(hour).padStart(2, "0")}:${minutes}`;
  const clock = `${hour % 12 === 0 ? 12 : hour % 12}:${minutes}`;
  return hour < 12 ? words.beforeNoon(clock) : words.afterNoon(clock);
}
