import { DIGEST_DESCRIPTIONS } from "./digest-descriptions.ts";
import { EDIT_DESCRIPTIONS } from "./edit-descriptions.ts";
import { EVENT_DESCRIPTIONS } from "./event-descriptions.ts";
import { PLAN_DESCRIPTIONS } from "./plan-descriptions.ts";
import { FOLLOW_DESCRIPTIONS } from "./follow-descriptions.ts";
import { PAUSE_DESCRIPTIONS } from "./pause-descriptions.ts";
import { TEMPLATE_DESCRIPTIONS } from "./template-descriptions.ts";
import { WEBHOOK_DESCRIPTIONS } from "./webhook-descriptions.ts";

const NEXT_KEYS = "Cursor of the next page, to be sent as `before`; absent on the last page.";
const LIST_AMOUNT =
  "Largest number of entries in the response, -1 for all. Required without `limit` and `cursor`; without effect together with them.";
const POSTS_AMOUNT =
  "Largest number of entries in the response, -1 for all. Without effect together with `limit` and `cursor`.";

const NEEDED_WITHOUT_OFFSETS = "required without `offsets`, unless the type is DIGEST.";
const OFFSET_MINUTES =
  "Minutes from the anchor, negative before it: at most 527040 (366 days) either way, and at least 0 for CREATED and CHANGED.";
const POST_ANCHOR =
  "Anchor of the offset by which the post is due; absent for an announcement with `hours` and `minutes`.";

/**
 * Descriptions of the fields for the API document, by their wire names. A description under the name of a schema and a field
 * (`ApiKey.id`) replaces the general one.
 */
