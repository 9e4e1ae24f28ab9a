import { EVENT_TEXTS, type EventTexts } from "../../../contracts/calendar-events.contract.ts";
import type { ChangeReason, SkipReason } from "../../../contracts/event-import.contract.ts";
import { isRefusal } from "../../../contracts/errors.ts";
import { type EpochMs, type EventId, LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import { anchorOf, type Calendar, clockFor } from "../calendar/calendar.ts";
import type { ChangedEvent } from "../event/change-event.ts";
import { newEvent } from "../event/create-event.ts";
import { type CalendarEvent, type StoredEvent, textsOf, timesOf } from "../event/event.ts";
import { sameRecurrence } from "../recurrence/parse-recurrence.ts";
import type { Zone } from "../calendar/zone.ts";
import type { Times } from "../event/window.ts";
import type { ImportedEvent } from "./imported-event.ts";
import { importedSeries } from "./imported-series.ts";

/** The event of a VEVENT: a new one, a stored one with changes, or a stored one without. */
export interface AppliedEvent {
  readonly event: CalendarEvent;
  /** Undefined if nothing changes. */
  readonly next: ChangedEvent | undefined;
  /** The original starts of occurrences that EXDATEs cancel beyond those of the rule. */
  readonly cancelled: readonly EpochMs[];
  readonly changes: readonly ChangeReason[];
}

/** The stored event of a UID, and what its VEVENT does not have. */
export interface StoredState {
  readonly event: StoredEvent;
  /** The original starts of its cancelled occurrences, in seconds. */
  readonly cancelledSeconds: ReadonlySet<number>;
}

/** The calendar as seen by an event of another zone: times that are set now are set in this zone. */
export function calendarIn(zone: Zone, calendar: Calendar): Calendar {
  const { version } = anchorOf(calendar);
  return { ...calendar, zoneChanges: [{ version, timezone: zone.name, since: 0 }] };
}

/**
 * Decides the event of a VEVENT that is not an occurrence. Name, description and location become those of the VEVENT. Image
 * and colour stay without a property: most programs cannot give them.
 *
 * @param kept - Instants of overrides of this series in the same file, whose EXDATEs do not count.
 */
export function applyEvent(
  imported: ImportedEvent,
  id: EventId,
  { calendar, stored, kept }: { calendar: Calendar; stored: StoredState | undefined; kept: ReadonlySet<EpochMs> },
): AppliedEvent | SkipReason {
  const { dates, uid, zone, changes } = imported;
  const series =
    dates === undefined
      ? { ...imported, recurrence: undefined, cancelled: [], changes: [] }
      : importedSeries({ ...imported, dates }, kept);
  if (typeof series === "string") return series;
  const { startsAt, endsAt, cancelled } = series;
  if (startsAt < 0 || endsAt > LAST_EPOCH_MS) return "OUT_OF_RANGE";
  const recurrence = series.recurrence === undefined ? undefined : withStored(series.recurrence, uid, stored);
  const params = {
    guildId: calendar.guildId,
    calendarNumber: calendar.calendarNumber,
    startsAt,
    endsAt,
    ...textsWithStored(imported.texts, stored?.event),
    color: imported.color ?? stored?.event.color ?? "NONE",
    ...(recurrence === undefined ? {} : { recurrence }),
  };
  const fresh = newEvent(params, id, calendarIn(zone, calendar));
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
function withStored(recurrence: Recurrence, uid: string, stored: StoredState | undefined): Recurrence {
  if (stored === undefined) return recurrence;
  const before = stored.event.recurring?.recurrence;
  const { exDates, rDates, ...rule } = recurrence;
  const remaining = exDates?.filter((at) => !stored.cancelledSeconds.has(secondOf(at))) ?? [];
  const additions = rDates ?? (uid === stored.event.id ? before?.rDates : undefined);
  return {
    ...rule,
    ...(remaining.length === 0 ? {} : { exDates: remaining }),
    ...(additions === undefined ? {} : { rDates: additions }),
  };
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
  const { startsAt, endsAt, recurring } = keepsSchedule ? stored : fresh;
  const hasOverrides = stored.recurring?.hasOverrides ?? false;
  const event: CalendarEvent = {
    ...fresh,
    ...(stored.uid === undefined ? {} : { uid: stored.uid }),
    revision: stored.revision + 1,
    startsAt,
    endsAt,
    ...(recurring === undefined ? {} : { recurring: { ...recurring, hasOverrides } }),
  };
  const isSame =
    keepsSchedule && event.color === stored.color && EVENT_TEXTS.every((text) => event[text] === stored[text]);
  return isSame ? undefined : { event, rescheduled: !keepsSchedule, recolored: event.color !== stored.color };
}

/** Whether both have the same occurrences, to the second. */
function hasSameSchedule(fresh: CalendarEvent, stored: StoredEvent, { calendar, zone }: InZone): boolean {
  if (!sameSeconds(fresh, timesOf(stored, calendar))) return false;
  if (fresh.recurring === undefined || stored.recurring === undefined) return fresh.recurring === stored.recurring;
  const present = clockFor(stored.recurring.anchor, calendar).at(-1)?.zone.name;
  return (
    present === zone.name &&
    sameRecurrence(inSeconds(fresh.recurring.recurrence), inSeconds(stored.recurring.recurrence))
  );
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
