import { complete } from "../../../../mixins/objects/complete.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import type { Color, EventTexts, EventView } from "../../../contracts/calendar-events.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { pauseEnd } from "../../../contracts/pause.ts";
import type { EpochMs, OccurrenceId } from "../../../contracts/ids.ts";
import { anchorOf, type Calendar, calendarName, clockFor } from "../calendar/calendar.ts";
import { type AllDay, timesOfDays } from "../calendar/days.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import { allDayFields, type ListedEvent, seriesOf, type StoredEvent, textsOf, timesOf } from "./event.ts";
import { timeOfEventId } from "./event-id.ts";
import { recurrenceView } from "../recurrence/parse-recurrence.ts";
import { occurrenceNumber } from "../recurrence/occurrence-number.ts";
import { occurrenceId } from "./occurrence-id.ts";
import { movedInstant, type RuleOccurrence } from "../recurrence/occurrences.ts";
import { rescheduledAt } from "./rescheduled.ts";
import type { Override } from "./override.ts";
import type { Times } from "./window.ts";

/** A single event, or one occurrence of a series with its override applied (D19). */
export interface EffectiveOccurrence<Event extends ListedEvent = StoredEvent> extends Times {
  readonly event: Event;
  /** Undefined for a single event. */
  readonly ruleOccurrence: RuleOccurrence | undefined;
  readonly override: Override | undefined;
  readonly texts: EventTexts;
  readonly color: Color;
  /** Its dates, if it is all-day. */
  readonly allDay: AllDay | undefined;
  /** Instant of the time zone change that caused its present start; undefined if none did. */
  readonly movedAt: EpochMs | undefined;
}

export function singleOccurrence<Event extends ListedEvent>(
  event: Event,
  calendar: Calendar,
): EffectiveOccurrence<Event> {
  const { startsAt, endsAt, movedAt } = timesOf(event, calendar);
  const { color, allDay } = event;
  const ofSeries = { ruleOccurrence: undefined, override: undefined };
  return { event, startsAt, endsAt, allDay, movedAt, texts: textsOf(event), color, ...ofSeries };
}

/** Applies the override, if any, to an occurrence of a series; undefined if the occurrence is cancelled. */
export function effectiveOccurrence<Event extends ListedEvent>(
  event: Event,
  ruleOccurrence: RuleOccurrence,
  override: Override | undefined,
  calendar: Calendar,
): EffectiveOccurrence<Event> | undefined {
  if (override?.cancelled === true) return undefined;
  const texts = textsOf(event);
  return {
    event,
    ruleOccurrence,
    override,
    ...timesOfOccurrence(event, ruleOccurrence, override, calendar),
    texts: override === undefined ? texts : textsOf({ ...texts, ...override.texts }),
    color: override?.color ?? event.color,
  };
}

function timesOfOccurrence(
  event: ListedEvent,
  { startsAt, endsAt, movedAt, wall }: RuleOccurrence,
  override: Override | undefined,
  calendar: Calendar,
): Times & Pick<EffectiveOccurrence, "movedAt" | "allDay"> {
  if (override?.moved === undefined) return { startsAt, endsAt, movedAt, allDay: daysFrom(event, wall) };
  // A change of the time zone moves the start of an override as it moves the series (D22).
  const { moved } = override;
  const clock = clockFor(moved.anchor, calendar);
  if (moved.days !== undefined) {
    return { ...timesOfDays(moved.days, clock), allDay: { ...moved.days, anchor: moved.anchor } };
  }
  const { at, since } = movedInstant(moved.startsAt, clock);
  return { startsAt: at, endsAt: at + moved.endsAt - moved.startsAt, movedAt: since, allDay: undefined };
}

/** The dates of an occurrence of an all-day series. */
function daysFrom({ allDay }: ListedEvent, wall: WallMs): AllDay | undefined {
  if (allDay === undefined) return undefined;
  const startDay = wall / DAY_MS;
  return { startDay, endDay: startDay + allDay.endDay - allDay.startDay, anchor: allDay.anchor };
}

/** The id of the occurrence; that of the event for a single event. */
export function idOf({ event, ruleOccurrence }: EffectiveOccurrence<ListedEvent>): OccurrenceId {
  return ruleOccurrence === undefined
    ? (event.id as string as OccurrenceId)
    : occurrenceId(event.id, ruleOccurrence.original);
}

