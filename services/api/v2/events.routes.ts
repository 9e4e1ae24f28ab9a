import {
  createEvent,
  getEvent,
  listEvents,
  listOngoingEvents,
  removeEvent,
  updateEvent,
} from "../../contracts/calendar-events.contract.ts";
import { listEventsPage, listOngoingEventsPage, searchEvents } from "../../contracts/event-pages.contract.ts";
import { pagedRequest, pageFields, pageResponseFields } from "../wire/list-pages.ts";
import { listOf, statusMessage } from "../wire/response-fields.ts";
import { writeRoute } from "../dry-run.ts";
import { pagedRoute, route } from "../route.ts";
import { asEnumValue, asInteger, field } from "../wire/request-fields.ts";
import { dateWindow, monthWindow, rangeWindow, searchRange } from "./event-windows.ts";
import { eventExamples as examples } from "./events.examples.ts";
import {
  calendarFields,
  createdEventFields,
  endField,
  eventResponseFields,
  eventRequestFields,
  eventIdField,
  scopeField,
  startField,
  updatedEventFields,
} from "./events.wire.ts";

const eventsPage = pageResponseFields("events", eventResponseFields, "Event");

const SEARCH_DESCRIPTION =
  `An entry has every word of \`text\`, in its name, description or location. A series is one entry, the series itself; an occurrence is one if
its own texts or color were changed. Entries are in the order of their ids, which is that of their creation. A page may have few
entries or none, and a \`next\`: the search ends with the page that has no \`next\`.`.replaceAll("\n", " ");

const SCOPE_DESCRIPTION =
  `The id of an occurrence stands for the occurrence alone, with the \`scope\` following for it and all
later ones, and with all for the whole series.`.replaceAll("\n", " ");

const SPLIT_DESCRIPTION =
  `An update of the following ones splits the series: the series ends before the occurrence, and a new series, whose id is in the
response, begins with it.`.replaceAll("\n", " ");

const END_DESCRIPTION = "A delete of the following ones ends the series before the occurrence.";

/** The order is the order of the API document, in which the examples work one after the other. */
export const eventRoutes = [
  writeRoute({
    paths: ["/v2/events/create", "/v2/event/create"],
    contract: createEvent,
    fields: { ...calendarFields, ...eventRequestFields("absent") },
    readOnly: ["event_id", "is_parent"],
    nulls: "absent",
    acceptsIdempotencyKey: true,
    responseFields: [statusMessage("message", "Event created"), ...createdEventFields],
    hasEtag: true,
    summary: "Creates an event or a series",
    example: examples.create,
  }),
  route({
    paths: ["/v2/events/get", "/v2/event/get"],
    contract: getEvent,
    fields: { ...calendarFields, eventId: eventIdField },
    responseFields: eventResponseFields,
    responseName: "Event",
    hasEtag: true,
    summary: "Returns one event, one series, or one occurrence of a series",
    example: examples.get,
  }),
  pagedRoute(
    {
      paths: ["/v2/events/list/month"],
      contract: listEvents,
      fields: { ...calendarFields, days: field("days_in_month", asInteger), startsAt: startField },
      request: monthWindow,
      responseFields: [listOf("events", eventResponseFields, "Event")],
      summary: "Lists the events that overlap the days_in_month days from epoch_start",
      example: examples.month,
    },
    {
      contract: listEventsPage,
      fields: { ...calendarFields, days: field("days_in_month", asInteger), startsAt: startField, ...pageFields },
      request: pagedRequest(monthWindow),
      responseFields: eventsPage,
    },
  ),
  pagedRoute(
    {
      paths: ["/v2/events/list/date"],
      contract: listEvents,
      fields: { ...calendarFields, startsAt: startField },
      request: dateWindow,
      responseFields: [listOf("events", eventResponseFields, "Event")],
      summary: "Lists the events that overlap the 24 hours from epoch_start",
      example: examples.date,
    },
    {
      contract: listEventsPage,
      fields: { ...calendarFields, startsAt: startField, ...pageFields },
      request: pagedRequest(dateWindow),
      responseFields: eventsPage,
    },
  ),
  pagedRoute(
    {
      paths: ["/v2/events/list/range"],
      contract: listEvents,
      fields: { ...calendarFields, startsAt: startField, endsAt: endField },
      request: rangeWindow,
      responseFields: [listOf("events", eventResponseFields, "Event")],
      summary: "Lists the events that overlap the window from epoch_start to epoch_end, both included",
      example: examples.range,
    },
    {
      contract: listEventsPage,
      fields: { ...calendarFields, startsAt: startField, endsAt: endField, ...pageFields },
      request: pagedRequest(rangeWindow),
      responseFields: eventsPage,
    },
  ),
  pagedRoute(
    {
      paths: ["/v2/events/list/ongoing"],
      contract: listOngoingEvents,
      fields: calendarFields,
      responseFields: [listOf("events", eventResponseFields, "Event")],
      summary: "Lists the events that are ongoing now",
      example: examples.ongoing,
    },
    { contract: listOngoingEventsPage, fields: { ...calendarFields, ...pageFields }, responseFields: eventsPage },
  ),
  route({
    paths: ["/v2/events/search"],
    contract: searchEvents,
    fields: {
      ...calendarFields,
      text: field("text"),
      color: field("color", asEnumValue),
      startsAt: startField,
      endsAt: endField,
      ...pageFields,
    },
    nulls: "absent",
    request: searchRange,
    responseFields: eventsPage,
    summary: "Searches events, series and changed occurrences by text, color and window, in pages",
    description: SEARCH_DESCRIPTION,
    example: examples.search,
  }),
  writeRoute({
    paths: ["/v2/events/update", "/v2/event/update"],
    contract: updateEvent,
    fields: { ...calendarFields, eventId: eventIdField, scope: scopeField, ...eventRequestFields("value") },
    readOnly: ["is_parent"],
    responseFields: [statusMessage("message", "Event updated"), ...updatedEventFields],
    hasEtag: true,
    summary: "Changes the given fields of an event, a series or one occurrence; null clears a text",
    description: `${SCOPE_DESCRIPTION} ${SPLIT_DESCRIPTION}`,
    example: examples.update,
  }),
  writeRoute({
    paths: ["/v2/events/delete", "/v2/event/delete"],
    contract: removeEvent,
    fields: { ...calendarFields, eventId: eventIdField, scope: scopeField, announcements: field("announcements") },
    responseFields: [statusMessage("message", "Event deleted")],
    summary: "Deletes an event, a series, or its occurrences from one on, or cancels one occurrence",
    description: `${SCOPE_DESCRIPTION} ${END_DESCRIPTION}`,
    example: examples.delete,
  }),
];
