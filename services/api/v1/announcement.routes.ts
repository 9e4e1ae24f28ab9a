import {
  createAnnouncement,
  getAnnouncement,
  listAnnouncements,
  removeAnnouncement,
  updateAnnouncement,
} from "../../contracts/announcements.contract.ts";
import { listPostHistory, listUpcomingPosts, previewPost } from "../../contracts/dispatch.contract.ts";
import { amountOf, listOf, statusText } from "../wire/response-fields.ts";
import { route } from "../route.ts";
import { field, guildField } from "../wire/request-fields.ts";
import { announcementExamples as examples } from "./announcement.examples.ts";
import {
  amountField,
  announcement,
  announcementFields,
  announcementId,
  idField,
  listedAnnouncement,
  postPreview,
  settledPost,
  subscriberChangeFields,
  upcomingPosts,
  usualAmountField,
} from "./announcement.wire.ts";

/** In the order in which the document's examples work one after the other. */
export const announcementRoutes = [
  route({
    paths: ["/v1/announcement/create"],
    contract: createAnnouncement,
    fields: [guildField, ...announcementFields],
    sentBack: ["id", "dangling"],
    nulls: "absent",
    takesIdempotencyKey: true,
    answer: [statusText("Message", "Announcement created"), announcementId],
    etag: true,
    summary: "Creates an announcement, which is posted a set time before each event that it covers",
    example: examples.create,
  }),
  route({
    paths: ["/v1/announcement/get"],
    contract: getAnnouncement,
    fields: [guildField, idField],
    answer: announcement,
    answerName: "Announcement",
    etag: true,
    summary: "Returns one announcement",
    example: examples.get,
  }),
  route({
    paths: ["/v1/announcement/list"],
    contract: listAnnouncements,
    fields: [guildField, amountField],
    answer: [amountOf, listOf("announcements", listedAnnouncement, "ListedAnnouncement")],
    summary: "Lists the guild's announcements in the order of their creation",
    example: examples.list,
  }),
  route({
    paths: ["/v1/announcement/upcoming"],
    contract: listUpcomingPosts,
    fields: [guildField, usualAmountField],
    answer: upcomingPosts,
    summary: "Lists the guild's planned posts, the soonest first",
    example: examples.upcoming,
  }),
  route({
    paths: ["/v1/announcement/history"],
    contract: listPostHistory,
    fields: [guildField, usualAmountField, idField],
    answer: [amountOf, listOf("posts", settledPost, "SettledPost")],
    summary: "Lists the outcome of the guild's posts, or of one announcement's, the latest first",
    example: examples.history,
  }),
  route({
    paths: ["/v1/announcement/preview"],
    contract: previewPost,
    fields: [guildField, idField, field("event_id", "eventId")],
    answer: postPreview,
    summary: "Renders an announcement's messages for its next event or a given one; sends nothing",
    example: examples.preview,
  }),
  route({
    paths: ["/v1/announcement/update"],
    contract: updateAnnouncement,
    fields: [guildField, idField, ...announcementFields, ...subscriberChangeFields],
    sentBack: ["dangling"],
    answer: [statusText("Message", "Announcement updated")],
    etag: true,
    summary: "Changes the given fields of an announcement; a new type needs its event_id or event_color",
    example: examples.update,
  }),
  route({
    paths: ["/v1/announcement/delete"],
    contract: removeAnnouncement,
    fields: [guildField, idField],
    answer: [statusText("Message", "Announcement deleted")],
    summary: "Deletes an announcement; its planned posts are cancelled",
    example: examples.delete,
  }),
];
