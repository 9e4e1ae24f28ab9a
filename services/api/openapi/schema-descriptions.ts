/**
 * Descriptions of the named schemas of the API document. The bodies of requests, responses and errors that are not listed here
 * get a description from their path or status (openapi-document.ts).
 */
export const SCHEMA_DESCRIPTIONS: Readonly<Record<string, string>> = {
  // Events and calendars
  Event: "An event, a series as a whole, or one occurrence of a series. Times are in Unix milliseconds (UTC).",
  Recurrence: "Rule by which a series recurs on the wall clock of its calendar's time zone.",
  V2EventsCreateRequestRecurrence:
    "Rule of a new series, as members or as text in `rrule`. An absent member has its default.",
  V2EventsUpdateRequestRecurrence: "Rule that replaces the whole rule of the series. An absent member has its default.",
  Feed: "A feed of a calendar, without its address. Times are in Unix milliseconds (UTC).",
  Calendar: "A calendar of a guild, with the time zone that its series run on.",

  // Changes
  Change:
    "A record that has changed, in its newest state. The member with the name of its kind has the record, unless it is deleted.",
  ChangedEvent: "An event or a series, with its calendar. Times are in Unix milliseconds (UTC).",

  // Drafts
  DraftChange: "A change that is stored nowhere. Its fields are those of the endpoint that makes the same write.",
  DraftChangeRecurrence: "Rule of a series, as members or as text in `rrule`. An absent member has its default.",
  PostPreview: "The messages of an announcement for one event, and a known problem of its channel.",
  PlanDiff: "The posts of the next 366 days that changes would affect, and their numbers.",
  PostDifference: "A post that changes would affect. A post that vanishes is shown as it is without them.",
  DraftedPost: "A post as it would be sent. Times are in Unix milliseconds (UTC).",

  // Webhooks
  Webhook: "A webhook of a guild, without its secret. Times are in Unix milliseconds (UTC).",
  MissedNotification:
    "The start or the end of an occurrence of which no webhook was notified. Times are in Unix milliseconds (UTC).",
  WebhookDelivery: "A request to a webhook, without its body. Times are in Unix milliseconds (UTC).",

  // Announcements and posts
  Announcement: "An announcement: the events that it covers, its channel, and the times of its posts.",
  ListedAnnouncement: "An announcement in a list: the fields of Announcement and its id.",
  Offset: "When an announcement is posted, relative to an instant of the event.",
  MessageTemplate: "Layout of the messages of an announcement, with placeholders.",
  MessageTemplateInput: "Layout of the messages of an announcement, with placeholders.",
  Digest: "The list that an announcement of the type DIGEST posts, and its schedule.",
  V1AnnouncementCreateRequestDigest: "The list that an announcement of the type DIGEST posts, and its schedule.",
  V1AnnouncementUpdateRequestDigest:
    "The list that an announcement of the type DIGEST posts, and its schedule. It replaces the stored digest as a whole.",
  DraftChangeDigest: "The list that an announcement of the type DIGEST posts, and its schedule.",
  OffsetInput: "When an announcement is posted, relative to an instant of the event.",
  PreviewedOffset: "An offset of an announcement, with its due instant for the shown event.",
  UpcomingPost: "A post that is planned or being sent. Times are in Unix milliseconds (UTC).",
  MessageStep: "A step of the message of a sent post (`on_change`).",
  SettledPost: "A post whose outcome is final. Times are in Unix milliseconds (UTC).",
  PostProblem: "A problem of a planned post, from a check of its channel.",
  NotPlanned: "The instant from which the guild's posts are not planned yet, and the reason.",

  // Messages, in Discord's names
  Message: "A message in the form of Discord's API.",
  Embed: "An embed of a message, which shows one event.",
  EmbedField: "A labelled text in an embed.",
  EmbedImage: "The image of an embed.",
  EmbedAuthor: "The line above the title of an embed.",
  EmbedFooter: "The last line of an embed.",
  AllowedMentions: "The users and roles that a message may notify, regardless of its texts.",

  // Guild settings
  GuildSettings: "Settings of a guild, in the names of version 2.",
  GuildSettingsV1: "Settings of a guild, in the names of version 1.",

  // API keys
  ApiKey: "An API key without its secret. Times are in Unix milliseconds (UTC).",
  KeyChange: "One entry of the audit log: a change of an API key, its time and its author.",

  // Warnings and errors
  WithWarnings: "The warnings that every response with the status 200 may have.",
  Warning: "A field of a request that had no effect, or that looks like a mistake.",
  FieldProblem: "An invalid field of a request.",
};
