import { definedFields, unlessEmpty } from "../../../../mixins/objects/defined-fields.ts";
import type { FieldProblemCode } from "../../../contracts/field-problem.ts";
import { refuse, type Refusal } from "../../../contracts/errors.ts";
import type { EpochMs, EventId } from "../../../contracts/ids.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import type { Calendar } from "../calendar/calendar.ts";
import { timesInAnchorZone } from "../calendar/days.ts";
import { instantToLocal } from "../calendar/local-to-instant.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import {
  countDatesBefore,
  hasSecondOccurrence,
  ruleOccurrenceAt,
  type RuleOccurrence,
  type Series,
  startWallOf,
} from "../recurrence/occurrences.ts";
import { newRecurring } from "../recurrence/recurring.ts";
import { originalOf } from "../recurrence/original-order.ts";
import { datesOf } from "../recurrence/rule-dates.ts";
import { hasTimes } from "../recurrence/times-of-day.ts";
import {
  type CalendarEvent,
  type Recurring,
  seriesOf,
  type SeriesStart,
  startOf,
  type StoredEvent,
  withoutStamps,
} from "./event.ts";
import type { Times } from "./window.ts";

/** The two parts of a series that was split before one of its occurrences (D51). */
export interface SplitSeries {
  /** The next revision of the series, which ends before the occurrence. */
  readonly before: CalendarEvent;
  /** The series that begins with the occurrence and has the rest of the dates. It has no revision yet: 0. */
  readonly following: StoredEvent;
}

/** Largest number of series that one follows: dispatch reads their ids with each of its occurrences. */
const MAX_FOLLOWED = 25;

/** UNTIL is compared to the second. */
const SECOND_MS = 1_000;

/**
 * Splits a series before an occurrence that is not its first one. The parts together have the occurrences of the series,
 * at the same times; those of the second part have its id.
 */
export function splitSeries(
  event: StoredEvent,
  original: EpochMs,
  id: EventId,
  calendar: Calendar,
): SplitSeries | Refusal {
  const { follows = [], recurring } = event;
  const series = seriesOf(event, calendar);
  const occurrence = series === undefined ? undefined : ruleOccurrenceAt(withoutAdditions(series), original);
  if (recurring === undefined || series === undefined || occurrence === undefined) {
    const message = "must not be an added date (r_dates) with this scope: a series begins with a date of its rule";
    return invalidField("eventId", "CONFLICTING", message);
  }
  if (follows.length >= MAX_FOLLOWED) {
    const message = `must not be following for a series that was split ${MAX_FOLLOWED} times: create a new one`;
    return invalidField("scope", "TOO_MANY", message);
  }
  const passed = passedRefusal(series, occurrence);
  if (passed !== undefined) return passed;
  const { times, start } = startAt(event, series, occurrence);
  const begun = { ...event, ...times, ...definedFields({ allDay: start.allDay }), recurring };
  return {
    before: seriesBefore(event, original, calendar),
    following: {
      ...begun,
      id,
      revision: 0,
      follows: [...follows, event.id],
      recurring: recurringWith(begun, recurrenceFrom(series, occurrence), start, calendar),
    },
  };
}

/** The refusal of an end of the series before an occurrence that a clock change moves past another; undefined for any other one. */
export function endRefusal(event: StoredEvent, original: EpochMs, calendar: Calendar): Refusal | undefined {
  const series = seriesOf(event, calendar);
  const occurrence = series === undefined ? undefined : ruleOccurrenceAt(series, original);
  return series === undefined || occurrence === undefined ? undefined : passedRefusal(series, occurrence);
}

/** The rule has its dates in the order of wall times, so that it cannot end between two occurrences in another order. */
function passedRefusal(series: Series, { original, wall }: RuleOccurrence): Refusal | undefined {
  if (!hasTimes(series.recurrence)) return undefined;
  const start = startWallOf(series);
  const next = datesOf(series.recurrence, start, series.lastWall).read(wall - DAY_MS, wall + DAY_MS);
  for (let other = next(); other !== undefined; other = next()) {
    if ((other - wall) * (originalOf(series, start, other) - original) >= 0) continue;
    const message = "must not be an occurrence that a clock change moves past another one, with this scope";
    return invalidField("eventId", "CONFLICTING", message);
  }
  return undefined;
}

