/**
 * What each named schema of the API document is, by its name. The bodies of requests, answers and errors that have no name
 * of their own are described by their path or status (openapi-document.ts).
 */
export const SCHEMA_DESCRIPTIONS: Readonly<Record<string, string>> = {
  // Events and calendars
  Event: "An event, a series as a whole, or one occurrence of a series. Times are in Unix milliseconds (UTC).",
  Recurrence: "Rule by which a series recurs on the wall clock of its calendar's time zone.",
  V2EventsCreateRequestRecurrence:
    "Rule of a new series, by its members or as text in `rrule`. A member that is left out has its default.",
  V2EventsUpdateRequestRecurrence:
    "Rule that replaces the one of the series as a whole: a member that is left out has its default.",
  Feed: "A feed of a calendar, without its address. Times are in Unix milliseconds (UTC).",
  Calendar: "A calendar of a guild, with the time zone that its series run on.",

  // Announcements and posts
  Announcement:
    "An announcement: which events it covers, and how long before their start it is posted in which channel.",
  ListedAnnouncement: "An announcement in a list: the fields of Announcement and its id.",
  UpcomingPost: "A post that is planned, or on its way. Times are in Unix milliseconds (UTC).",
  SettledPost: "A post whose outcome is final. Times are in Unix milliseconds (UTC).",
  PostProblem: "What is known to stand against a planned post, from a check of its channel.",
  NotPlanned: "From which instant on the guild's posts are not planned yet, and why.",

  // Messages, under Discord's names
  Message: "A message as Discord takes it.",
  Embed: "The box of a message, which shows one event.",
  EmbedField: "A labelled text in the box of a message.",
  EmbedImage: "The image in the box of a message.",
  EmbedAuthor: "The line above the box's title.",
  EmbedFooter: "The line at the end of the box.",
  AllowedMentions: "Whom a message may notify. Discord notifies nobody else, whatever the texts contain.",

  // Guild settings
  GuildSettings: "Settings of a guild, with the names and the forms of version 2.",
  GuildSettingsV1: "Settings of a guild, with the names and the forms of version 1.",

  // API keys
  ApiKey: "An API key without its secret. Times are in Unix milliseconds (UTC).",
  KeyChange: "One entry of the audit log: what was done to an API key, when and by whom.",

  // Warnings and errors
  Warned: "What every answer with the status 200 has beside its own fields.",
  Warning: "One thing in a request that had no effect, or that looks like a slip.",
  FieldProblem: "One field of a request that is wrong, and what it must be.",
};
