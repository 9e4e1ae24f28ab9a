import {
  type CreateEventParams,
  EVENT_DEFAULTS,
  type Recurrence,
  RECURRENCE_DEFAULTS,
  RECURRENCE_MEMBERS,
  type RecurrenceInput,
} from "../../contracts/calendar-events.contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { EventId } from "../../contracts/ids.ts";
import { anchorOf, type Calendar } from "./calendar.ts";
import { type CalendarEvent, seriesOf, textsOf } from "./event.ts";
import { recursAtAll } from "./occurrences.ts";

/** A new event, its defaults filled in (D14, D15); refused when it could never recur. */
export function newEvent(params: CreateEventParams, id: EventId, calendar: Calendar): CalendarEvent | Refusal {
  const { guildId, calendarNumber, startsAt, endsAt, color = EVENT_DEFAULTS.color, recurrence } = params;
  const single = { id, guildId, calendarNumber, revision: 1, startsAt, endsAt, ...textsOf(params), color };
  if (recurrence === undefined) return single;
  const recurring = { recurrence: fullRecurrence(recurrence), anchor: anchorOf(calendar), hasOverrides: false };
  const series = { ...single, recurring };
  return neverRecurs(series, calendar) ?? series;
}

/** A rule with its defaults (D15). */
export function fullRecurrence(given: RecurrenceInput): Recurrence {
  const members = RECURRENCE_MEMBERS.filter((member) => given[member] !== undefined);
  return {
    ...RECURRENCE_DEFAULTS,
    ...(Object.fromEntries(members.map((member) => [member, given[member]])) as typeof given),
  };
}

/** The refusal of a rule that asks for more than one occurrence, and has no second one before time ends (D13). */
export function neverRecurs(event: CalendarEvent, calendar: Calendar): Refusal | undefined {
  const series = seriesOf(event, calendar);
  if (series === undefined || series.recurrence.count === 1 || recursAtAll(series)) return undefined;
  return refuse("INVALID_REQUEST", [
    { field: "recurrence", code: "OUT_OF_RANGE", message: "must recur before the year 10000" },
  ]);
}
