import { dateOfDigest, digestId, type DigestRule, scheduleText } from "../../../contracts/announcement-digests.ts";
import { pauseEnd } from "../../../contracts/pause.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import { type DateText, type EpochMs, type EventId, LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { WEEKDAYS } from "../../../contracts/recurrence.ts";
import type { Window } from "../../../contracts/window.ts";
import { anchorOf, type Calendar, calendarName, clockFor } from "../calendar/calendar.ts";
import { movedByZone } from "../calendar/calendar-clock.ts";
import { dateOfDay, dayOfDate, LAST_END_DAY } from "../calendar/days.ts";
import { localToInstant, type WallMs } from "../calendar/local-to-instant.ts";
import { UTC } from "../calendar/zone.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";

/** A calendar that was never written is on UTC. */
const FIRST_ZONE = { timezone: UTC.name, version: 0 };
/** 1970-01-01 was a Thursday. */
const WEEKDAY_OF_FIRST_DAY = 3;
const MINUTE_MS = 60_000;

interface DigestTimes {
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
  /** Time at which the calendar got the zone of the start. */
  readonly scheduledAt: EpochMs;
}

/**
 * The digest of a date (D65); undefined if it is not posted on this date. Its instant is that of its wall-clock time (D16), in the
 * zone that the calendar has then: a new zone moves the digests that were not due yet, and no others (D41). If the calendar
 * skipped a day, its digest and that of the next day are one (D46).
 */
export function digestOn(
  rule: DigestRule,
  date: DateText,
  calendar: Calendar,
  withTexts: boolean,
): Occurrence | undefined {
  return digestOfDay(rule, dayOfDate(date), calendar, withTexts);
}

/** The digests that are due in a window, soonest first. */
export function* digestsStarting(
  rule: DigestRule,
  { from, until }: Window,
  calendar: Calendar,
  withTexts: boolean,
): Generator<Occurrence> {
  const last = Math.min(LAST_END_DAY, dayOf(until) + 1);
  for (let day = Math.max(0, dayOf(from) - 1); day <= last; day += 1) {
    const digest = digestOfDay(rule, day, calendar, withTexts);
    if (digest !== undefined && digest.startsAt >= from && digest.startsAt < until) yield digest;
  }
}

function dayOf(at: EpochMs): number {
  return Math.floor(at / DAY_MS);
}

function digestOfDay(
  { announcementId, digest }: DigestRule,
  day: number,
  calendar: Calendar,
  withTexts: boolean,
): Occurrence | undefined {
  const { frequency, weekday, time, days } = digest;
  const isItsDay = frequency === "DAILY" || WEEKDAYS[(day + WEEKDAY_OF_FIRST_DAY) % WEEKDAYS.length] === weekday;
  if (!isItsDay) return undefined;
  const wall = day * DAY_MS + msOfDay(time);
  const times = timesOf(wall, days, calendar);
  const isOfNextDay = frequency === "DAILY" && timesOf(wall + DAY_MS, days, calendar).startsAt === times.startsAt;
  if (isOfNextDay || times.endsAt > LAST_EPOCH_MS) return undefined;
  const id = digestId(announcementId, dateOfDay(day));
  return {
    occurrenceId: id,
    eventId: id as string as EventId,
    calendarNumber: calendar.calendarNumber,
    ...(withTexts ? { calendarName: calendarName(calendar) } : {}),
    timezone: anchorOf(calendar).timezone,
    ...times,
    color: "NONE",
    recurs: false,
    isFirst: false,
    coloredAt: 0,
    ...definedFields({ calendarPausedUntil: pauseEnd(calendar) }),
    digest: { announcementId, schedule: scheduleText(digest) },
  };
}

function timesOf(wall: WallMs, days: number, calendar: Calendar): DigestTimes {
  const clock = clockFor(FIRST_ZONE, calendar);
  const original = localToInstant(wall, clock[0].zone);
  const { at: startsAt, zone, since } = movedByZone(clock, wall, original) ?? { at: original, ...clock[0] };
  return { startsAt, endsAt: localToInstant(wall + days * DAY_MS, zone), scheduledAt: since };
}

function msOfDay(time: string): WallMs {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
}

/** The digest with an id, by the rule of its announcement; undefined if the rule has no such digest. */
export function digestWithId(
  rules: readonly DigestRule[],
  id: string,
): { rule: DigestRule; date: DateText } | undefined {
  const date = dateOfDigest(id);
  const rule =
    date === undefined ? undefined : rules.find(({ announcementId }) => digestId(announcementId, date) === id);
  return date === undefined || rule === undefined ? undefined : { rule, date };
}
