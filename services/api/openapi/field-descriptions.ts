const FREQUENCY = "Unit of the rule's step: one day, week, month or year on the calendar's wall clock.";
const UNTIL =
  "Last instant, in Unix milliseconds (UTC), at which an occurrence of the rule may start (UNTIL), by its original start and to the second; not together with a count.";

/**
 * What each field means, by its name on the wire, for the API document. A name with a component in front of it
 * (`ApiKey.id`) replaces the general one there. Times are epoch milliseconds in UTC unless a text says otherwise.
 */
export const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  // Every request
  guild_id:
    "Id of the guild, a 64-bit integer. Send it as a string where numbers lose digits, as they do in JavaScript.",
  calendar_number: "Number of the calendar within the guild, from 1 (the main calendar) to the guild's max_calendars.",
  amount: "Largest number of entries to answer; -1 for all.",
  Message: "Status of the operation.",
  message: "Status of the operation.",

  // Events
  event_id: "Id of the event or series, or of one occurrence: the series' id, `_`, and its original start in UTC.",
  epoch_start: "Start of the event, in Unix milliseconds (UTC).",
  epoch_end: "End of the event, in Unix milliseconds (UTC); not before its start.",
  days_in_month: "Number of days in the month; the window is that many times 24 hours long.",
  name: "Name of the event; at most 256 characters.",
  description: "Description of the event; at most 4000 characters.",
  location: "Where the event takes place; at most 256 characters.",
  is_parent: "True for a series as a whole; false for a single event and for each occurrence of a series.",
  color: "Color of the event; NONE for none.",
  recur: "Whether the event recurs. When it is true, `recurrence` is required.",
  recurrence: "Rule of a recurring event.",
  frequency: FREQUENCY,
  "V2EventsCreateRequestRecurrence.frequency": `${FREQUENCY} Required where no \`rrule\` is given.`,
  "V2EventsUpdateRequestRecurrence.frequency": `${FREQUENCY} Required where no \`rrule\` is given.`,
  count: "Number of occurrences, the first included: 1 to 10000, or -1 for no end.",
  interval: "Number of units from one occurrence to the next: 1 to 1000.",
  by_day:
    "Weekdays of the rule (BYDAY), such as MO; in a MONTHLY or YEARLY rule also the nth one, such as 2TU or -1FR (the last Friday). At most 50.",
  by_month_day: "Days of the month (BYMONTHDAY): 1 to 31, or -31 to -1 from its end; not in a WEEKLY rule. At most 62.",
  by_month: "Months of the rule (BYMONTH): 1 to 12.",
  by_set_pos:
    "Which dates of each period the rule takes (BYSETPOS): 1 for the first, -1 for the last; together with another by_ member. At most 50.",
  "Recurrence.until": UNTIL,
  "V2EventsCreateRequestRecurrence.until": UNTIL,
  "V2EventsUpdateRequestRecurrence.until": UNTIL,
  week_start: "First day of a week (WKST), which counts in a WEEKLY rule with an interval; MO where it is absent.",
  ex_dates:
    "Original starts, in Unix milliseconds (UTC), at which nothing occurs (EXDATE). At most 100; occurrences may also be deleted by their ids.",
  r_dates:
    "Further starts beside those of the rule, in Unix milliseconds (UTC), not before the first one (RDATE). At most 100.",
  rrule:
    "The rule as text by RFC 5545, such as FREQ=MONTHLY;BYDAY=-1FR, in place of its members; at most 500 characters. Answered where the recurrence has more than frequency, count and interval.",
  image: "Link to an image that posts show; at most 2048 characters. The service stores the link and never fetches it.",
  events: "The events and occurrences of the window, in the order of their start, then of their id.",
  "V2EventsListDateRequest.epoch_start":
    "Start of the window, in Unix milliseconds (UTC). The window is 24 hours long.",
  "V2EventsListMonthRequest.epoch_start": "Start of the month in the client's time zone, in Unix milliseconds (UTC).",
  "V2EventsListRangeRequest.epoch_start": "First millisecond of the window, in Unix milliseconds (UTC).",
  "V2EventsListRangeRequest.epoch_end": "Last millisecond of the window, in Unix milliseconds (UTC); it is included.",
  "V2EventsCreateResponse.id": "Id of the new event or series.",

  // Calendars
  "Calendar.calendar_number": "Number of the calendar within the guild; 1 is the main calendar.",
  "Calendar.name": "Name of the calendar.",
  "V2CalendarUpdateRequest.name": "New name of the calendar.",
  path: "Path of the feed's address on this gateway, with its token: a secret. It is shown only in this response.",
  feeds: "The feeds of the guild's calendars, the latest first.",
  "Feed.id": "Id of the feed; no secret.",
  "Feed.calendar_number": "Number of the calendar that the feed shows.",
  "Feed.color": "Color that the feed is limited to; absent for a feed of all colors.",
  "Feed.label": "What the feed is for, as it was given; empty where nothing was.",
  "Feed.last_used":
    "Hour in which the feed was last read, in Unix milliseconds (UTC), rounded down; absent for one never read.",
  rotated:
    "Instant at which the feed got the address that it has, in Unix milliseconds (UTC); absent for its first one.",
  "V2CalendarFeedsCreateRequest.color": "Color that the feed is limited to; all colors when absent.",
  "V2CalendarFeedsCreateRequest.label": "What the feed is for, for people: at most 100 characters.",
  "V2CalendarFeedsCreateResponse.id": "Id of the new feed.",
  "V2CalendarFeedsRotateRequest.id": "Id of the feed.",
  "V2CalendarFeedsRotateResponse.id": "Id of the feed.",
  "V2CalendarFeedsRevokeRequest.id": "Id of the feed.",
  timezone: "IANA time zone on whose wall clock the calendar's series run.",
  calendars: "Every calendar that the guild may have, in the order of their numbers.",

  // Announcements
  id: "Id of the announcement, a UUID.",
  channel: "Id of the channel that the announcement is posted to: 1 to 20 digits. It must belong to the guild.",
  type: "Events that the announcement covers: all of the guild (UNIVERSAL), one event (SPECIFIC), every occurrence of a series (RECUR), or those of one color (COLOR).",
  event_color: "Color that COLOR covers, where NONE means events without a color; ignored for other types.",
  hours:
    "Hours before the start at which the announcement is posted, added to `minutes`; 527040 minutes (366 days) at most in all.",
  minutes: "Minutes before the start at which the announcement is posted, added to `hours`.",
  info: "Additional text of the post, at most 4000 characters; empty for none.",
  enabled: "Whether the announcement is posted.",
  info_only: "Whether the post shows `info` alone, where there is one.",
  subscribers_role: "Ids of the roles that the post mentions; `everyone` and `here` are allowed. At most 1000.",
  subscribers_user: "Ids of the users that the post mentions. At most 1000.",
  dangling:
    "Present, and true, when the announcement's event is gone, or the first occurrence of the series that SPECIFIC names: it is never posted.",
  "V2EventsDeleteRequest.announcements":
    "`delete` also deletes the announcements of the types SPECIFIC and RECUR that name the event or an occurrence of it.",
  subscribers_role_add: "Roles to add to `subscribers_role`, as a set; not together with the whole list.",
  subscribers_role_remove: "Roles to remove from `subscribers_role`, as a set; not together with the whole list.",
  subscribers_user_add: "Users to add to `subscribers_user`, as a set; not together with the whole list.",
  subscribers_user_remove: "Users to remove from `subscribers_user`, as a set; not together with the whole list.",
  announcements: "The guild's announcements in the order of their creation.",
  "V1AnnouncementListResponse.amount": "Number of announcements in this answer.",
  "V1AnnouncementUpcomingResponse.amount": "Number of posts in this answer.",
  "V1AnnouncementHistoryResponse.amount": "Number of posts in this answer.",

  // Posts
  announcement_id: "Id of the announcement that the post belongs to.",
  due: "Instant at which the post is due, in Unix milliseconds (UTC).",
  problem:
    "What stands against posting it, where the sink can know: with Discord, the channel is checked some seconds after the " +
    "post is planned, and again every 2 to 30 minutes while there is a problem. Absent where nothing is known to.",
  "PostProblem.code":
    "Stable name of the problem, for programs. The channel belongs to another guild (CHANNEL_FOREIGN), does not exist " +
    "(CHANNEL_UNKNOWN), can't be seen by the bot (CHANNEL_UNREACHABLE) or takes no messages (CHANNEL_UNSUITABLE): the " +
    "post will fail. The bot lacks permissions in it (PERMISSION_MISSING): the post will fail, or show or notify less.",
  "PostProblem.message": "The problem in words; of missing permissions, which, by Discord's names.",
  not_planned: "Present where the guild has more posts ahead than are planned at a time (5000).",
  due_from: "Posts that are due before this instant are planned; in Unix milliseconds (UTC).",
  "NotPlanned.code": "Stable name of the reason, for programs.",
  "NotPlanned.message": "Why the rest is not planned yet.",
  posts: "The posts, in the order that the operation names.",
  state:
    "What became of the post. sent: the receiver confirmed it; missed: not possible before its deadline; failed: the receiver refused it for good; unknown: it may have been posted; cancelled: its event or announcement changed; skipped: its due instant had passed when its announcement was made.",
  "UpcomingPost.state":
    "planned: it has certainly not been sent; sending: a worker has it, or its outcome is in doubt and is looked for.",
  attempts: "How often the post was taken up to be sent; absent where it never was.",
  in_doubt_since: "Since when the post may have been delivered without anybody knowing, in Unix milliseconds (UTC).",
  lease_until:
    "Instant at which the lease of the worker that has the post ends and another takes it over, in Unix milliseconds (UTC).",
  next_try: "Instant at which the post is tried again, or looked up at the receiver, in Unix milliseconds (UTC).",
  "UpcomingPost.reason": "What the last attempt met.",
  settled: "Instant at which the outcome was decided, in Unix milliseconds (UTC).",
  late_ms: "Milliseconds from the due instant to the send; only of a post that was sent.",
  reason:
    "Why the post was not sent, or not on time: always present where it was not sent, or sent more than 5 s after its due instant.",
  reason_code: "Kind of the reason, for programs; of a late post, what it waited for longest.",
  message_id: "Id of the message at the receiver.",
  messages: "The messages of the post, in their order, as Discord takes them.",
  "V1AnnouncementPreviewRequest.event_id":
    "Event or occurrence to render; the next one that the announcement covers when absent.",

  // Messages, under Discord's names
  content: "Text of the message, with the mentions.",
  embeds: "Embeds of the message.",
  "Embed.title": "Title: the event's name.",
  "Embed.description": "The event's description.",
  "Embed.color": "Color as a 24-bit RGB integer.",
  "Embed.image": "Image of the event.",
  "Embed.author": "The guild, where `branded` is set.",
  "Embed.footer": "Ids of the announcement and the event.",
  "Embed.fields": "Start, end, location and additional information.",
  "EmbedField.name": "Label of the field.",
  value: "Text of the field.",
  inline: "Whether the field may stand beside others.",
  url: "Link to the image.",
  "EmbedAuthor.name": "Name of the guild.",
  text: "Text of the footer.",
  allowed_mentions: "The mentions that Discord may resolve; the texts of an event can't add any.",
  parse: "`everyone` where everyone or here is subscribed; empty otherwise.",
  users: "Ids of the users that are mentioned.",
  roles: "Ids of the roles that are mentioned.",

  // Guild settings
  external_calendar:
    "Whether the guild has an external calendar. Stored for bots; the service does not use it. Operator keys change it.",
  control_role:
    "Id of the role that a member needs to use the bot; `everyone` for none. Stored for bots; the service does not enforce it.",
  service_channel:
    "Id of the only channel in which the bot answers; `all` for no limit. Stored for bots; the service does not enforce it.",
  simple_announcement:
    "Whether posts are short: no ids and no footer, times in one line. In v2: `simple_announcements`.",
  simple_announcements:
    "Whether posts are short: no ids and no footer, times in one line. In v1: `simple_announcement`.",
  lang: "Language of the posts.",
  prefix: "Prefix of the bot's commands: 1 to 16 visible characters. Stored for bots; the service has no commands.",
  patron_guild:
    "Whether the guild has patrons' features. Stored for bots; the service does not use it. Operator keys change it.",
  dev_guild:
    "Whether the guild has features in development. Stored for bots; the service does not use it. Operator keys change it.",
  max_calendars: "Number of calendars that the guild may have. Operator keys change it.",
  twelve_hour: "Whether posts show times in the 12-hour format; 24-hour otherwise.",
  branded: "Whether posts show the guild's name as their author. Operator keys change it.",
  "GuildSettings.guild_id":
    "Id of the guild, a 64-bit JSON integer with every digit. JSON.parse of JavaScript rounds it (375357265198317603 becomes 375357265198317630): read the digits with a parser that keeps 64-bit integers, or use the id that the request named.",

  // API keys
  "V1AnnouncementCreateResponse.id": "Id of the new announcement, a UUID.",
  kind: "Guilds that the key opens: those in `guilds` (guild), all (service), or all and the operations for operators (operator).",
  access: "Whether the key may only read, or write as well.",
  guilds: "Ids of the guilds that a key of the kind `guild` opens.",
  label: "Note of the operator: what the key is for. 1 to 100 characters.",
  expires: "Instant from which the key is refused, in Unix milliseconds (UTC); none when absent.",
  key: "The API key. It is shown only in this response: the service keeps its digest alone.",
  keys: "Every key that was ever created, the latest first, without its secret.",
  created: "Instant of creation, in Unix milliseconds (UTC).",
  revoked: "Instant of revocation, in Unix milliseconds (UTC); absent for a key that is not revoked.",
  last_used: "Hour of the last use, in Unix milliseconds (UTC), rounded down; absent for a key that was never used.",
  previous_until: "Instant until which the key's previous secret is accepted, in Unix milliseconds (UTC).",
  overlap_hours: "Hours for which the previous secret stays valid.",
  before: "The `next` of an earlier answer: continues behind it.",
  next: "Continues this list: send it as `before`. Absent at the end.",
  changes: "The changes of keys, the latest first.",
  at: "Instant of the change, in Unix milliseconds (UTC).",
  change: "What was done to the key.",
  key_id: "Id of the key that was changed.",
  by: "Id of the key that was used, or the command that made the change.",
  "ApiKey.id": "Id of the key; no secret.",
  "AdminKeysAuditRequest.id": "Id of the key whose changes are listed; all keys when absent.",
  "AdminKeysAuditRequest.amount": "Largest number of changes to answer.",
  "AdminKeysCreateResponse.id": "Id of the new key.",
  "AdminKeysRotateRequest.id": "Id of the key.",
  "AdminKeysRotateResponse.id": "Id of the key.",
  "AdminKeysRevokeRequest.id": "Id of the key.",

  // Warnings
  warnings:
    "Present only when something in the request had no effect or looks like a slip. The request was done nevertheless.",
  "Warning.field": "Name of the field in the request; a name of more than 64 characters is cut.",
  "Warning.code":
    "BEFORE_1980: a time that may be in seconds instead of milliseconds. UNKNOWN_FIELD: a field that this request does not have.",
  "Warning.message": "What to look at; it continues the field's name.",

  // Errors
  "Error.message": "What is wrong, in a sentence.",
  "FieldProblem.message": "What is wrong with the field; it continues the field's name.",
  code: "Stable name of the error, for programs.",
  request_id: "Id of the request; also in the header X-Request-Id, and in the service's log.",
  errors: "Every field that is wrong.",
  field: "Path of the field in the request, such as recurrence.count; `body` for a body that is not one JSON object.",
  allowed: "Values that are accepted, where they can be listed.",
};
