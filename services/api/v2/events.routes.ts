import {
  createEvent,
  getEvent,
  listEvents,
  listOngoingEvents,
  removeEvent,
  updateEvent,
} from "../../contracts/calendar-events.contract.ts";
import { listOf, statusText } from "../wire/response-fields.ts";
import { route } from "../route.ts";
import { asInteger, field } from "../wire/request-fields.ts";
import { dateWindow, monthWindow, rangeWindow } from "./event-windows.ts";
import { eventExamples as examples } from "./events.examples.ts";
import {
  calendarFields,
  createdEventId,
  endField,
  event,
  eventFields,
  eventIdField,
  startField,
} from "./events.wire.ts";

/** In the order in which the document's examples work one after the other. */
export const eventRoutes = [
  route({
    paths: ["/v2/events/create", "/v2/event/create"],
    contract: createEvent,
    fields: [...calendarFields, ...eventFields("absent")],
    sentBack: ["event_id", "is_parent"],
    nulls: "absent",
    takesIdempotencyKey: true,
    answer: [statusText("message", "Event created"), createdEventId],
    etag: true,
    summary: "Creates an event or a series",
    example: examples.create,
  }),
  route({
    paths: ["/v2/events/get", "/v2/event/get"],
    contract: getEvent,
    fields: [...calendarFields, eventIdField],
    answer: event,
    answerName: "Event",
    etag: true,
    summary: "Returns one event, one series, or one occurrence of a series",
    example: examples.get,
  }),
  route({
    paths: ["/v2/events/list/month"],
    contract: listEvents,
    fields: [...calendarFields, field("days_in_month", "days", asInteger), startField],
    request: monthWindow,
    answer: [listOf("events", event, "Event")],
    summary: "Lists the events that overlap the days_in_month days from epoch_start",
    example: examples.month,
  }),
  route({
    paths: ["/v2/events/list/date"],
    contract: listEvents,
    fields: [...calendarFields, startField],
    request: dateWindow,
    answer: [listOf("events", event, "Event")],
    summary: "Lists the events that overlap the 24 hours from epoch_start",
    example: examples.date,
  }),
  route({
    paths: ["/v2/events/list/range"],
    contract: listEvents,
    fields: [...calendarFields, startField, endField],
    request: rangeWindow,
    answer: [listOf("events", event, "Event")],
    summary: "Lists the events that overlap the window from epoch_start to epoch_end, both included",
    example: examples.range,
  }),
  route({
    paths: ["/v2/events/list/ongoing"],
    contract: listOngoingEvents,
    fields: calendarFields,
    answer: [listOf("events", event, "Event")],
    summary: "Lists the events that are ongoing now",
    example: examples.ongoing,
  }),
  route({
    paths: ["/v2/events/update", "/v2/event/update"],
    contract: updateEvent,
    fields: [...calendarFields, eventIdField, ...eventFields("value")],
    sentBack: ["is_parent"],
    answer: [statusText("message", "Event updated")],
    etag: true,
    summary: "Changes the given fields of an event, a series or one occurrence; null clears a text",
    example: examples.update,
  }),
  route({
    paths: ["/v2/events/delete", "/v2/event/delete"],
    contract: removeEvent,
    fields: [...calendarFields, eventIdField, field("announcements")],
    answer: [statusText("message", "Event deleted")],
    summary: "Deletes an event or a series, or cancels one occurrence",
    example: examples.delete,
  }),
];