/** The view of the API (D18). */
export function occurrenceView(occurrence: EffectiveOccurrence<ListedEvent>): EventView {
  const { event, ruleOccurrence, startsAt, endsAt, allDay, texts, color } = occurrence;
  return complete<EventView>()({
    eventId: idOf(occurrence),
    startsAt,
    endsAt,
    ...allDayFields(allDay),
    ...texts,
    isParent: false,
    color,
    ...definedFields({ pausedUntil: event.pausedUntil }),
    recurs: ruleOccurrence !== undefined,
    ...(event.recurring === undefined ? {} : { recurrence: recurrenceView(event.recurring.recurrence) }),
  });
}

type PresentOccurrence = Omit<Occurrence, "until" | "digest" | "holidays">;

type OccurrenceTexts = EventTexts & Pick<Occurrence, "calendarName" | "occurrenceNumber">;

const NO_TEXTS: OccurrenceTexts = {};

/** The texts of an occurrence, and what else only its messages show. */
function shownTexts({ event, ruleOccurrence, texts }: EffectiveOccurrence, calendar: Calendar): OccurrenceTexts {
  const series = ruleOccurrence === undefined ? undefined : seriesOf(event, calendar);
  const number = series && ruleOccurrence && occurrenceNumber(series, ruleOccurrence);
  return { ...texts, calendarName: calendarName(calendar), ...definedFields({ occurrenceNumber: number }) };
}

/**
 * The occurrence with the fields that dispatch needs for planning and rendering. An override may have texts although the
 * event was read without them.
 */
export function announcedOccurrence(
  occurrence: EffectiveOccurrence,
  calendar: Calendar,
  withTexts = true,
): PresentOccurrence {
  const { event, ruleOccurrence, override, startsAt, endsAt, allDay, color } = occurrence;
  const scheduledAt = scheduledAtOf(occurrence);
  return complete<PresentOccurrence>()({
    ...(withTexts ? shownTexts(occurrence, calendar) : NO_TEXTS),
    occurrenceId: idOf(occurrence),
    eventId: event.id,
    ...definedFields({ follows: event.follows }),
    calendarNumber: event.calendarNumber,
    timezone: anchorOf(calendar).timezone,
    startsAt,
    endsAt,
    ...allDayFields(allDay),
    color,
    recurs: ruleOccurrence !== undefined,
    isFirst: ruleOccurrence?.isFirst ?? true,
    scheduledAt,
    ...definedFields({
      endSetAt: endSetAtOf(occurrence, scheduledAt),
      createdAt: createdAtOf(occurrence),
      rescheduledAt: rescheduledAt(occurrence, calendar),
    }),
    coloredAt: override?.coloredAt ?? event.coloredAt,
    ...definedFields({ eventPausedUntil: pauseEnd(event), calendarPausedUntil: pauseEnd(calendar) }),
    ...definedFields({ changedBy: event.changedBy }),
  });
}

/** Instant of the last change of its start: of the series, of its override, or of the time zone (D31). */
function scheduledAtOf({ event, ruleOccurrence, override, movedAt = 0 }: EffectiveOccurrence): EpochMs {
  const byRule = Math.max(event.scheduledAt, ruleOccurrence?.movedAt ?? 0);
  return Math.max(override?.moved === undefined ? byRule : (override.scheduledAt ?? byRule), movedAt);
}

/** Instant of the last change of its end, if that was later than the last change of its start (D54). */
function endSetAtOf({ event, override }: EffectiveOccurrence, scheduledAt: EpochMs): EpochMs | undefined {
  const endSetAt = override?.moved === undefined ? event.endSetAt : override.endSetAt;
  return endSetAt !== undefined && endSetAt > scheduledAt ? endSetAt : undefined;
}

/** Only the first occurrence stands for the creation of its event. A series that was split from another one was created with it. */
function createdAtOf({ event, ruleOccurrence }: EffectiveOccurrence): EpochMs | undefined {
  const isFirst = ruleOccurrence?.isFirst ?? true;
  if (!isFirst || event.follows !== undefined) return undefined;
  return event.createdAt ?? timeOfEventId(event.id);
}
