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

/** The fields of an event that a list shows or needs. */
export interface ListedEvent extends EventTexts, Times {
  readonly id: EventId;
  readonly color: Color;
  /** The recurrence of a series; undefined for a single event. */
  readonly recurring?: Recurring;
}

/** A single event, or a series: then the times are its first occurrence's in the zone of its anchor. */
export interface CalendarEvent extends ListedEvent {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  /** Counts the writes, from 1. */
  readonly revision: number;
}

/** A rule, and by which zone of the calendar its wall clock was set. */
export interface Recurring {
  readonly recurrence: Recurrence;
  readonly anchor: Anchor;
  /** Whether single occurrences were changed or cancelled (D19). */
  readonly hasOverrides: boolean;
  /** See `Series`. */
  readonly lastDay?: number;
}

/** An event as it is kept, with the times that the database gave it. */
export interface StoredEvent extends CalendarEvent, Changed {
  /** When it got the start that it has now: created, moved, or its rule changed (D31). */
  readonly scheduledAt: EpochMs;
  /** When it got its colour (D31). */
  readonly coloredAt: EpochMs;
}

/** The event's recurrence with its times, on the clock of its calendar; undefined for a single event. */
export function seriesOf({ startsAt, endsAt, recurring }: ListedEvent, calendar: Calendar): Series | undefined {
  if (recurring === undefined) return undefined;
  const { recurrence, anchor, lastDay } = recurring;
  const series = { startsAt, endsAt, recurrence, clock: clockFor(anchor, calendar) };
  return lastDay === undefined ? series : { ...series, lastDay };
}

/** When the event is now; of a series, its first occurrence by the rule. */
export function timesOf(event: ListedEvent, calendar: Calendar): Times {
  const series = seriesOf(event, calendar);
  return series === undefined ? event : firstRuleOccurrence(series);
}

/**
 * Names what the API shows of an event and of its occurrences (D36). A change of one occurrence is a write of its series.
 * A new zone of the calendar shows the times of a series differently and writes no series (D22): its version counts too.
 */
export function publicRevision({ revision, recurring }: CalendarEvent, calendar: Calendar): string {
  return recurring === undefined ? `${revision}` : `${revision}.${anchorOf(calendar).version}`;
}

/** The event itself as the API shows it: of a series the parent, with the first occurrence's times (D18). */
export function eventView(event: ListedEvent, calendar: Calendar): EventView {
  const { startsAt, endsAt } = timesOf(event, calendar);
  const { color, recurring } = event;
  const recurs = recurring !== undefined;
  const shown = { eventId: event.id, startsAt, endsAt, ...textsOf(event), isParent: recurs, color, recurs };
  return recurs ? { ...shown, recurrence: recurrenceView(recurring.recurrence) } : shown;
}

/** The texts that are there; an empty one is an absent one. */
export function textsOf(texts: { readonly [Text in keyof EventTexts]?: string | null | undefined }): EventTexts {
  const present: { -readonly [Text in keyof EventTexts]: EventTexts[Text] } = {};
  for (const text of EVENT_TEXTS) {
    const value = texts[text];
    if (typeof value === "string" && value !== "") present[text] = value;
  }
  return present;
}
