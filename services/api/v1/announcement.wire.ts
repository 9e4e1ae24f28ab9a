import { ANNOUNCEMENT_TYPES } from "../../contracts/announcement-fields.ts";
import { type Digest, DIGEST_FREQUENCIES, type GivenDigest } from "../../contracts/announcement-digests.ts";
import { OFFSET_ANCHORS, type PostOffset } from "../../contracts/announcement-offsets.ts";
import type {
  createAnnouncement,
  CreateAnnouncementParams,
  AnnouncementView,
  SubscriberChanges,
} from "../../contracts/announcements.contract.ts";
import type { ResultOf } from "../../contracts/contract.ts";
import { COLORS } from "../../contracts/calendar-events.contract.ts";
import {
  type DueWindow,
  NOT_PLANNED_CODES,
  type NotPlanned,
  OPEN_POST_STATES,
  POST_STATES,
  type PostPreview,
  type PostProblem,
  type PreviewedOffset,
  PROBLEM_CODES,
  REASON_CODES,
  type SettledPost,
  type UpcomingPost,
  type UpcomingPosts,
  type UpcomingPostsPage,
} from "../../contracts/dispatch.contract.ts";
import { SKIP_CODES } from "../../contracts/pause.ts";
import { WEEKDAYS } from "../../contracts/recurrence.ts";
import type { Revised } from "../../contracts/revision.ts";
import { pageAmount, pageResponseFields } from "../wire/list-pages.ts";
import { NO_FIELD } from "../wire/no-field.ts";
import { cleanUpField, onChangeField, shownCleanUp, shownOnChange, shownSteps } from "../wire/message-edit-fields.ts";
import { messageSchema } from "../wire/message-schema.ts";
import { pauseField, shownPause } from "../wire/pause-fields.ts";
import { shownTemplate, templateField } from "../wire/template-fields.ts";
import {
  amountIn,
  type ResponseField,
  BOOLEAN,
  EPOCH_MS,
  INTEGER,
  listIn,
  optional,
  responseFields,
  shown,
  shownObject,
  shownObjects,
  enumOf,
  STRING,
  LIST_OF_STRINGS,
} from "../wire/response-fields.ts";
import {
  asInteger,
  asEnumValue,
  field,
  objectField,
  objectsField,
  type RequestFields,
  timeField,
} from "../wire/request-fields.ts";

const digest = objectField<GivenDigest>(
  "digest",
  {
    calendarNumber: field("calendar_number", asInteger),
    frequency: field("frequency", asEnumValue),
    weekday: field("weekday", asEnumValue),
    time: field("time"),
    days: field("days", asInteger),
    color: field("color", asEnumValue),
    emptyText: field("empty_text"),
  },
  "absent",
);

/** One offset in a list. A null is a wrong value there. */
const offset = objectField<PostOffset>(
  "offsets",
  { anchor: field("anchor", asEnumValue), minutes: field("minutes", asInteger) },
  "value",
);

