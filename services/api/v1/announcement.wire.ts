import { ANNOUNCEMENT_TYPES } from "../../contracts/announcement-fields.ts";
import type {
  Announcement,
  CreateAnnouncementParams,
  ShownAnnouncement,
  SubscriberChanges,
} from "../../contracts/announcements.contract.ts";
import { COLORS } from "../../contracts/calendar-events.contract.ts";
import {
  NOT_PLANNED_CODES,
  type NotPlanned,
  OPEN_POST_STATES,
  POST_STATES,
  type PostPreview,
  type PostProblem,
  PROBLEM_CODES,
  REASON_CODES,
  type SettledPost,
  type UpcomingPost,
  type UpcomingPosts,
} from "../../contracts/dispatch.contract.ts";
import {
  amountIn,
  type ResponseField,
  BOOLEAN,
  encodeFields,
  EPOCH_MS,
  INTEGER,
  listIn,
  objectOf,
  enumOf,
  STRING,
  LIST_OF_STRINGS,
} from "../wire/response-fields.ts";
import { asInteger, asEnumValue, field, type RequestFields } from "../wire/request-fields.ts";

/** The fields of create and update, beside the guild and the id. */
export const announcementRequestFields: RequestFields<Omit<CreateAnnouncementParams, "guildId">> = {
  channel: field("channel"),
  type: field("type", asEnumValue),
  eventId: field("event_id"),
  eventColor: field("event_color", asEnumValue),
  hours: field("hours", asInteger),
  minutes: field("minutes", asInteger),
  info: field("info"),
  enabled: field("enabled"),
  infoOnly: field("info_only"),
  subscribersRole: field("subscribers_role"),
  subscribersUser: field("subscribers_user"),
};

/** Further fields of update: entries to add to the lists of subscribers and to remove from them (D36). */
export const subscriberChangeFields: RequestFields<SubscriberChanges> = {
  subscribersRoleAdd: field("subscribers_role_add"),
  subscribersRoleRemove: field("subscribers_role_remove"),
  subscribersUserAdd: field("subscribers_user_add"),
  subscribersUserRemove: field("subscribers_user_remove"),
};

export const idField = field("id");

export const amountField = field("amount", asInteger);

export const postAmountField = { ...amountField, defaultValue: 10 };

/** An announcement in the response of get, without its id (api.md 4.1). */
export const announcementResponseFields: readonly ResponseField<ShownAnnouncement>[] = [
  { wire: "channel", value: ({ channel }) => channel, schema: STRING },
  { wire: "event_id", value: ({ eventId }) => eventId, schema: STRING },
  { wire: "event_color", value: ({ eventColor }) => eventColor, schema: enumOf(COLORS) },
  { wire: "type", value: ({ type }) => type, schema: enumOf(ANNOUNCEMENT_TYPES) },
  { wire: "hours", value: ({ hours }) => hours, schema: INTEGER },
  { wire: "minutes", value: ({ minutes }) => minutes, schema: INTEGER },
  { wire: "info", value: ({ info }) => info, schema: STRING },
  { wire: "enabled", value: ({ enabled }) => enabled, schema: BOOLEAN },
  { wire: "info_only", value: ({ infoOnly }) => infoOnly, schema: BOOLEAN },
  { wire: "subscribers_role", value: ({ subscribersRole }) => subscribersRole, schema: LIST_OF_STRINGS },
  { wire: "subscribers_user", value: ({ subscribersUser }) => subscribersUser, schema: LIST_OF_STRINGS },
  {
    wire: "dangling",
    value: ({ dangling }) => dangling,
    schema: { type: "boolean", const: true },
    optional: true,
  },
];

export const announcementIdField: ResponseField<Pick<Announcement, "id">> = {
  wire: "id",
  value: ({ id }) => id,
  schema: { type: "string", format: "uuid" },
};

/** An announcement in the response of list. */
export const listedAnnouncementFields: readonly ResponseField<ShownAnnouncement>[] = [
  announcementIdField,
  ...announcementResponseFields,
];

const postFields: readonly ResponseField<UpcomingPost | SettledPost>[] = [
  { wire: "due", value: ({ dueAt }) => dueAt, schema: EPOCH_MS },
  { wire: "announcement_id", value: (post) => post.announcementId, schema: STRING },
  { wire: "event_id", value: ({ eventId }) => eventId, schema: STRING },
  { wire: "epoch_start", value: ({ startsAt }) => startsAt, schema: EPOCH_MS },
  { wire: "channel", value: ({ channel }) => channel, schema: STRING },
];

