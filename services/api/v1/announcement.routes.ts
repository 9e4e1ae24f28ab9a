import {
  createAnnouncement,
  getAnnouncement,
  listAnnouncements,
  removeAnnouncement,
  updateAnnouncement,
} from "../../contracts/announcements.contract.ts";
import { listPostHistory, listUpcomingPosts, previewPost } from "../../contracts/dispatch.contract.ts";
import { amountOf, listOf, statusText } from "../answer-fields.ts";
import { route } from "../route.ts";
import { field, guildField } from "../wire-fields.ts";
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

export const announcementRoutes = [
  route({
    paths: ["/v1/announcement/get"],
    contract: getAnnouncement,
    fields: [guildField, idField],
    answer: announcement,
    etag: true,
    summary: "One announcement",
    example: examples.get,
  }),
  route({
    paths: ["/v1/announcement/create"],
    contract: createAnnouncement,
    fields: [guildField, ...announcementFields],
    nulls: "absent",
    once: true,
    answer: [statusText("Message", "Announcement created"), announcementId],
    etag: true,
    summary: "Creates an announcement, posted hours and minutes before the events that it covers start",
    example: examples.create,
  }),
  route({
    paths: ["/v1/announcement/update"],
    contract: updateAnnouncement,
    fields: [guildField, idField, ...announcementFields, ...subscriberChangeFields],
    answer: [statusText("Message", "Announcement updated")],
    etag: true,
    summary:
      "Changes the fields that are named; a new type needs the field that goes with it. The fields that end in _add and " +
      "_remove change a list of subscribers entry by entry, so that two clients can do it at the same time",
    example: examples.update,
  }),
  route({
    paths: ["/v1/announcement/delete"],
    contract: removeAnnouncement,
    fields: [guildField, idField],
    answer: [statusText("Message", "Announcement deleted")],
    summary: "Deletes an announcement; what it has not posted yet is not posted",
    example: examples.delete,
  }),
  route({
    paths: ["/v1/announcement/list"],
    contract: listAnnouncements,
    fields: [guildField, amountField],
    answer: [amountOf, listOf("announcements", listedAnnouncement)],
    summary: "The guild's announcements in the order of their creation; amount -1 lists all",
    example: examples.list,
  }),
  route({
    paths: ["/v1/announcement/upcoming"],
    contract: listUpcomingPosts,
    fields: [guildField, usualAmountField],
    answer: upcomingPosts,
    summary: "The guild's next posts, soonest first; amount -1 lists all that are planned, at most 5000",
    example: examples.upcoming,
  }),
  route({
    paths: ["/v1/announcement/history"],
    contract: listPostHistory,
    fields: [guildField, usualAmountField, idField],
    answer: [amountOf, listOf("posts", settledPost)],
    summary: "What became of the guild's posts, latest first; of one announcement where an id is given; at most 10000",
    example: examples.history,
  }),
  route({
    paths: ["/v1/announcement/preview"],
    contract: previewPost,
    fields: [guildField, idField, field("event_id", "eventId")],
    answer: postPreview,
    summary: "The messages as they would be posted now, of the next event or a named one; sends nothing",
    example: examples.preview,
  }),
];