/** The fields that both create and update have, without the guild. */
export const announcementRequestFields: RequestFields<Omit<CreateAnnouncementParams, "guildId">> = {
  channel: field("channel"),
  type: field("type", asEnumValue),
  eventId: field("event_id"),
  eventColor: field("event_color", asEnumValue),
  hours: field("hours", asInteger),
  minutes: field("minutes", asInteger),
  offsets: objectsField("offsets", offset.fields, offset.decode),
  digest,
  info: field("info"),
  template: templateField,
  onChange: onChangeField,
  cleanUp: cleanUpField,
  pausedUntil: pauseField,
  skipOn: field("skip_on", asInteger),
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

/** The due instants of upcoming posts (D57). */
export const dueWindowFields: RequestFields<DueWindow> = {
  dueFrom: timeField("due_from"),
  dueUntil: timeField("due_until"),
};

export const amountField = field("amount", asInteger);

export const postAmountField = { ...amountField, defaultValue: 10 };

const offsetFields = responseFields<PostOffset>({
  anchor: shown("anchor", enumOf(OFFSET_ANCHORS)),
  minutes: shown("minutes", INTEGER),
});

const digestFields = responseFields<Digest>({
  calendarNumber: shown("calendar_number", INTEGER),
  frequency: shown("frequency", enumOf(DIGEST_FREQUENCIES)),
  weekday: optional(shown("weekday", enumOf(WEEKDAYS))),
  time: shown("time", STRING),
  days: shown("days", INTEGER),
  color: optional(shown("color", enumOf(COLORS))),
  emptyText: optional(shown("empty_text", STRING)),
});

/** An announcement in the response of get, which has no id (docs/api.md, 4.1). */
export const announcementResponseFields = responseFields<Omit<AnnouncementView, "id">>({
  channel: shown("channel", STRING),
  eventId: shown("event_id", STRING),
  eventColor: shown("event_color", enumOf(COLORS)),
  type: shown("type", enumOf(ANNOUNCEMENT_TYPES)),
  hours: shown("hours", INTEGER),
  minutes: shown("minutes", INTEGER),
  offsets: optional(shownObjects("offsets", offsetFields, "Offset")),
  digest: optional(shownObject("digest", digestFields, "Digest")),
  info: shown("info", STRING),
  template: shownTemplate,
  onChange: shownOnChange,
  cleanUp: shownCleanUp,
  pausedUntil: shownPause,
  skipOn: optional(shown("skip_on", INTEGER)),
  pauseEndedAt: NO_FIELD,
  enabled: shown("enabled", BOOLEAN),
  infoOnly: shown("info_only", BOOLEAN),
  subscribersRole: shown("subscribers_role", LIST_OF_STRINGS),
  subscribersUser: shown("subscribers_user", LIST_OF_STRINGS),
  dangling: optional(shown("dangling", { type: "boolean", const: true })),
  guildId: NO_FIELD,
  revision: NO_FIELD,
  standsSince: NO_FIELD,
  changedBy: NO_FIELD,
});

/** The response of create has the id only. */
export const createdAnnouncementFields = responseFields<Omit<ResultOf<typeof createAnnouncement>, keyof Revised>>({
  id: shown("id", { type: "string", format: "uuid" }),
});

/** An announcement in the response of list: the fields of get, and the id. */
export const listedAnnouncementFields: readonly ResponseField<AnnouncementView>[] = [
  ...createdAnnouncementFields,
  ...announcementResponseFields,
];

const postFields = {
  dueAt: shown("due", EPOCH_MS),
  announcementId: shown("announcement_id", STRING),
  eventId: shown("event_id", STRING),
  startsAt: shown("epoch_start", EPOCH_MS),
  anchor: optional(shown("anchor", enumOf(OFFSET_ANCHORS))),
  offsetMinutes: optional(shown("offset_minutes", INTEGER)),
  channel: shown("channel", STRING),
};

/** Present if the post will be skipped when it is due (D62, D66). */
const skipFields = {
  skipCode: optional(shown("skip_code", enumOf(SKIP_CODES))),
  skipReason: optional(shown("skip_reason", STRING)),
};

const problemFields = responseFields<PostProblem>({
  code: shown("code", enumOf(PROBLEM_CODES)),
  message: shown("message", STRING),
});

/** Present if a problem with the post is known (D35). */
const problemField = optional(shownObject("problem", problemFields, "PostProblem"));

const upcomingPostFields = responseFields<UpcomingPost>({
  ...postFields,
  state: shown("state", enumOf(OPEN_POST_STATES)),
  ...skipFields,
  computed: optional(shown("computed", { type: "boolean", const: true })),
  attempts: optional(shown("attempts", INTEGER)),
  inDoubtSince: optional(shown("in_doubt_since", EPOCH_MS)),
  leaseUntil: optional(shown("lease_until", EPOCH_MS)),
  nextTryAt: optional(shown("next_try", EPOCH_MS)),
  reason: optional(shown("reason", STRING)),
  problem: problemField,
});

const notPlannedFields = responseFields<NotPlanned>({
  code: shown("code", enumOf(NOT_PLANNED_CODES)),
  message: shown("message", STRING),
  dueFrom: shown("due_from", EPOCH_MS),
});

const incompletePlanFields = responseFields<Omit<UpcomingPosts, "posts">>({
  notPlanned: optional(shownObject("not_planned", notPlannedFields, "NotPlanned")),
});

/** The planned posts, and from which due instant on posts are not planned (D39). */
export const upcomingPostsFields: readonly ResponseField<UpcomingPosts>[] = [
  amountIn(({ posts }) => posts),
  listIn("posts", upcomingPostFields, "UpcomingPost", ({ posts }) => posts),
  ...incompletePlanFields,
];

/** A page of the planned posts. */
export const upcomingPageFields: readonly ResponseField<UpcomingPostsPage>[] = [
  pageAmount,
  ...pageResponseFields("posts", upcomingPostFields, "UpcomingPost"),
  ...incompletePlanFields,
];

export const settledPostFields = responseFields<SettledPost>({
  ...postFields,
  state: shown("state", enumOf(POST_STATES)),
  claimedAt: optional(shown("claimed", EPOCH_MS)),
  settledAt: shown("settled", EPOCH_MS),
  lateMs: optional(shown("late_ms", INTEGER)),
  reason: optional(shown("reason", STRING)),
  reasonCode: optional(shown("reason_code", enumOf(REASON_CODES))),
  messageId: optional(shown("message_id", STRING)),
  steps: shownSteps,
});

const previewedOffsetFields = responseFields<PreviewedOffset>({
  anchor: shown("anchor", enumOf(OFFSET_ANCHORS)),
  minutes: shown("minutes", INTEGER),
  dueAt: optional(shown("due", EPOCH_MS)),
  ...skipFields,
});

export const postPreviewFields = responseFields<PostPreview>({
  eventId: shown("event_id", STRING),
  startsAt: shown("epoch_start", EPOCH_MS),
  channel: shown("channel", STRING),
  offsets: optional(shownObjects("offsets", previewedOffsetFields, "PreviewedOffset")),
  ...skipFields,
  problem: problemField,
  messages: shown("messages", { type: "array", items: messageSchema }),
});
