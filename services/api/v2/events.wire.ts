import {
  COLORS,
  type createEvent,
  type CreateEventParams,
  type EventView,
  type updateEvent,
} from "../../contracts/calendar-events.contract.ts";
import type { ResultOf } from "../../contracts/contract.ts";
import { FREQUENCIES, type RecurrenceInput, type RecurrenceView, WEEKDAYS } from "../../contracts/recurrence.ts";
import type { Revised } from "../../contracts/revision.ts";
import {
  BOOLEAN,
  DATE,
  EPOCH_MS,
  INTEGER,
  LIST_OF_INTEGERS,
  LIST_OF_EPOCH_MS,
  optional,
  responseFields,
  shown,
  shownObject,
  enumOf,
  STRING,
  LIST_OF_STRINGS,
} from "../wire/response-fields.ts";
import { pauseField, shownPause } from "../wire/pause-fields.ts";
import {
  asInteger,
  asEnumValue,
  eachOf,
  field,
  guildField,
  type NullMeaning,
  objectField,
  type RequestFields,
  timeField,
  timesField,
} from "../wire/request-fields.ts";

/** The fields of every request for events. */
export const calendarFields = { guildId: guildField, calendarNumber: field("calendar_number", asInteger) };

export const eventIdField = field("event_id");

/** The scope, in upper or lower case. */
export const scopeField = field("scope", (value) => (typeof value === "string" ? asciiLowerCase(value) : value));

/** `toLowerCase` would turn a Kelvin sign into k. */
function asciiLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export const startField = timeField("epoch_start");
export const endField = timeField("epoch_end");

/** The fields of create and update, beside the calendar and the id. `nulls` is the meaning of null in the recurrence. */
export function eventRequestFields(
  nulls: NullMeaning,
): RequestFields<Omit<CreateEventParams, keyof typeof calendarFields>> {
  const recurrence: RequestFields<RecurrenceInput> = {
    frequency: field("frequency", asEnumValue),
    count: field("count", asInteger),
    interval: field("interval", asInteger),
    byDay: field("by_day", eachOf(asEnumValue)),
    byMonthDay: field("by_month_day", eachOf(asInteger)),
    byMonth: field("by_month", eachOf(asInteger)),
    byHour: field("by_hour", eachOf(asInteger)),
    byMinute: field("by_minute", eachOf(asInteger)),
    bySecond: field("by_second", eachOf(asInteger)),
    bySetPos: field("by_set_pos", eachOf(asInteger)),
    until: timeField("until"),
    weekStart: field("week_start", asEnumValue),
    exDates: timesField("ex_dates"),
    rDates: timesField("r_dates"),
    rrule: field("rrule"),
  };
  return {
    startsAt: startField,
    endsAt: endField,
    allDay: field("all_day"),
    startDate: field("start_date"),
    endDate: field("end_date"),
    name: field("name"),
    description: field("description"),
    location: field("location"),
    color: field("color", asEnumValue),
    pausedUntil: pauseField,
    recurs: field("recur"),
    recurrence: objectField("recurrence", recurrence, nulls),
    image: field("image"),
  };
}

/** A rule has frequency, count and interval; the other members are present only if the rule has them (D45). */
const recurrence = responseFields<RecurrenceView>({
  frequency: shown("frequency", enumOf(FREQUENCIES)),
  count: shown("count", INTEGER),
  interval: shown("interval", INTEGER),
  byDay: optional(shown("by_day", LIST_OF_STRINGS)),
  byMonthDay: optional(shown("by_month_day", LIST_OF_INTEGERS)),
  byMonth: optional(shown("by_month", LIST_OF_INTEGERS)),
  byHour: optional(shown("by_hour", LIST_OF_INTEGERS)),
  byMinute: optional(shown("by_minute", LIST_OF_INTEGERS)),
  bySecond: optional(shown("by_second", LIST_OF_INTEGERS)),
  bySetPos: optional(shown("by_set_pos", LIST_OF_INTEGERS)),
  until: optional(shown("until", EPOCH_MS)),
  weekStart: optional(shown("week_start", enumOf(WEEKDAYS))),
  exDates: optional(shown("ex_dates", LIST_OF_EPOCH_MS)),
  rDates: optional(shown("r_dates", LIST_OF_EPOCH_MS)),
  rrule: optional(shown("rrule", STRING)),
});

/** An event, a series, or one occurrence (api.md 2.4, D18). */
export const eventResponseFields = responseFields<EventView>({
  eventId: shown("event_id", STRING),
  startsAt: shown("epoch_start", EPOCH_MS),
  endsAt: shown("epoch_end", EPOCH_MS),
  allDay: optional(shown("all_day", { type: "boolean", const: true })),
  startDate: optional(shown("start_date", DATE)),
  endDate: optional(shown("end_date", DATE)),
  name: optional(shown("name", STRING)),
  description: optional(shown("description", STRING)),
  location: optional(shown("location", STRING)),
  isParent: shown("is_parent", BOOLEAN),
  color: shown("color", enumOf(COLORS)),
  pausedUntil: shownPause,
  recurs: shown("recur", BOOLEAN),
  recurrence: optional(shownObject("recurrence", recurrence, "Recurrence")),
  image: optional(shown("image", STRING)),
});

/** The id of a new series if the update has split one (D51). */
export const updatedEventFields = responseFields<Omit<ResultOf<typeof updateEvent>, keyof Revised>>({
  eventId: optional(shown("id", STRING)),
});

export const createdEventFields = responseFields<Omit<ResultOf<typeof createEvent>, keyof Revised>>({
  eventId: shown("id", STRING),
});
