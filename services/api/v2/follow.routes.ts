import {
  type CalendarFollowView,
  FOLLOW_ERRORS,
  followCalendar,
  getCalendarFollow,
  unfollowCalendar,
} from "../../contracts/calendar-follows.contract.ts";
import { FOLLOW_STATES } from "../../contracts/calendars.contract.ts";
import { route } from "../route.ts";
import { field } from "../wire/request-fields.ts";
import {
  enumOf,
  EPOCH_MS,
  INTEGER,
  optional,
  responseFields,
  shown,
  statusMessage,
  STRING,
} from "../wire/response-fields.ts";
import { calendarFields } from "./events.wire.ts";

const followFields = responseFields<CalendarFollowView>({
  url: optional(shown("url", STRING)),
  host: shown("host", STRING),
  state: shown("state", enumOf(FOLLOW_STATES)),
  followedAt: shown("followed", EPOCH_MS),
  nextReadAt: optional(shown("next_read", EPOCH_MS)),
  lastReadAt: optional(shown("last_read", EPOCH_MS)),
  lastSuccessAt: optional(shown("last_success", EPOCH_MS)),
  lastChangeAt: optional(shown("last_change", EPOCH_MS)),
  failures: shown("failures", INTEGER),
  error: optional(shown("error", enumOf(FOLLOW_ERRORS))),
  errorMessage: optional(shown("error_message", STRING)),
  disabledAt: optional(shown("disabled", EPOCH_MS)),
  created: shown("created", INTEGER),
  updated: shown("updated", INTEGER),
  unchanged: shown("unchanged", INTEGER),
  deleted: shown("deleted", INTEGER),
  skipped: shown("skipped", INTEGER),
});

const where = { guild_id: "375357265198317580", calendar_number: 1 };
const url = "https://calendar.example/team.ics";

/** Calendars that follow an address (D55). */
export const followRoutes = [
  route({
    paths: ["/v2/calendar/follow"],
    contract: followCalendar,
    fields: { ...calendarFields, url: field("url"), replace: field("replace") },
    nulls: "absent",
    responseFields: [statusMessage("message", "Calendar followed")],
    summary: "Feeds the calendar from the iCalendar address, and makes it read-only",
    example: { request: { ...where, url }, response: { message: "Calendar followed" } },
  }),
  route({
    paths: ["/v2/calendar/follow/get"],
    contract: getCalendarFollow,
    fields: calendarFields,
    responseFields: followFields,
    responseName: "CalendarFollow",
    summary: "Returns the address that the calendar follows, and what became of its reads",
    example: {
      request: where,
      response: {
        url,
        host: "calendar.example",
        state: "active",
        followed: 1_893_456_000_000,
        next_read: 1_893_456_000_001,
        failures: 0,
        created: 0,
        updated: 0,
        unchanged: 0,
        deleted: 0,
        skipped: 0,
      },
    },
  }),
  route({
    paths: ["/v2/calendar/unfollow"],
    contract: unfollowCalendar,
    fields: calendarFields,
    responseFields: [statusMessage("message", "Calendar unfollowed")],
    summary: "Stops reading the address; the events stay, and may be changed",
    example: { request: where, response: { message: "Calendar unfollowed" } },
  }),
];
