import { definedFields, unlessEmpty } from "../../../../mixins/objects/defined-fields.ts";
import { EVENT_TEXTS, type EventTexts } from "../../../contracts/calendar-events.contract.ts";
import type { ChangeReason, SkipReason } from "../../../contracts/event-import.contract.ts";
import { isRefusal } from "../../../contracts/errors.ts";
import { changedPause } from "../../../contracts/pause.ts";
import type { EpochMs, EventId } from "../../../contracts/ids.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import { type Anchor, anchorOf, type Calendar, clockFor, zoneOf } from "../calendar/calendar.ts";
import { type AllDay, midnightAround } from "../calendar/days.ts";
import { instantToLocal, localToInstant } from "../calendar/local-to-instant.ts";
import type { ChangedEvent } from "../event/change-event.ts";
import { newEvent } from "../event/create-event.ts";
import { type CalendarEvent, type StoredEvent, textsOf, timesOf } from "../event/event.ts";
import { hasSameDays } from "../event/given-times.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import { sameRecurrence } from "../recurrence/parse-recurrence.ts";
import type { Zone } from "../calendar/zone.ts";
import type { Times } from "../event/window.ts";
import { type ImportedEvent, inZone } from "./imported-event.ts";
import type { OccurrenceKey } from "./imported-instant.ts";
import { importedSeries } from "./imported-series.ts";
import { givenTimes, isOutOfRange } from "./imported-times.ts";

/** The event of a VEVENT: a new one, a stored one with changes, or a stored one without. */
export interface AppliedEvent {
  readonly event: CalendarEvent;
  /** Undefined if nothing changes. */
  readonly next: ChangedEvent | undefined;
  /** The original starts of occurrences that EXDATEs cancel beyond those of the rule. */
  readonly cancelled: readonly EpochMs[];
  readonly changes: readonly ChangeReason[];
}

/** The stored event of a UID, and its cancelled occurrences. */
export interface StoredState {
  readonly event: StoredEvent;
  /** The original starts of its cancelled occurrences, in seconds. */
  readonly cancelledSeconds: ReadonlySet<number>;
}

/** The calendar as seen by an event of another zone: times that are set now are set in this zone. */
export function calendarIn(zone: Zone, calendar: Calendar): Calendar {
  return calendarAt(anchorIn(zone, calendar), calendar);
}

/** The anchor of times that are set now in another zone than that of the calendar. */
function anchorIn(zone: Zone, calendar: Calendar): Anchor {
  return { ...anchorOf(calendar), timezone: zone.name };
}

function calendarAt({ version, timezone }: Anchor, calendar: Calendar): Calendar {
  return { ...calendar, zoneChanges: [{ version, timezone, since: 0 }] };
}

/** The inputs of the decision beside the VEVENT. */
export interface ImportContext {
  readonly calendar: Calendar;
  readonly stored: StoredState | undefined;
  /** The occurrences with overrides of this series in the same file, whose EXDATEs do not count. */
  readonly kept: readonly OccurrenceKey[];
}

/**
 * Decides the event of a VEVENT that is not an occurrence. Name, description and location become those of the VEVENT. Image
 * and colour stay without a property: most programs cannot give them. An all-day event keeps the zone in which its dates
 * were set until its first date changes (D50).
 */
export function applyEvent(imported: ImportedEvent, id: EventId, context: ImportContext): AppliedEvent | SkipReason {
  const { calendar, stored } = context;
  const { days, zone } = imported;
  if (days === undefined) return applyIn(anchorIn(zone, calendar), imported, id, context);
  const before = stored?.event.allDay;
  const present = before && applyIn(before.anchor, imported, id, context);
  const isKept = typeof present === "object" && present.event.allDay?.startDay === before?.startDay;
  return isKept ? present : applyIn(anchorOf(calendar), imported, id, context);
}

/** The event in the zone of its anchor. */
function applyIn(
  anchor: Anchor,
  read: ImportedEvent,
  id: EventId,
  { calendar, stored, kept }: ImportContext,
): AppliedEvent | SkipReason {
  const imported = inZone(read, zoneOf(anchor));
  const { dates, uid, zone, changes } = imported;
  const series =
    dates === undefined
      ? { ...imported, recurrence: undefined, cancelled: [], changes: [] }
      : importedSeries({ ...imported, dates }, kept);
  if (typeof series === "string") return series;
  const { cancelled } = series;
  if (isOutOfRange(series)) return "OUT_OF_RANGE";
  const additions = uid === stored?.event.id ? storedAdditions(stored.event, imported) : undefined;
  const recurrence = series.recurrence === undefined ? undefined : withStored(series.recurrence, additions, stored);
  const params = {
    guildId: calendar.guildId,
    calendarNumber: calendar.calendarNumber,
    ...givenTimes(series),
    ...textsWithStored(imported.texts, stored?.event),
    color: imported.color ?? stored?.event.color ?? "NONE",
    ...(recurrence === undefined ? {} : { recurrence }),
  };
  const fresh = newEvent(params, id, calendarAt(anchor, calendar));
  if (isRefusal(fresh)) return "INVALID_RULE";
  const isNew = (at: EpochMs) => stored?.cancelledSeconds.has(secondOf(at)) !== true;
  const all = { cancelled: cancelled.filter(isNew), changes: [...changes, ...series.changes] };
  if (stored === undefined) {
    const event = { ...fresh, uid };
    return { event, next: { event, rescheduled: true, recolored: true }, ...all };
  }
  const next = changedEvent(fresh, stored.event, { calendar, zone });
  return { event: next?.event ?? stored.event, next, ...all };
}