const problemFields: readonly ResponseField<PostProblem>[] = [
  { wire: "code", value: ({ code }) => code, schema: enumOf(PROBLEM_CODES) },
  { wire: "message", value: ({ message }) => message, schema: STRING },
];

/** Present if a problem with the post is known (D35). */
const problemField: ResponseField<{ readonly problem?: PostProblem }> = {
  wire: "problem",
  value: ({ problem: known }) => known && encodeFields(problemFields, known),
  schema: objectOf(problemFields, "PostProblem"),
  optional: true,
};

const upcomingPostFields: readonly ResponseField<UpcomingPost>[] = [
  ...postFields,
  { wire: "state", value: ({ state }) => state, schema: enumOf(OPEN_POST_STATES) },
  { wire: "attempts", value: ({ attempts }) => attempts, schema: INTEGER, optional: true },
  { wire: "in_doubt_since", value: ({ inDoubtSince }) => inDoubtSince, schema: EPOCH_MS, optional: true },
  { wire: "lease_until", value: ({ leaseUntil }) => leaseUntil, schema: EPOCH_MS, optional: true },
  { wire: "next_try", value: ({ nextTryAt }) => nextTryAt, schema: EPOCH_MS, optional: true },
  { wire: "reason", value: ({ reason }) => reason, schema: STRING, optional: true },
  problemField,
];

const notPlannedFields: readonly ResponseField<NotPlanned>[] = [
  { wire: "code", value: ({ code }) => code, schema: enumOf(NOT_PLANNED_CODES) },
  { wire: "message", value: ({ message }) => message, schema: STRING },
  { wire: "due_from", value: ({ dueFrom }) => dueFrom, schema: EPOCH_MS },
];

/** The planned posts, and the beginning of the posts that are not planned (D39). */
export const upcomingPostsFields: readonly ResponseField<UpcomingPosts>[] = [
  amountIn(({ posts }) => posts),
  listIn("posts", upcomingPostFields, "UpcomingPost", ({ posts }) => posts),
  {
    wire: "not_planned",
    value: ({ notPlanned: more }) => more && encodeFields(notPlannedFields, more),
    schema: objectOf(notPlannedFields, "NotPlanned"),
    optional: true,
  },
];

export const settledPostFields: readonly ResponseField<SettledPost>[] = [
  ...postFields,
  { wire: "state", value: ({ state }) => state, schema: enumOf(POST_STATES) },
  { wire: "settled", value: ({ settledAt }) => settledAt, schema: EPOCH_MS },
  { wire: "late_ms", value: ({ lateMs }) => lateMs, schema: INTEGER, optional: true },
  { wire: "reason", value: ({ reason }) => reason, schema: STRING, optional: true },
  { wire: "reason_code", value: ({ reasonCode }) => reasonCode, schema: enumOf(REASON_CODES), optional: true },
  { wire: "message_id", value: ({ messageId }) => messageId, schema: STRING, optional: true },
];

const embedFieldSchema = {
  title: "EmbedField",
  type: "object",
  properties: { name: STRING, value: STRING, inline: BOOLEAN },
  required: ["name", "value", "inline"],
};

/** An embed, in Discord's names. */
const embedSchema = {
  title: "Embed",
  type: "object",
  properties: {
    title: STRING,
    description: STRING,
    color: INTEGER,
    image: { title: "EmbedImage", type: "object", properties: { url: STRING } },
    author: { title: "EmbedAuthor", type: "object", properties: { name: STRING } },
    footer: { title: "EmbedFooter", type: "object", properties: { text: STRING } },
    fields: { type: "array", items: embedFieldSchema },
  },
  required: ["color"],
};

/** A message, in Discord's names. */
const messageSchema = {
  title: "Message",
  type: "object",
  properties: {
    content: STRING,
    embeds: { type: "array", items: embedSchema },
    allowed_mentions: {
      title: "AllowedMentions",
      type: "object",
      properties: { parse: LIST_OF_STRINGS, users: LIST_OF_STRINGS, roles: LIST_OF_STRINGS },
      required: ["parse"],
    },
  },
  required: ["allowed_mentions"],
};

export const postPreviewFields: readonly ResponseField<PostPreview>[] = [
  { wire: "event_id", value: ({ eventId }) => eventId, schema: STRING },
  { wire: "epoch_start", value: ({ startsAt }) => startsAt, schema: EPOCH_MS },
  { wire: "channel", value: ({ channel }) => channel, schema: STRING },
  problemField,
  { wire: "messages", value: ({ messages }) => messages, schema: { type: "array", items: messageSchema } },
];
