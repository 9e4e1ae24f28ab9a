import {
  type Color,
  EVENT_TEXTS,
  type EventText,
  type EventTexts,
} from "../../../contracts/calendar-events.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import { anchorOf, type Calendar, zoneOf } from "../calendar/calendar.ts";
import { type EffectiveOccurrence, occurrenceView } from "../event/effective-occurrence.ts";
import { followsZone, type ListedEvent, textsOf } from "../event/event.ts";
import { contentLine, textLine } from "./content-line.ts";
import { localToInstant } from "../calendar/local-to-instant.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import { type Days, midnightAround } from "../calendar/days.ts";
import { dateLine, instantLine, utcLine, wallLine } from "./date-time.ts";
import { wallOfRule, type RecurringEvent, type SeriesPart } from "./series-parts.ts";
import type { Times } from "../event/window.ts";

/** An event as a feed shows it. */
export type FeedEvent = ListedEvent & {
  readonly revision: number;
  /** Database time. */
  readonly changedAt: EpochMs;
};

/** The CSS color names nearest to our colors (D14). RFC 7986, section 5.9, allows only these. */
export const CSS_COLORS: Readonly<Record<Color, string | undefined>> = {
  MELROSE: "lightsteelblue",
  RIPTIDE: "aquamarine",
  MAUVE: "plum",
  TANGERINE: "salmon",
  DANDELION: "gold",
  MAC_AND_CHEESE: "sandybrown",
  TURQUOISE: "mediumturquoise",
  MERCURY: "gainsboro",
  BLUE: "cornflowerblue",
  GREEN: "mediumseagreen",
  RED: "crimson",
  NONE: undefined,
};

export function colorLine(color: Color): string {
  const name = CSS_COLORS[color];
  return name === undefined ? "" : contentLine("COLOR", name);
}

const BEGIN = "BEGIN:VEVENT\r\n";
export const END_OF_EVENT = "END:VEVENT\r\n";

/** The VEVENT of a single event. */
export function singleEvent(event: FeedEvent, calendar: Calendar): string {
  const { id, color } = event;
  const times = event.allDay === undefined ? utcTimes(event) : dates(event.allDay);
  return BEGIN + identity(id, event, calendar) + times + described(textsOf(event), color) + END_OF_EVENT;
}

/** The VEVENT of a part of a series, without exceptions and without its end. */
export function seriesEvent(event: FeedEvent & RecurringEvent, part: SeriesPart, calendar: Calendar): string {
  return (
    BEGIN +
    identity(part.uid, event, calendar) +
    (event.allDay === undefined ? wallTimes(part) : dates(event.allDay)) +
    contentLine("RRULE", part.rrule) +
    described(textsOf(event), event.color)
  );
}

/** DTEND instead of DURATION: the duration of an occurrence does not change on a day with a clock change (RFC 5545, section 3.8.5.3). */
function wallTimes(part: SeriesPart): string {
  const { zone, wall, first } = part;
  const end = isInstant(first) ? "" : instantLine("DTEND", endOfRead(first, part), zone);
  return wallLine("DTSTART", [wall], zone) + end;
}

/** Dates have no zone. DTEND is not included (RFC 5545, section 3.6.1). */
function dates({ startDay, endDay }: Days): string {
  return dateLine("DTSTART", [startDay * DAY_MS]) + dateLine("DTEND", [endDay * DAY_MS]);
}

function ownTimes(occurrence: EffectiveOccurrence<FeedEvent>): string {
  return occurrence.allDay === undefined ? utcTimes(occurrence) : dates(occurrence.allDay);
}

/** EXDATE: original starts in a part at which there is no occurrence. */
export function exceptions(event: RecurringEvent, { zone }: SeriesPart, originals: readonly EpochMs[]): string {
  if (originals.length === 0) return "";
  const walls = wallsOf(event, originals);
  return event.allDay === undefined ? wallLine("EXDATE", walls, zone) : dateLine("EXDATE", walls);
}

/** The VEVENT of an occurrence that differs from its series. */
export function changedOccurrence(part: SeriesPart, occurrence: EffectiveOccurrence<FeedEvent>, calendar: Calendar) {
  const { event, ruleOccurrence, texts, color } = occurrence;
  const walls = wallsOf(event as RecurringEvent, [ruleOccurrence?.original ?? event.startsAt]);
  const id =
    event.allDay === undefined ? wallLine("RECURRENCE-ID", walls, part.zone) : dateLine("RECURRENCE-ID", walls);
  return (
    BEGIN + identity(part.uid, event, calendar) + id + ownTimes(occurrence) + described(texts, color) + END_OF_EVENT
  );
}

/** An occurrence of a series as a separate VEVENT. */
export function occurrenceEvent(occurrence: EffectiveOccurrence<FeedEvent>, calendar: Calendar): string {
  const { event, texts, color } = occurrence;
  const { eventId } = occurrenceView(occurrence);
  return BEGIN + identity(eventId, event, calendar) + ownTimes(occurrence) + described(texts, color) + END_OF_EVENT;
}

/**
 * UID and revision. A new zone of the calendar changes the times of a series and of dates, but is not a write of the event. Every
 * event counts it in SEQUENCE, which would decrease otherwise when a series, or dates, become a single event with times.
 */
function identity(uid: string, event: FeedEvent, calendar: Calendar): string {
  const { revision, changedAt } = event;
  const isInZone = followsZone(event);
  const changed = utcChange(Math.max(changedAt, isInZone ? (calendar.zoneChanges.at(-1)?.since ?? 0) : 0));
  const sequence = revision + anchorOf(calendar).version;
  return contentLine("UID", uid) + changed + contentLine("SEQUENCE", String(sequence));
}

/** Without a METHOD, DTSTAMP is when the event was last revised (RFC 5545, section 3.8.7.2). */
function utcChange(at: EpochMs): string {
  return utcLine("DTSTAMP", at) + utcLine("LAST-MODIFIED", at);
}

/** An event without DTEND ends when it starts: DTEND must be later. */
function utcTimes(times: Times): string {
  return utcLine("DTSTART", times.startsAt) + (isInstant(times) ? "" : utcLine("DTEND", times.endsAt));
}

/** Times of iCalendar are to the second. */
function isInstant({ startsAt, endsAt }: Times): boolean {
  return Math.floor(startsAt / 1000) === Math.floor(endsAt / 1000);
}

/** The end, counted from the instant that readers compute from the wall time. */
function endOfRead({ startsAt, endsAt }: Times, { zone, wall }: SeriesPart): EpochMs {
  return localToInstant(wall, zone) + endsAt - startsAt;
}

const TEXT_LINES: Readonly<Record<EventText, (text: string) => string>> = {
  name: (name) => textLine("SUMMARY", name),
  description: (description) => textLine("DESCRIPTION", description),
  location: (location) => textLine("LOCATION", location),
  image: (image) => contentLine("IMAGE;VALUE=URI", new URL(image).href),
};

function described(texts: EventTexts, color: Color): string {
  let lines = "";
  for (const text of EVENT_TEXTS) if (texts[text] !== undefined) lines += TEXT_LINES[text](texts[text]);
  return lines + colorLine(color);
}

function wallsOf({ startsAt, recurring, allDay }: RecurringEvent, originals: readonly EpochMs[]) {
  const zone = zoneOf(recurring.anchor);
  if (allDay !== undefined) return originals.map((original) => midnightAround(original, zone));
  const { startWall, recurrence } = recurring;
  return originals.map((original) => wallOfRule({ startsAt, startWall, recurrence, zone }, original));
}
