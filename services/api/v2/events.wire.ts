import { COLORS, type CreateEventParams, type EventView } from "../../contracts/calendar-events.contract.ts";
import { FREQUENCIES, type RecurrenceInput, type RecurrenceView, WEEKDAYS } from "../../contracts/recurrence.ts";
import {
  type ResponseField,
  BOOLEAN,
  encodeFields,
  EPOCH_MS,
  INTEGER,
  LIST_OF_INTEGERS,
  LIST_OF_EPOCH_MS,
  objectOf,
  enumOf,
  STRING,
  LIST_OF_STRINGS,
} from "../wire/response-fields.ts";
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

export const startField = timeField("epoch_start");
export const endField = timeField("epoch_end");

/** The fields of create and update, beside the calendar and the id. A null in the recurrence has the same meaning. */
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
    name: field("name"),
    description: field("description"),
    location: field("location"),
    color: field("color", asEnumValue),
    recurs: field("recur"),
    recurrence: objectField("recurrence", recurrence, nulls),
    image: field("image"),
  };
}

/** A rule has frequency, count and interval; the other members are present only if the rule has them (D45). */
const recurrence: readonly ResponseField<RecurrenceView>[] = [
  { wire: "frequency", value: ({ frequency }) => frequency, schema: enumOf(FREQUENCIES) },
  { wire: "count", value: ({ count }) => count, schema: INTEGER },
  { wire: "interval", value: ({ interval }) => interval, schema: INTEGER },
  { wire: "by_day", value: ({ byDay }) => byDay, schema: LIST_OF_STRINGS, optional: true },
  { wire: "by_month_day", value: ({ byMonthDay }) => byMonthDay, schema: LIST_OF_INTEGERS, optional: true },
  { wire: "by_month", value: ({ byMonth }) => byMonth, schema: LIST_OF_INTEGERS, optional: true },
  { wire: "by_set_pos", value: ({ bySetPos }) => bySetPos, schema: LIST_OF_INTEGERS, optional: true },
  { wire: "until", value: ({ until }) => until, schema: EPOCH_MS, optional: true },
  { wire: "week_start", value: ({ weekStart }) => weekStart, schema: enumOf(WEEKDAYS), optional: true },
  { wire: "ex_dates", value: ({ exDates }) => exDates, schema: LIST_OF_EPOCH_MS, optional: true },
  { wire: "r_dates", value: ({ rDates }) => rDates, schema: LIST_OF_EPOCH_MS, optional: true },
  { wire: "rrule", value: ({ rrule }) => rrule, schema: STRING, optional: true },
];

/** An event, a series, or one occurrence (api.md 2.4, D18). */
export const eventResponseFields: readonly ResponseField<EventView>[] = [
  { wire: "event_id", value: ({ eventId }) => eventId, schema: STRING },
  { wire: "epoch_start", value: ({ startsAt }) => startsAt, schema: EPOCH_MS },
  { wire: "epoch_end", value: ({ endsAt }) => endsAt, schema: EPOCH_MS },
  { wire: "name", value: ({ name }) => name, schema: STRING, optional: true },
  { wire: "description", value: ({ description }) => description, schema: STRING, optional: true },
  { wire: "location", value: ({ location }) => location, schema: STRING, optional: true },
  { wire: "is_parent", value: ({ isParent }) => isParent, schema: BOOLEAN },
  { wire: "color", value: ({ color }) => color, schema: enumOf(COLORS) },
  { wire: "recur", value: ({ recurs }) => recurs, schema: BOOLEAN },
  {
    wire: "recurrence",
    value: (view) => (view.recurrence === undefined ? undefined : encodeFields(recurrence, view.recurrence)),
    schema: objectOf(recurrence, "Recurrence"),
    optional: true,
  },
  { wire: "image", value: ({ image }) => image, schema: STRING, optional: true },
];

export const createdEventIdField: ResponseField<{ readonly eventId: string }> = {
  wire: "id",
  value: ({ eventId }) => eventId,
  schema: STRING,
};
