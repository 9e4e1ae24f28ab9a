import { complete } from "../../../../mixins/objects/complete.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import {
  type Color,
  EVENT_TEXTS,
  type EventTexts,
  type EventView,
} from "../../../contracts/calendar-events.contract.ts";
import type { Changed } from "../../../contracts/contract.ts";
import type { AllDayFields } from "../../../contracts/event-times.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import type { Pause } from "../../../contracts/pause.ts";
import type { EpochMs, EventId, GuildId } from "../../../contracts/ids.ts";
import { type Anchor, anchorOf, type Calendar, clockFor } from "../calendar/calendar.ts";
import {
  type AllDay,
  dateOfDay,
  type Days,
  type DayTimes,
  timesInAnchorZone,
  timesOfDays,
  wallOfDay,
} from "../calendar/days.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { recurrenceView } from "../recurrence/parse-recurrence.ts";
import { firstRuleOccurrence, longestDuration, type Series } from "../recurrence/occurrences.ts";
import type { Times } from "./window.ts";

/** The fields of an event that lists need. */
export interface ListedEvent extends EventTexts, Times, Pick<Pause, "pausedUntil"> {
  readonly id: EventId;
  readonly color: Color;
  /** The recurrence of a series; undefined for a single event. */
  readonly recurring?: Recurring;
  /** The dates of an all-day event; those of a series are of its first occurrence (D50). */
  readonly allDay?: AllDay;
}

/**
 * A single event, or a series. The times of a series are those of its first occurrence, in the zone of its anchor. Those
 * of an all-day event are of its dates in the zone of its anchor.
 */
export interface CalendarEvent extends ListedEvent, Pause {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  /** Counts the writes, from 1. */
  readonly revision: number;
  /** The UID of the VEVENT from which it was imported, or from which the series that it follows was (D51, D52). */
  readonly uid?: string;
  /** The series from which this one was split, the first one first: their announcements cover it, too (D51). */
  readonly follows?: readonly EventId[];
}

/** The recurrence of a series, and the zone in which its wall clock was set. */
export interface Recurring {
  readonly recurrence: Recurrence;
  readonly anchor: Anchor;
  /** Whether the series has overrides (D19). */
  readonly hasOverrides: boolean;
  /** See `Series`. */
  readonly lastWall?: WallMs;
  /** See `Series`. Absent for an all-day series, whose dates determine it. */
  readonly startWall?: WallMs;
}

/** A stored event, with the timestamps of the database. */
export interface StoredEvent extends CalendarEvent, Changed {
  /** Time at which it got its present start: created, moved, or its rule changed (D31). */
  readonly scheduledAt: EpochMs;
  /** Time at which it got its present duration; absent if it has had that since `scheduledAt` (D54). */
  readonly endSetAt?: EpochMs;
  /** Time at which it got its present color (D31). */
  readonly coloredAt: EpochMs;
  /** Time at which it was created; absent if a previous release has created it, and then in its id (D54). */
  readonly createdAt?: EpochMs;
}

/** The event without the fields that the database sets. */
export function withoutStamps({
  scheduledAt: _scheduledAt,
  endSetAt: _endSetAt,
  coloredAt: _coloredAt,
  createdAt: _createdAt,
  changedBy: _changedBy,
  ...event
}: StoredEvent): CalendarEvent {
  return event;
}

/** The start of a series: an instant, or a date. */
export type SeriesStart = Pick<ListedEvent, "startsAt" | "allDay"> & Pick<Recurring, "startWall">;

/** The start of a stored series, for `newRecurring`. */
export function startOf({ startsAt, allDay, recurring }: ListedEvent): SeriesStart {
  return { startsAt, ...definedFields({ allDay, startWall: recurring?.startWall }) };
}

/** The series of an event, on the clock of its calendar; undefined for a single event. */
export function seriesOf({ recurring, allDay, ...times }: ListedEvent, calendar: Calendar): Series | undefined {
  if (recurring === undefined) return undefined;
  const { recurrence, anchor, lastWall } = recurring;
  const clock = clockFor(anchor, calendar);
  // The stored times of dates may be those of earlier rules of the zone.
  const { startsAt, endsAt } = allDay === undefined ? times : timesInAnchorZone(allDay);
  const days = allDay === undefined ? undefined : allDay.endDay - allDay.startDay;
  const startWall = allDay === undefined ? recurring.startWall : wallOfDay(allDay);
  return complete<Series>()({
    startsAt,
    endsAt,
    recurrence,
    clock,
    ...definedFields({ lastWall, startWall, days }),
  });
}

/** The longest duration of an occurrence of the event. */
export function longestDurationOf({ startsAt, endsAt, allDay }: ListedEvent): number {
  const days = allDay === undefined ? undefined : allDay.endDay - allDay.startDay;
  return longestDuration({ startsAt, endsAt, ...definedFields({ days }) });
}

/** The present times of a single event, or of the first occurrence of a series. */
export function timesOf(event: ListedEvent, calendar: Calendar): Times & Partial<Pick<DayTimes, "movedAt">> {
  const series = seriesOf(event, calendar);
  if (series !== undefined) return firstRuleOccurrence(series);
  return event.allDay === undefined ? event : timesOfDays(event.allDay, clockFor(event.allDay.anchor, calendar));
}

/**
 * The revision in the API, for an event and its occurrences (D36). A change of one occurrence is a write of its
 * series. A new zone of the calendar changes the times of a series and of dates in the API without a write of the event
 * (D22), so the version of the zone is part of it.
 */
export function publicRevision(event: CalendarEvent, calendar: Calendar): string {
  return followsZone(event) ? `${event.revision}.${anchorOf(calendar).version}` : `${event.revision}`;
}

/** Whether the times of the event depend on the time zone of its calendar. */
export function followsZone({ recurring, allDay }: Pick<ListedEvent, "recurring" | "allDay">): boolean {
  return recurring !== undefined || allDay !== undefined;
}

/** The dates of an event as its view shows them; none for an event that is not all-day (D50). */
export function allDayFields(days: Days | undefined): AllDayFields {
  if (days === undefined) return {};
  return { allDay: true, startDate: dateOfDay(days.startDay), endDate: dateOfDay(days.endDay) };
}

/** The view of an event in the API. A series is shown as the parent, with the times of its first occurrence (D18). */
export function eventView(event: ListedEvent, calendar: Calendar): EventView {
  const { startsAt, endsAt } = timesOf(event, calendar);
  const { color, pausedUntil, recurring } = event;
  const recurs = recurring !== undefined;
  return complete<EventView>()({
    eventId: event.id,
    startsAt,
    endsAt,
    ...allDayFields(event.allDay),
    ...textsOf(event),
    isParent: recurs,
    color,
    ...definedFields({ pausedUntil }),
    recurs,
    ...(recurs ? { recurrence: recurrenceView(recurring.recurrence) } : {}),
  });
}

/** The present texts; an empty text counts as absent. */
export function textsOf(texts: { readonly [Text in keyof EventTexts]?: string | null | undefined }): EventTexts {
  const present: { -readonly [Text in keyof EventTexts]: EventTexts[Text] } = {};
  for (const text of EVENT_TEXTS) {
    const value = texts[text];
    if (typeof value === "string" && value !== "") present[text] = value;
  }
  return present;
}
