import { FEED_ROUTE } from "../feeds/feed-path.ts";
import type { JsonSchema } from "../wire/response-fields.ts";

const SUMMARY = "Returns a calendar for calendar programs; the address is the secret";
const DESCRIPTION = `${SUMMARY}. By RFC 5545 and RFC 7986: an event, a series and a changed occurrence are a VEVENT each, with the event's id \
as UID and a SEQUENCE that increases with each change. Create an address with \`/v2/calendar/feeds/create\`. A request with the current \
tag in \`If-None-Match\` gets 304. HEAD returns only the headers.`;

const REFUSED = [400, 404, 405, 408, 429, 431, 500, 503];

const HEADERS: Readonly<Record<string, JsonSchema>> = {
  "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
  ETag: {
    description: "The entity tag of the feed (RFC 9110 section 8.8.3), for If-None-Match",
    schema: { type: "string" },
  },
  "Cache-Control": {
    description: "private, no-cache: a client validates each time, and shared caches store nothing",
    schema: { type: "string" },
  },
};

const parameters: readonly JsonSchema[] = [
  {
    name: "token",
    in: "path",
    required: true,
    description: "The token of the feed, which is part of `path` in the response of create or rotate; a secret",
    schema: { type: "string" },
  },
  {
    name: "If-None-Match",
    in: "header",
    description: "The ETag of the last response, or several of them",
    schema: { type: "string" },
  },
];

/** The only path without a key that shows data of a guild (D47). */
export const FEED_OPERATION: Readonly<Record<string, JsonSchema>> = {
  [FEED_ROUTE]: {
    get: {
      tags: ["v2 calendar"],
      operationId: "v2-calendar-feed",
      summary: SUMMARY,
      description: DESCRIPTION,
      security: [],
      parameters,
      responses: {
        200: {
          description: "The calendar as iCalendar",
          headers: HEADERS,
          content: { "text/calendar": { schema: { type: "string" }, example: example() } },
        },
        304: { description: "The feed is as If-None-Match has it", headers: HEADERS },
        ...Object.fromEntries(REFUSED.map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
      },
    },
  },
};

function example(): string {
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//guildcal//feed//EN",
    "NAME:Raids",
    "BEGIN:VEVENT",
    "UID:e01k85eej8c8046mjmqbfck5ui",
    "DTSTAMP:20300101T000000Z",
    "SEQUENCE:1",
    "DTSTART:20300105T190000Z",
    "DTEND:20300105T210000Z",
    "SUMMARY:Raid night",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}
