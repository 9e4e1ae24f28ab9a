import { complete } from "../../../../mixins/objects/complete.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import {
  type Color,
  EVENT_TEXTS,
  type EventTexts,
  type EventView,
} from "../../../contracts/calendar-events.contract.ts";
import type { Changed } from "../../../contracts/contract.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import type { EpochMs, EventId, GuildId } from "../../../contracts/ids.ts";
import { type Anchor, anchorOf, type Calendar, clockFor } from "../calendar/calendar.ts";
import { recurrenceView } from "../recurrence/parse-recurrence.ts";
import { firstRuleOccurrence, type Series } from "../recurrence/occurrences.ts";
import type { Times } from "./window.ts";

/** The fields of an event that lists need. */
export interface ListedEvent extends EventTexts, Times {
  readonly id: EventId;
  readonly color: Color;
  /** The recurrence of a series; undefined for a single event. */
  readonly recurring?: Recurring;
}

/**
 * A single event, or a series. The times of a series are those of its first occurrence, in the zone of its anchor.
 */
export interface CalendarEvent extends ListedEvent {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  /** Counts the writes, from 1. */
  readonly revision: number;
  /** The UID of the VEVENT from which it was imported (D52). */
  readonly uid?: string;
}

/** The recurrence of a series, and the zone in which its wall clock was set. */
export interface Recurring {
  readonly recurrence: Recurrence;
  readonly anchor: Anchor;
  /** Whether the series has overrides (D19). */
  readonly hasOverrides: boolean;
  /** See `Series`. */
  readonly lastDay?: number;
}

/** A stored event, with the timestamps of the database. */
export interface StoredEvent extends CalendarEvent, Changed {
  /** Time at which it got its present start: created, moved, or its rule changed (D31). */
  readonly scheduledAt: EpochMs;
  /** Time at which it got its present color (D31). */
  readonly coloredAt: EpochMs;
}

/** The series of an event, on the clock of its calendar; undefined for a single event. */
export function seriesOf({ startsAt, endsAt, recurring }: ListedEvent, calendar: Calendar): Series | undefined {
  if (recurring === undefined) return undefined;
  const { recurrence, anchor, lastDay } = recurring;
  const clock = clockFor(anchor, calendar);
  return complete<Series>()({ startsAt, endsAt, recurrence, clock, ...definedFields({ lastDay }) });
}

/** The present times of a single event, or of the first occurrence of a series. */
export function timesOf(event: ListedEvent, calendar: Calendar): Times {
  const series = seriesOf(event, calendar);
  return series === undefined ? event : firstRuleOccurrence(series);
}

/**
 * The revision in the API, for an event and its occurrences (D36). A change of one occurrence is a write of its
 * series. A new zone of the calendar changes the times of a series in the API without a write of the series (D22), so
 * the version of the zone is part of it.
 */
export function publicRevision({ revision, recurring }: CalendarEvent, calendar: Calendar): string {
  return recurring === undefined ? `${revision}` : `${revision}.${anchorOf(calendar).version}`;
}

/** The view of an event in the API. A series is shown as the parent, with the times of its first occurrence (D18). */
export function eventView(event: ListedEvent, calendar: Calendar): EventView {
  const { startsAt, endsAt } = timesOf(event, calendar);
  const { color, recurring } = event;
  const recurs = recurring !== undefined;
  return complete<EventView>()({
    eventId: event.id,
    startsAt,
    endsAt,
    ...textsOf(event),
    isParent: recurs,
    color,
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