/** The next revision of a series that ends before an occurrence, which is not its first one. */
export function seriesBefore(event: StoredEvent, original: EpochMs, calendar: Calendar): CalendarEvent {
  const unchanged = withoutStamps(event);
  const next = { ...unchanged, revision: event.revision + 1 };
  const series = seriesOf(event, calendar);
  const occurrence = series === undefined ? undefined : ruleOccurrenceAt(series, original);
  if (event.recurring === undefined || series === undefined || occurrence === undefined) return next;
  const recurring = recurringWith(
    { ...next, recurring: event.recurring },
    recurrenceBefore(series, occurrence),
    startOf(event),
    calendar,
  );
  return { ...next, recurring };
}

/** A count is divided between both parts. A rule without one gets an UNTIL a second before the occurrence. */
function recurrenceBefore(series: Series, { original, wall }: RuleOccurrence): Recurrence {
  const { count } = series.recurrence;
  const end = count === -1 ? { until: original - SECOND_MS } : { count: countDatesBefore(series, wall) };
  return { ...withDates(series.recurrence, (at) => at < original), ...end };
}

function recurrenceFrom(series: Series, { original, wall }: RuleOccurrence): Recurrence {
  const { count } = series.recurrence;
  const rest = count === -1 ? -1 : count - countDatesBefore(series, wall);
  return { ...withDates(series.recurrence, (at) => at >= original), count: rest };
}

/** The rule with those of its EXDATEs and RDATEs that are in one part. */
function withDates({ exDates = [], rDates = [], ...rule }: Recurrence, isInPart: (at: EpochMs) => boolean): Recurrence {
  const dates = { exDates: unlessEmpty(exDates.filter(isInPart)), rDates: unlessEmpty(rDates.filter(isInPart)) };
  return { ...rule, ...definedFields(dates) };
}

/** The recurrence fields of a part. A part of one date has the count 1, because a rule without a second date is not valid. */
function recurringWith(event: StoredSeries, recurrence: Recurrence, start: SeriesStart, calendar: Calendar): Recurring {
  const { anchor, hasOverrides } = event.recurring;
  const recurring = newRecurring(recurrence, anchor, start, hasOverrides);
  const series = seriesOf({ ...event, recurring }, calendar);
  if (recurrence.count === 1 || series === undefined || hasSecondOccurrence(series)) return recurring;
  const { until: _, ...rule } = recurrence;
  return newRecurring({ ...rule, count: 1 }, anchor, start, hasOverrides);
}

type StoredSeries = CalendarEvent & { readonly recurring: Recurring };

/**
 * The start of the second part, in the zone in which the series was set. The wall time of the rule is stored if it does not
 * exist on the date of the occurrence: the occurrence was moved forward (D16), but the later dates are at that wall time.
 */
function startAt(
  { allDay }: StoredEvent,
  { startsAt, endsAt, clock }: Series,
  { original, wall }: RuleOccurrence,
): { readonly times: Times; readonly start: SeriesStart } {
  if (allDay === undefined) {
    const startWall = instantToLocal(original, clock[0].zone) === wall ? undefined : wall;
    const times = { startsAt: original, endsAt: original + endsAt - startsAt };
    return { times, start: { startsAt: original, ...definedFields({ startWall }) } };
  }
  const startDay = wall / DAY_MS;
  const days = { ...allDay, startDay, endDay: startDay + allDay.endDay - allDay.startDay };
  const times = timesInAnchorZone(days);
  return { times, start: { startsAt: times.startsAt, allDay: days } };
}

function withoutAdditions({ recurrence: { rDates: _, ...recurrence }, ...series }: Series): Series {
  return { ...series, recurrence };
}

function invalidField(field: string, code: FieldProblemCode, message: string): Refusal {
  return refuse("INVALID_REQUEST", [{ field, code, message }]);
}