/** Keeps what a VEVENT of our own feed has no property for: additions, and dates that are cancelled by their ids. */
function withStored(
  recurrence: Recurrence,
  additions: readonly EpochMs[] | undefined,
  stored: StoredState | undefined,
): Recurrence {
  if (stored === undefined) return recurrence;
  const { exDates, rDates = additions, ...rule } = recurrence;
  const remaining = exDates?.filter((at) => !stored.cancelledSeconds.has(secondOf(at))) ?? [];
  return { ...rule, ...definedFields({ exDates: unlessEmpty(remaining), rDates }) };
}

/** The additions of a stored series: in a series that is all-day now, the midnights of their dates in its zone. */
function storedAdditions(
  { recurring, allDay }: StoredEvent,
  { days, zone }: ImportedEvent,
): readonly EpochMs[] | undefined {
  const rDates = recurring?.recurrence.rDates;
  if (recurring === undefined || rDates === undefined || days === undefined) return rDates;
  const before = zoneOf(recurring.anchor);
  const midnightOf = (at: EpochMs) =>
    allDay === undefined ? Math.floor(instantToLocal(at, before) / DAY_MS) * DAY_MS : midnightAround(at, before);
  return rDates.map((at) => localToInstant(midnightOf(at), zone));
}

function textsWithStored(given: EventTexts, stored: StoredEvent | undefined): EventTexts {
  const { image = stored?.image, ...texts } = given;
  return textsOf({ ...texts, ...(image === undefined ? {} : { image }) });
}

interface InZone {
  readonly calendar: Calendar;
  readonly zone: Zone;
}

/** The next revision of a stored event; undefined if it is as the VEVENT has it. */
function changedEvent(fresh: CalendarEvent, stored: StoredEvent, where: InZone): ChangedEvent | undefined {
  const keepsSchedule = hasSameSchedule(fresh, stored, where);
  const { startsAt, endsAt, allDay, recurring } = keepsSchedule ? stored : fresh;
  const hasOverrides = stored.recurring?.hasOverrides ?? false;
  const event: CalendarEvent = {
    ...fresh,
    revision: stored.revision + 1,
    startsAt,
    endsAt,
    ...definedFields({ uid: stored.uid, follows: stored.follows, allDay }),
    ...changedPause(stored, undefined),
    ...(recurring === undefined ? {} : { recurring: { ...recurring, hasOverrides } }),
  };
  const isSame =
    keepsSchedule && event.color === stored.color && EVENT_TEXTS.every((text) => event[text] === stored[text]);
  const recolored = event.color !== stored.color;
  return isSame ? undefined : { event, rescheduled: !keepsSchedule, recolored, endChanged: !keepsSchedule };
}

/** Whether both have the same occurrences, to the second. */
function hasSameSchedule(fresh: CalendarEvent, stored: StoredEvent, { calendar, zone }: InZone): boolean {
  if (fresh.allDay !== undefined || stored.allDay !== undefined) return hasSameDates(fresh, stored);
  if (!sameSeconds(fresh, timesOf(stored, calendar))) return false;
  if (fresh.recurring === undefined || stored.recurring === undefined) return fresh.recurring === stored.recurring;
  const present = clockFor(stored.recurring.anchor, calendar).at(-1)?.zone.name;
  return (
    present === zone.name &&
    sameRecurrence(inSeconds(fresh.recurring.recurrence), inSeconds(stored.recurring.recurrence))
  );
}

/** Whether both are on the same dates; false if one of them is not all-day. */
function hasSameDates(fresh: CalendarEvent, stored: StoredEvent): boolean {
  const { allDay } = stored;
  if (allDay === undefined || !hasSameDays(fresh.allDay, allDay)) return false;
  const recurrenceOf = ({ recurring }: CalendarEvent) => recurring && inDays(recurring.recurrence, allDay);
  return sameRecurrence(recurrenceOf(fresh), recurrenceOf(stored));
}

/** With UNTIL as the number of a day, because the feed of an all-day series has UNTIL as a date. */
function inDays({ until, ...recurrence }: Recurrence, { anchor }: AllDay): Recurrence {
  const day = until === undefined ? undefined : Math.floor(instantToLocal(until, zoneOf(anchor)) / DAY_MS);
  return { ...inSeconds(recurrence), ...definedFields({ until: day }) };
}

/** Whether the times are the same, to the second. */
export function sameSeconds(one: Times, other: Times): boolean {
  return secondOf(one.startsAt) === secondOf(other.startsAt) && secondOf(one.endsAt) === secondOf(other.endsAt);
}

/** Times of iCalendar are to the second. */
function inSeconds({ until, exDates, ...recurrence }: Recurrence): Recurrence {
  return {
    ...recurrence,
    ...(until === undefined ? {} : { until: secondOf(until) }),
    ...(exDates === undefined ? {} : { exDates: exDates.map(secondOf) }),
  };
}

function secondOf(at: EpochMs): number {
  return Math.floor(at / 1_000);
}
