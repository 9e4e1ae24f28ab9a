import { COLORS } from "../../contracts/calendar-events.contract.ts";
import {
  createFeed,
  type FeedView,
  type IssuedFeed,
  listFeeds,
  listFeedsPage,
  revokeFeed,
  rotateFeed,
} from "../../contracts/feeds.contract.ts";
import { pagedRoute, route } from "../route.ts";
import { pageFields, pageResponseFields } from "../wire/list-pages.ts";
import { NO_FIELD } from "../wire/no-field.ts";
import { asEnumValue, field, guildField } from "../wire/request-fields.ts";
import {
  EPOCH_MS,
  INTEGER,
  listOf,
  enumOf,
  optional,
  responseFields,
  shown,
  statusMessage,
  STRING,
} from "../wire/response-fields.ts";
import { calendarFields } from "./events.wire.ts";

const issuedFeedFields = responseFields<IssuedFeed>({
  id: shown("id", STRING),
  path: shown("path", STRING),
});

/** A feed of a calendar (D47). */
const feedFields = responseFields<FeedView>({
  id: shown("id", STRING),
  calendarNumber: shown("calendar_number", INTEGER),
  color: optional(shown("color", enumOf(COLORS))),
  label: shown("label", STRING),
  createdAt: shown("created", EPOCH_MS),
  rotatedAt: optional(shown("rotated", EPOCH_MS)),
  lastUsedAt: optional(shown("last_used", EPOCH_MS)),
  guildId: NO_FIELD,
});

const guild_id = "375357265198317579";
const id = "8b2e64d10c7f5a9013de";
const pathOf = (digit: string, checksum: string) =>
  `/v2/calendar/feed/gcf_live_${id}_${digit.repeat(64)}_${checksum}.ics`;
const made = { calendar_number: 1, color: "RED", label: "Raid leaders" };

export const feedRoutes = [
  route({
    paths: ["/v2/calendar/feeds/create"],
    contract: createFeed,
    fields: { ...calendarFields, color: field("color", asEnumValue), label: field("label") },
    nulls: "absent",
    responseFields: [statusMessage("message", "Feed created"), ...issuedFeedFields],
    summary: "Creates an address to which calendar programs subscribe; it is shown only in this response",
    example: {
      request: { guild_id, ...made },
      response: { message: "Feed created", id, path: pathOf("0", "00000000") },
    },
  }),
  pagedRoute(
    {
      paths: ["/v2/calendar/feeds/list"],
      contract: listFeeds,
      fields: { guildId: guildField },
      responseFields: [listOf("feeds", feedFields, "Feed")],
      summary: "Lists the feeds of the guild's calendars, the latest first, without their addresses",
      example: {
        request: { guild_id },
        response: { feeds: [{ id, ...made, created: 1_893_456_000_002 }] },
      },
    },
    {
      contract: listFeedsPage,
      fields: { guildId: guildField, ...pageFields },
      responseFields: pageResponseFields("feeds", feedFields, "Feed"),
    },
  ),
  route({
    paths: ["/v2/calendar/feeds/rotate"],
    contract: rotateFeed,
    fields: { guildId: guildField, id: field("id") },
    responseFields: [statusMessage("message", "Feed rotated"), ...issuedFeedFields],
    summary: "Replaces the address of a feed; the former one is refused within five seconds",
    example: {
      request: { guild_id, id },
      response: { message: "Feed rotated", id, path: pathOf("1", "11111111") },
    },
  }),
  route({
    paths: ["/v2/calendar/feeds/revoke"],
    contract: revokeFeed,
    fields: { guildId: guildField, id: field("id") },
    responseFields: [statusMessage("message", "Feed revoked")],
    summary: "Revokes a feed; every gateway refuses it within five seconds",
    example: {
      request: { guild_id, id },
      response: { message: "Feed revoked" },
    },
  }),
];
