import {
  type CalendarView,
  FOLLOW_STATES,
  getCalendar,
  listCalendars,
  listCalendarsPage,
  updateCalendar,
} from "../../contracts/calendars.contract.ts";
import { pageFields, pageResponseFields } from "../wire/list-pages.ts";
import { pauseField, shownPause } from "../wire/pause-fields.ts";
import { NO_FIELD } from "../wire/no-field.ts";
import {
  enumOf,
  INTEGER,
  listOf,
  optional,
  responseFields,
  shown,
  statusMessage,
  STRING,
} from "../wire/response-fields.ts";
import { writeRoute } from "../dry-run.ts";
import { pagedRoute, route } from "../route.ts";
import { field, guildField } from "../wire/request-fields.ts";
import { calendarFields } from "./events.wire.ts";

/** A calendar of a guild (D22). */
export const calendarResponseFields = responseFields<CalendarView>({
  calendarNumber: shown("calendar_number", INTEGER),
  name: shown("name", STRING),
  timezone: shown("timezone", STRING),
  pausedUntil: shownPause,
  follow: optional(shown("follow", enumOf(FOLLOW_STATES))),
  revision: NO_FIELD,
});

const guild_id = "375357265198317579";

export const calendarRoutes = [
  route({
    paths: ["/v2/calendar/get"],
    contract: getCalendar,
    fields: calendarFields,
    responseFields: calendarResponseFields,
    responseName: "Calendar",
    hasEtag: true,
    summary: "Returns one calendar; calendars exist without being created",
    example: {
      request: { guild_id, calendar_number: 1 },
      response: { calendar_number: 1, name: "Main calendar", timezone: "UTC" },
    },
  }),
  writeRoute({
    paths: ["/v2/calendar/update"],
    contract: updateCalendar,
    fields: { ...calendarFields, name: field("name"), timezone: field("timezone"), pausedUntil: pauseField },
    responseFields: [statusMessage("message", "Calendar updated")],
    hasEtag: true,
    summary: "Changes the calendar's name, time zone or pause; its series keep their wall-clock times",
    example: {
      request: { guild_id, calendar_number: 1, name: "Raids", timezone: "Europe/Berlin" },
      response: { message: "Calendar updated" },
    },
  }),
  pagedRoute(
    {
      paths: ["/v2/calendar/list"],
      contract: listCalendars,
      fields: { guildId: guildField },
      responseFields: [listOf("calendars", calendarResponseFields, "Calendar")],
      summary: "Lists the calendars that the guild may have",
      example: {
        request: { guild_id },
        response: { calendars: [{ calendar_number: 1, name: "Raids", timezone: "Europe/Berlin" }] },
      },
    },
    {
      contract: listCalendarsPage,
      fields: { guildId: guildField, ...pageFields },
      responseFields: pageResponseFields("calendars", calendarResponseFields, "Calendar"),
    },
  ),
];