export const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  // All requests
  guild_id:
    "Id of the guild, a 64-bit integer. Send it as a string where numbers lose digits, as they do in JavaScript.",
  calendar_number: "Number of the calendar within the guild, from 1 (the main calendar) to the guild's max_calendars.",
  amount: "Largest number of entries in the response; -1 for all.",
  limit:
    "Largest number of entries of the page, 1 to 1000; 100 in a request with a `cursor` alone. Without `limit` and `cursor` the response is the whole list.",
  cursor: "The `next` of an earlier response; the page begins after it.",
  Message: "Confirmation that the operation succeeded.",
  message: "Confirmation that the operation succeeded.",

  // Events
  ...EVENT_DESCRIPTIONS,

  // Changes
  sync_token: "Token of the position after these changes; at most 6000 characters.",
  "V2ChangesRequest.sync_token":
    "The `sync_token` of the response before. Without it everything that the guild has is listed.",
  "V2ChangesRequest.limit": "Largest number of changes in the response.",
  "V2ChangesResponse.changes": "The changed records in the order of their last writes.",
  more: "Whether further changes can be read now.",
  "Change.kind": "Kind of the record.",
  "Change.id":
    "Id of the record: of the guild for settings, the number of a calendar, the id of an event or an announcement, a unique text for a post.",
  revision: "Number of writes of the record, from 1.",
  changed: "Time of the last write, in Unix milliseconds (UTC).",
  deleted: "Whether the record was deleted.",
  settings: "The settings, if `kind` is settings.",
  calendar: "The calendar, if `kind` is calendar.",
  event: "The event or series, if `kind` is event. A change of one occurrence is a change of its series.",
  announcement: "The announcement, if `kind` is announcement, without `dangling`.",
  post: "The post with its outcome, if `kind` is post.",
  webhook: "The webhook, if `kind` is webhook. It is disabled if `enabled` is false.",
  has_changed_occurrences:
    "True if occurrences of the series were changed or cancelled; the lists of events have them.",

  // Templates
  ...PAUSE_DESCRIPTIONS,
  ...TEMPLATE_DESCRIPTIONS,

  // Drafts
  ...PLAN_DESCRIPTIONS,

  // Webhooks
  ...WEBHOOK_DESCRIPTIONS,

  // Calendars
  "Calendar.calendar_number": "Number of the calendar within the guild; 1 is the main calendar.",
  "Calendar.name": "Name of the calendar.",
  "V2CalendarUpdateRequest.name": "New name of the calendar.",
  ...FOLLOW_DESCRIPTIONS,
  path: "Path of the feed's address on this gateway, with its token: a secret. It is shown only in this response.",
  feeds: "The feeds of the guild's calendars, the latest first.",
  "Feed.id": "Id of the feed; no secret.",
  "Feed.calendar_number": "Number of the calendar that the feed shows.",
  "Feed.color": "Color that the feed is limited to; absent for a feed of all colors.",
  "Feed.label": "The purpose of the feed in words; empty if none was given.",
  "Feed.last_used":
    "Hour in which the feed was last read, in Unix milliseconds (UTC), rounded down; absent for one never read.",
  rotated:
    "Instant at which the feed got the address that it has, in Unix milliseconds (UTC); absent for its first one.",
  "V2CalendarFeedsCreateRequest.color": "Color that the feed is limited to; all colors when absent.",
  "V2CalendarFeedsCreateRequest.label": "The purpose of the feed in words, for people: at most 100 characters.",
  "V2CalendarFeedsCreateResponse.id": "Id of the new feed.",
  "V2CalendarFeedsRotateRequest.id": "Id of the feed.",
  "V2CalendarFeedsRotateResponse.id": "Id of the feed.",
  "V2CalendarFeedsRevokeRequest.id": "Id of the feed.",
  timezone: "IANA time zone on whose wall clock the calendar's series run.",
  calendars: "Every calendar that the guild may have, in the order of their numbers.",

  // Announcements
  id: "Id of the announcement, a UUID.",
  channel:
    "Id of the channel that the announcement is posted to: 1 to 20 digits. The channel must belong to the guild.",
  type: "Events that the announcement covers: all of the guild (UNIVERSAL), one event (SPECIFIC), every occurrence of a series (RECUR), or those of one color (COLOR); or a list of the events of a calendar (DIGEST).",
  event_color: "Color that COLOR covers, where NONE means events without a color; ignored for other types.",
  hours:
    "Hours before the start at which the announcement is posted, added to `minutes`; 527040 minutes (366 days) at most in all. With `offsets`: those of the first offset at or before the start, or 0.",
  minutes:
    "Minutes before the start at which the announcement is posted, added to `hours`. With `offsets`: those of the first offset at or before the start, or 0.",
  "V1AnnouncementCreateRequest.hours": `Hours before the start at which the announcement is posted, added to \`minutes\`; ${NEEDED_WITHOUT_OFFSETS}`,
  "V1AnnouncementCreateRequest.minutes": `Minutes before the start at which the announcement is posted, added to \`hours\`; ${NEEDED_WITHOUT_OFFSETS}`,
  digest:
    "The list that a DIGEST posts, and its schedule. Required for this type, and absent for any other. An update replaces the whole digest.",
  ...DIGEST_DESCRIPTIONS,
  ...EDIT_DESCRIPTIONS,
  offsets:
    "When the announcement is posted, in place of `hours` and `minutes`: 1 to 8 different offsets. Absent for an announcement with `hours` and `minutes`.",
  "V1AnnouncementPreviewResponse.offsets":
    "When the posts for this event are due; absent for an announcement with `hours` and `minutes`.",
  anchor:
    "Instant of the event from which the minutes count: its start (START), its end (END), its creation (CREATED; once for an event or series), or the last change of its times (CHANGED).",
  "UpcomingPost.anchor": POST_ANCHOR,
  "SettledPost.anchor": POST_ANCHOR,
  offset_minutes: "Minutes of that offset; negative before the anchor.",
  "Offset.minutes": OFFSET_MINUTES,
  "OffsetInput.minutes": OFFSET_MINUTES,
  "PreviewedOffset.minutes": OFFSET_MINUTES,
  "PreviewedOffset.due":
    "Instant at which the post is due, in Unix milliseconds (UTC); absent for CREATED and CHANGED of an occurrence that does not stand for the creation or a change.",
  info: "Additional text of the post, at most 4000 characters; empty for none.",
  enabled: "Whether the announcement is posted.",
  info_only: "Whether the post shows only `info`, unless it is empty.",
  subscribers_role: "Ids of the roles that the post mentions; `everyone` and `here` are allowed. At most 1000.",
  subscribers_user: "Ids of the users that the post mentions. At most 1000.",
  dangling:
    "Present, and true, when the event of the announcement does not exist any more, or the first occurrence of the series that SPECIFIC refers to. The announcement is never posted.",
  "V2EventsDeleteRequest.announcements":
    "`delete` also deletes the announcements of the types SPECIFIC and RECUR that refer to the event or an occurrence of it.",
  subscribers_role_add: "Roles to add to `subscribers_role`, as a set; not together with the whole list.",
  subscribers_role_remove: "Roles to remove from `subscribers_role`, as a set; not together with the whole list.",
  subscribers_user_add: "Users to add to `subscribers_user`, as a set; not together with the whole list.",
  subscribers_user_remove: "Users to remove from `subscribers_user`, as a set; not together with the whole list.",
  announcements: "The guild's announcements in the order of their creation.",
  "V1AnnouncementListRequest.amount": LIST_AMOUNT,
  "V1AnnouncementUpcomingRequest.amount": POSTS_AMOUNT,
  "V1AnnouncementHistoryRequest.amount": POSTS_AMOUNT,
  "V1AnnouncementListResponse.amount": "Number of announcements in this response.",
  "V1AnnouncementUpcomingResponse.amount": "Number of posts in this response.",
  "V1AnnouncementHistoryResponse.amount": "Number of posts in this response.",

  // Posts
  "V1AnnouncementUpcomingRequest.due_from":
    "First due instant of the listed posts, in Unix milliseconds (UTC). With `due_from` or `due_until` the response is a page, and also has the posts of up to 366 days ahead that are not planned yet.",
  "V1AnnouncementUpcomingRequest.due_until": "End of the due instants, not included; in Unix milliseconds (UTC).",
  computed: "Present, and true, when the post is due later than the plan reaches: it is computed, and not stored yet.",
  announcement_id: "Id of the announcement that the post belongs to.",
  due: "Instant at which the post is due, in Unix milliseconds (UTC).",
  problem:
    "Known problem that would affect the post. With Discord, the channel is checked some seconds after the post is planned, " +
    "and again every 2 to 30 minutes while there is a problem. Absent without a known problem, and with sinks that check nothing.",
  "PostProblem.code":
    "Stable name of the problem, for programs. The channel belongs to another guild (CHANNEL_FOREIGN), does not exist " +
    "(CHANNEL_UNKNOWN), is not visible to the bot (CHANNEL_UNREACHABLE) or accepts no messages (CHANNEL_UNSUITABLE): the " +
    "post will fail. The bot lacks permissions in it (PERMISSION_MISSING): the post will fail, or show or notify less.",
  "PostProblem.message": "Description of the problem; it lists missing permissions by Discord's names.",
  not_planned: "Present when the guild has more future posts than can be planned at a time (5000).",
  due_from: "Posts that are due before this instant are planned; in Unix milliseconds (UTC).",
  "NotPlanned.code": "Stable name of the reason, for programs.",
  "NotPlanned.message": "Why the remaining posts are not planned yet.",
  posts: "The posts, in the order that the operation names.",
  state:
    "Outcome of the post. sent: the receiver confirmed it; missed: not possible before its deadline; failed: the receiver refused it permanently; unknown: it may have been posted; cancelled: its event or announcement changed; skipped: its due instant had passed when its announcement was created.",
  "UpcomingPost.state":
    "planned: it has certainly not been sent; sending: a worker is sending it, or its outcome is in doubt and is being determined.",
  attempts: "Number of attempts to send the post; absent before the first one.",
  in_doubt_since:
    "Instant since which the post may have been delivered without confirmation, in Unix milliseconds (UTC).",
  lease_until:
    "Instant at which the lease of the worker that is sending the post ends and another worker takes it over, in Unix milliseconds (UTC).",
  next_try:
    "Instant of the next attempt to send the post, or to look it up at the receiver, in Unix milliseconds (UTC).",
  "UpcomingPost.reason": "Error of the last attempt.",
  claimed:
    "Instant at which a worker began its last attempt, in Unix milliseconds (UTC); only for a post that was tried.",
  settled: "Instant at which the outcome was decided, in Unix milliseconds (UTC).",
  late_ms: "Milliseconds from the due instant to the send; only for a post that was sent.",
  reason:
    "Why the post was not sent, or not on time. Always present when it was not sent, or was sent more than 5 s after its due instant.",
  reason_code: "Kind of the reason, for programs; for a late post, the longest of its delays.",
  message_id: "Id of the message at the receiver.",
  messages: "The messages of the post in order, in the form of Discord's API.",
  "V1AnnouncementPreviewRequest.event_id":
    "Event or occurrence to render; when absent, the next one that the announcement covers.",

  // Messages, in Discord's names
  content: "Text of the message, with the mentions.",
  embeds: "Embeds of the message.",
  "Embed.title": "Title: the event's name, or that of the template.",
  "Embed.description": "The event's description, or the body of the template.",
  "Embed.color": "Color as a 24-bit RGB integer.",
  "Embed.image": "Image of the event.",
  "Embed.author": "The guild, if `branded` is set.",
  "Embed.footer": "Ids of the announcement and the event.",
  "Embed.fields": "Start, end, location and additional information, as far as the template shows them.",
  "EmbedField.name": "Label of the field.",
  value: "Text of the field.",
  inline: "Whether the field may be displayed beside others.",
  url: "Link to the image.",
  "EmbedAuthor.name": "Name of the guild.",
  text: "Text of the footer.",
  allowed_mentions: "The mentions that Discord may resolve; the texts of an event can't add any.",
  parse: "`everyone` if everyone or here is subscribed; empty otherwise.",
  users: "Ids of the users that are mentioned.",
  roles: "Ids of the roles that are mentioned.",

  // Guild settings
  external_calendar:
    "Whether the guild has an external calendar. Stored for bots; the service does not use it. Only operator keys change it.",
  control_role:
    "Id of the role that a member needs to use the bot; `everyone` for none. Stored for bots; the service does not enforce it.",
  service_channel:
    "Id of the only channel in which the bot responds; `all` for no limit. Stored for bots; the service does not enforce it.",
  simple_announcement:
    "Whether posts are short: no ids and no footer, times in one line. In v2: `simple_announcements`.",
  simple_announcements:
    "Whether posts are short: no ids and no footer, times in one line. In v1: `simple_announcement`.",
  lang: "Language of the posts.",
  prefix: "Prefix of the bot's commands: 1 to 16 visible characters. Stored for bots; the service has no commands.",
  patron_guild:
    "Whether the guild has the features for patrons. Stored for bots; the service does not use it. Only operator keys change it.",
  dev_guild:
    "Whether the guild has features in development. Stored for bots; the service does not use it. Only operator keys change it.",
  max_calendars: "Number of calendars that the guild may have. Only operator keys change it.",
  twelve_hour: "Whether posts show times in the 12-hour format; 24-hour otherwise.",
  branded:
    "Whether posts show the guild's name as their author; only with the sink `discord`. Only operator keys change it.",
  "GuildSettings.guild_id":
    "Id of the guild, a 64-bit JSON integer with every digit. JSON.parse of JavaScript rounds it (375357265198317603 becomes 375357265198317630): use a parser that preserves 64-bit integers, or the id in the request.",

  // API keys
  "V1AnnouncementCreateResponse.id": "Id of the new announcement, a UUID.",
  kind: "Guilds that the key may access: those in `guilds` (guild), all (service), or all, with the operations for operators (operator).",
  access: "Whether the key may only read, or also write.",
  guilds: "Ids of the guilds that a key of the kind `guild` may access.",
  label: "Note of the operator about the purpose of the key; 1 to 100 characters.",
  expires: "Instant from which the key is refused, in Unix milliseconds (UTC); none when absent.",
  key: "The API key. It is shown only in this response; the service stores only a digest.",
  keys: "Every key, the latest first, without its secret. A key is listed until a year after its revocation or expiry.",
  created: "Instant of creation, in Unix milliseconds (UTC).",
  revoked: "Instant of revocation, in Unix milliseconds (UTC); absent for a key that is not revoked.",
  last_used: "Hour of the last use, in Unix milliseconds (UTC), rounded down; absent for a key that was never used.",
  previous_until: "Instant until which the key's previous secret is accepted, in Unix milliseconds (UTC).",
  overlap_hours: "Hours for which the previous secret stays valid.",
  before: "The `next` of an earlier response; the list continues after it.",
  next: "Cursor of the next page, to be sent as `cursor`; absent on the last page, and without `limit` and `cursor`.",
  "AdminKeysListResponse.next": NEXT_KEYS,
  "AdminKeysAuditResponse.next": NEXT_KEYS,
  changes: "The changes of keys, the latest first.",
  at: "Instant of the change, in Unix milliseconds (UTC).",
  change: "Kind of the change.",
  key_id: "Id of the key that was changed.",
  by: "Id of the API key, or name of the command, that made the change.",
  "ApiKey.id": "Id of the key, which is not secret.",
  "AdminKeysAuditRequest.id": "Id of the key whose changes are listed; all keys when absent.",
  "AdminKeysAuditRequest.amount": "Largest number of changes in the response.",
  "AdminKeysCreateResponse.id": "Id of the new key.",
  "AdminKeysRotateRequest.id": "Id of the key.",
  "AdminKeysRotateResponse.id": "Id of the key.",
  "AdminKeysRevokeRequest.id": "Id of the key.",

  // Warnings
  warnings:
    "Present only when a field of the request had no effect or looks like a mistake. The request was performed nevertheless.",
  "Warning.field": "Name of the field in the request; a name of more than 64 characters is cut.",
  "Warning.code":
    "BEFORE_1980: a time that may be in seconds instead of milliseconds. UNKNOWN_FIELD: a field that this request does not have.",
  "Warning.message": "Description of the problem; it continues the field's name.",

  // Errors
  "Error.message": "Description of the error.",
  "FieldProblem.message": "Description of the problem; it continues the field's name.",
  code: "Stable name of the error, for programs.",
  request_id: "Id of the request; also in the header X-Request-Id and in the log of the service.",
  errors: "All invalid fields.",
  field: "Path of the field in the request, such as recurrence.count; `body` for a body that is not one JSON object.",
  allowed: "Accepted values, if they can be listed.",
};
