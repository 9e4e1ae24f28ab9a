const PAUSED_UNTIL = "Instant before which posts are skipped when they are due, in Unix milliseconds (UTC)";
const SKIP_REASON = "Why the post will be skipped when it is due, if nothing changes before.";

/** Descriptions of the fields of pauses (D62) and holidays (D66). */
export const PAUSE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  paused_until: `${PAUSED_UNTIL}. Null in an update ends the pause: what was due during it is not posted later.`,
  "Announcement.paused_until": `${PAUSED_UNTIL}; of the announcement.`,
  "GuildSettings.paused_until": `${PAUSED_UNTIL}; of all announcements of the guild.`,
  "Event.paused_until": `${PAUSED_UNTIL}; of the event, or of every occurrence of the series.`,
  "Calendar.paused_until": `${PAUSED_UNTIL}; of all events of the calendar.`,
  skip_on:
    "Number of a calendar of the guild, such as a calendar of holidays: an event is not posted if an entry of that calendar covers the day on which the event starts. Null in an update removes it.",
  skip_code:
    "Kind of `skip_reason`, for programs: the post is paused (PAUSED), or its event is on a holiday (HOLIDAY).",
  skip_reason: SKIP_REASON,
};
