import { complete } from "../../../../mixins/objects/complete.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import { type CreateEventParams, EVENT_DEFAULTS } from "../../../contracts/calendar-events.contract.ts";
import { isRefusal, type Refusal } from "../../../contracts/errors.ts";
import type { EventId } from "../../../contracts/ids.ts";
import { anchorOf, type Calendar, zoneOf } from "../calendar/calendar.ts";
import { type CalendarEvent, textsOf } from "./event.ts";
import { newTimes } from "./given-times.ts";
import { parseRecurrence } from "../recurrence/parse-recurrence.ts";
import { newRecurring, seriesRefusal } from "../recurrence/recurring.ts";

/** Returns a new event with defaults (D14, D15), or a refusal of invalid dates or an invalid recurrence. */
export function newEvent(params: CreateEventParams, id: EventId, calendar: Calendar): CalendarEvent | Refusal {
  const { guildId, calendarNumber, color = EVENT_DEFAULTS.color } = params;
  const times = newTimes(params, calendar);
  if (isRefusal(times)) return times;
  const { startsAt, endsAt, allDay } = times;
  const single = complete<Omit<CalendarEvent, "recurring" | "uid" | "follows" | "pauseEndedAt">>()({
    id,
    guildId,
    calendarNumber,
    revision: 1,
    startsAt,
    endsAt,
    ...definedFields({ allDay, pausedUntil: params.pausedUntil }),
    ...textsOf(params),
    color,
  });
  if (params.recurrence === undefined) return single;
  const anchor = anchorOf(calendar);
  const recurrence = parseRecurrence(params.recurrence, zoneOf(anchor));
  if (isRefusal(recurrence)) return recurrence;
  const series = { ...single, recurring: newRecurring(recurrence, anchor, single) };
  return seriesRefusal(series, calendar, allDay === undefined ? "startsAt" : "startDate") ?? series;
}
