/** Descriptions of the fields of calendars that follow an address (field-descriptions.ts). */
export const FOLLOW_DESCRIPTIONS: Readonly<Record<string, string>> = {
  follow:
    "Present for a calendar that follows an address, and is read-only. active: it is read; disabled: it is not read any more after a week of failures.",
  "V2CalendarFollowRequest.url":
    "Address of an iCalendar body: https or webcal, at most 2048 characters, without user name and fragment. Names are resolved to public addresses only.",
  "V2CalendarFollowRequest.replace":
    "True for a calendar with events: those that the address does not have are deleted after its first read.",
  "CalendarFollow.url": "The address; absent for a key that may only read.",
  host: "Host of the address.",
  "CalendarFollow.state": "active: it is read; disabled: it is not read any more after a week of failures.",
  followed: "Instant at which the address was set, in Unix milliseconds (UTC).",
  next_read: "Instant of the next read, in Unix milliseconds (UTC); absent if it is disabled.",
  last_read: "Instant of the last read, in Unix milliseconds (UTC); absent before the first one.",
  last_success: "Instant of the last read that succeeded, also if nothing had changed, in Unix milliseconds (UTC).",
  last_change: "Instant of the last read that changed events, in Unix milliseconds (UTC).",
  failures: "Number of failed reads since the last success.",
  "CalendarFollow.error":
    "Kind of the failure of the last read, for programs; absent if it succeeded. TARGET_REFUSED: the address, or one that it redirects to, is not allowed; NO_RESPONSE, TIMED_OUT, HTTP_STATUS, TOO_MANY_REDIRECTS, CONTENT_ENCODING, TOO_LARGE, NOT_A_CALENDAR: its response; CALENDAR_NOT_ALLOWED: the guild may have fewer calendars now; CALENDAR_BUSY, NOT_COMPLETE, INTERNAL: the next read continues.",
  error_message: "The failure in words.",
  "CalendarFollow.disabled": "Instant since which it is not read any more, in Unix milliseconds (UTC).",
  "CalendarFollow.created": "Number of VEVENTs of the last import that created an event, or a change of an occurrence.",
  updated: "Number of VEVENTs of the last import that changed an event.",
  unchanged: "Number of VEVENTs of the last import that changed nothing.",
  "CalendarFollow.deleted": "Number of events that were deleted with the last import.",
  skipped: "Number of VEVENTs of the last import that were skipped; an import as a dry run has their reasons.",
};
