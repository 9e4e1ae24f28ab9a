import { ANNOUNCEMENT_TYPES } from "../../contracts/announcement-fields.ts";
import type { Announcement, ShownAnnouncement } from "../../contracts/announcements.contract.ts";
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
  type AnswerField,
  BOOLEAN,
  encodeFields,
  EPOCH_MS,
  INTEGER,
  listIn,
  objectOf,
  oneOfNames,
  STRING,
  STRINGS,
} from "../wire/response-fields.ts";
import { asInteger, asName, field } from "../wire/request-fields.ts";

/** What create and update take beside the guild and the id. */
export const announcementFields = [
  field("channel"),
  field("type", "type", asName),
  field("event_id", "eventId"),
  field("event_color", "eventColor", asName),
  field("hours", "hours", asInteger),
  field("minutes", "minutes", asInteger),
  field("info"),
  field("enabled"),
  field("info_only", "infoOnly"),
  field("subscribers_role", "subscribersRole"),
  field("subscribers_user", "subscribersUser"),
];

/** What update takes beside them: entries to add to the lists of subscribers and to remove from them (D36). */
export const subscriberChangeFields = [
  field("subscribers_role_add", "subscribersRoleAdd"),
  field("subscribers_role_remove", "subscribersRoleRemove"),
  field("subscribers_user_add", "subscribersUserAdd"),
  field("subscribers_user_remove", "subscribersUserRemove"),
];

export const idField = field("id");

export const amountField = field("amount", "amount", asInteger);

/** Posts are listed ten at a time where the request does not say. */
export const usualAmountField = { ...amountField, standard: 10 };

/** An announcement as get answers it: without its id (api.md 4.1). */
export const announcement: readonly AnswerField<ShownAnnouncement>[] = [
  { wire: "channel", value: ({ channel }) => channel, schema: STRING },
  { wire: "event_id", value: ({ eventId }) => eventId, schema: STRING },
  { wire: "event_color", value: ({ eventColor }) => eventColor, schema: oneOfNames(COLORS) },
  { wire: "type", value: ({ type }) => type, schema: oneOfNames(ANNOUNCEMENT_TYPES) },
  { wire: "hours", value: ({ hours }) => hours, schema: INTEGER },
  { wire: "minutes", value: ({ minutes }) => minutes, schema: INTEGER },
  { wire: "info", value: ({ info }) => info, schema: STRING },
  { wire: "enabled", value: ({ enabled }) => enabled, schema: BOOLEAN },
  { wire: "info_only", value: ({ infoOnly }) => infoOnly, schema: BOOLEAN },
  { wire: "subscribers_role", value: ({ subscribersRole }) => subscribersRole, schema: STRINGS },
  { wire: "subscribers_user", value: ({ subscribersUser }) => subscribersUser, schema: STRINGS },
  {
    wire: "dangling",
    value: ({ dangling }) => dangling,
    schema: { type: "boolean", const: true },
    optional: true,
  },
];

export const announcementId: AnswerField<Pick<Announcement, "id">> = {
  wire: "id",
  value: ({ id }) => id,
  schema: { type: "string", format: "uuid" },
};

/** An announcement as list answers it. */
export const listedAnnouncement: readonly AnswerField<ShownAnnouncement>[] = [announcementId, ...announcement];

const listedPost: readonly AnswerField<UpcomingPost | SettledPost>[] = [
  { wire: "due", value: ({ dueAt }) => dueAt, schema: EPOCH_MS },
  { wire: "announcement_id", value: (post) => post.announcementId, schema: STRING },
  { wire: "event_id", value: ({ eventId }) => eventId, schema: STRING },
  { wire: "epoch_start", value: ({ startsAt }) => startsAt, schema: EPOCH_MS },
  { wire: "channel", value: ({ channel }) => channel, schema: STRING },
];

const problemFields: readonly AnswerField<PostProblem>[] = [
  { wire: "code", value: ({ code }) => code, schema: oneOfNames(PROBLEM_CODES) },
  { wire: "message", value: ({ message }) => message, schema: STRING },
];

