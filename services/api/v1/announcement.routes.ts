import {
  createAnnouncement,
  getAnnouncement,
  listAnnouncements,
  listAnnouncementsPage,
  removeAnnouncement,
  updateAnnouncement,
} from "../../contracts/announcements.contract.ts";
import {
  listPostHistory,
  listPostHistoryPage,
  listUpcomingPosts,
  listUpcomingPostsPage,
  previewPost,
} from "../../contracts/dispatch.contract.ts";
import { pageAmount, pageFields, pageResponseFields } from "../wire/list-pages.ts";
import { listAmount, listOf, statusMessage } from "../wire/response-fields.ts";
import { writeRoute } from "../dry-run.ts";
import { pagedRoute, route } from "../route.ts";
import { field, guildField } from "../wire/request-fields.ts";
import { announcementExamples as examples } from "./announcement.examples.ts";
import {
  amountField,
  announcementResponseFields,
  announcementRequestFields,
  createdAnnouncementFields,
  dueWindowFields,
  idField,
  listedAnnouncementFields,
  postPreviewFields,
  settledPostFields,
  subscriberChangeFields,
  upcomingPageFields,
  upcomingPostsFields,
  postAmountField,
} from "./announcement.wire.ts";

/** The order is the order of the API document, in which the examples work one after the other. */
export const announcementRoutes = [
  writeRoute({
    paths: ["/v1/announcement/create"],
    contract: createAnnouncement,
    fields: { guildId: guildField, ...announcementRequestFields },
    readOnly: ["id", "dangling"],
    nulls: "absent",
    acceptsIdempotencyKey: true,
    responseFields: [statusMessage("Message", "Announcement created"), ...createdAnnouncementFields],
    hasEtag: true,
    summary: "Creates an announcement, which is posted at set times relative to each event that it covers",
    example: examples.create,
  }),
  route({
    paths: ["/v1/announcement/get"],
    contract: getAnnouncement,
    fields: { guildId: guildField, id: idField },
    responseFields: announcementResponseFields,
    responseName: "Announcement",
    hasEtag: true,
    summary: "Returns one announcement",
    example: examples.get,
  }),
  pagedRoute(
    {
      paths: ["/v1/announcement/list"],
      contract: listAnnouncements,
      fields: { guildId: guildField, amount: amountField },
      responseFields: [listAmount, listOf("announcements", listedAnnouncementFields, "ListedAnnouncement")],
      summary: "Lists the guild's announcements in the order of their creation",
      example: examples.list,
    },
    {
      contract: listAnnouncementsPage,
      fields: { guildId: guildField, ...pageFields },
      responseFields: [
        pageAmount,
        ...pageResponseFields("announcements", listedAnnouncementFields, "ListedAnnouncement"),
      ],
    },
  ),
  pagedRoute(
    {
      paths: ["/v1/announcement/upcoming"],
      contract: listUpcomingPosts,
      fields: { guildId: guildField, amount: postAmountField },
      responseFields: upcomingPostsFields,
      summary: "Lists the guild's planned posts, the soonest first; with a window up to 366 days ahead",
      example: examples.upcoming,
    },
    {
      contract: listUpcomingPostsPage,
      fields: { guildId: guildField, ...dueWindowFields, ...pageFields },
      responseFields: upcomingPageFields,
    },
  ),
  pagedRoute(
    {
      paths: ["/v1/announcement/history"],
      contract: listPostHistory,
      fields: { guildId: guildField, amount: postAmountField, id: idField },
      responseFields: [listAmount, listOf("posts", settledPostFields, "SettledPost")],
      summary: "Lists the outcome of the guild's posts, or of one announcement's, the latest first",
      example: examples.history,
    },
    {
      contract: listPostHistoryPage,
      fields: { guildId: guildField, id: idField, ...pageFields },
      responseFields: [pageAmount, ...pageResponseFields("posts", settledPostFields, "SettledPost")],
    },
  ),
  route({
    paths: ["/v1/announcement/preview"],
    contract: previewPost,
    fields: { guildId: guildField, id: idField, eventId: field("event_id") },
    responseFields: postPreviewFields,
    summary: "Renders an announcement's messages for its next event or a given one; sends nothing",
    example: examples.preview,
  }),
  writeRoute({
    paths: ["/v1/announcement/update"],
    contract: updateAnnouncement,
    fields: { guildId: guildField, id: idField, ...announcementRequestFields, ...subscriberChangeFields },
    readOnly: ["dangling"],
    responseFields: [statusMessage("Message", "Announcement updated")],
    hasEtag: true,
    summary: "Changes the given fields of an announcement; a new type needs its event_id or event_color",
    example: examples.update,
  }),
  writeRoute({
    paths: ["/v1/announcement/delete"],
    contract: removeAnnouncement,
    fields: { guildId: guildField, id: idField },
    responseFields: [statusMessage("Message", "Announcement deleted")],
    summary: "Deletes an announcement; its planned posts are cancelled",
    example: examples.delete,
  }),
];