/** Only where something is known to stand against a post (D35). */
const problem: AnswerField<{ readonly problem?: PostProblem }> = {
  wire: "problem",
  value: ({ problem: known }) => known && encodeFields(problemFields, known),
  schema: objectOf(problemFields, "PostProblem"),
  optional: true,
};

const upcomingPost: readonly AnswerField<UpcomingPost>[] = [
  ...listedPost,
  { wire: "state", value: ({ state }) => state, schema: oneOfNames(OPEN_POST_STATES) },
  { wire: "attempts", value: ({ attempts }) => attempts, schema: INTEGER, optional: true },
  { wire: "in_doubt_since", value: ({ inDoubtSince }) => inDoubtSince, schema: EPOCH_MS, optional: true },
  { wire: "lease_until", value: ({ leaseUntil }) => leaseUntil, schema: EPOCH_MS, optional: true },
  { wire: "next_try", value: ({ nextTryAt }) => nextTryAt, schema: EPOCH_MS, optional: true },
  { wire: "reason", value: ({ reason }) => reason, schema: STRING, optional: true },
  problem,
];

const notPlanned: readonly AnswerField<NotPlanned>[] = [
  { wire: "code", value: ({ code }) => code, schema: oneOfNames(NOT_PLANNED_CODES) },
  { wire: "message", value: ({ message }) => message, schema: STRING },
  { wire: "due_from", value: ({ dueFrom }) => dueFrom, schema: EPOCH_MS },
];

/** The posts that are planned, and what is not (D39). */
export const upcomingPosts: readonly AnswerField<UpcomingPosts>[] = [
  amountIn(({ posts }) => posts),
  listIn("posts", upcomingPost, "UpcomingPost", ({ posts }) => posts),
  {
    wire: "not_planned",
    value: ({ notPlanned: more }) => more && encodeFields(notPlanned, more),
    schema: objectOf(notPlanned, "NotPlanned"),
    optional: true,
  },
];

export const settledPost: readonly AnswerField<SettledPost>[] = [
  ...listedPost,
  { wire: "state", value: ({ state }) => state, schema: oneOfNames(POST_STATES) },
  { wire: "settled", value: ({ settledAt }) => settledAt, schema: EPOCH_MS },
  { wire: "late_ms", value: ({ lateMs }) => lateMs, schema: INTEGER, optional: true },
  { wire: "reason", value: ({ reason }) => reason, schema: STRING, optional: true },
  { wire: "reason_code", value: ({ reasonCode }) => reasonCode, schema: oneOfNames(REASON_CODES), optional: true },
  { wire: "message_id", value: ({ messageId }) => messageId, schema: STRING, optional: true },
];

const embedField = {
  title: "EmbedField",
  type: "object",
  properties: { name: STRING, value: STRING, inline: BOOLEAN },
  required: ["name", "value", "inline"],
};

/** The box of a message, under Discord's names. */
const embed = {
  title: "Embed",
  type: "object",
  properties: {
    title: STRING,
    description: STRING,
    color: INTEGER,
    image: { title: "EmbedImage", type: "object", properties: { url: STRING } },
    author: { title: "EmbedAuthor", type: "object", properties: { name: STRING } },
    footer: { title: "EmbedFooter", type: "object", properties: { text: STRING } },
    fields: { type: "array", items: embedField },
  },
  required: ["color"],
};

/** A message as Discord takes it. */
const message = {
  title: "Message",
  type: "object",
  properties: {
    content: STRING,
    embeds: { type: "array", items: embed },
    allowed_mentions: {
      title: "AllowedMentions",
      type: "object",
      properties: { parse: STRINGS, users: STRINGS, roles: STRINGS },
      required: ["parse"],
    },
  },
  required: ["allowed_mentions"],
};

export const postPreview: readonly AnswerField<PostPreview>[] = [
  { wire: "event_id", value: ({ eventId }) => eventId, schema: STRING },
  { wire: "epoch_start", value: ({ startsAt }) => startsAt, schema: EPOCH_MS },
  { wire: "channel", value: ({ channel }) => channel, schema: STRING },
  problem,
  { wire: "messages", value: ({ messages }) => messages, schema: { type: "array", items: message } },
];
