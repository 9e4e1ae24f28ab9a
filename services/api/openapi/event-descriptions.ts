import { TEXT_LIMITS } from "../../contracts/calendar-events.contract.ts";

const UNTIL =
  "Last instant, in Unix milliseconds (UTC), at which an occurrence of the rule may start (UNTIL), by its original start and to the second; not together with a count.";
const FREQUENCY = "Unit of the rule's step: one day, week, month or year on the calendar's wall clock.";

/** Descriptions of the fields of events, as in `FIELD_DESCRIPTIONS`. */
export const EVENT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  event_id: "Id of the event or series, or of one occurrence: the series' id, `_`, and its original start in UTC.",
  epoch_start: "Start of the event, in Unix milliseconds (UTC).",
  epoch_end: "End of the event, in Unix milliseconds (UTC); not before its start.",
  "V2EventsCreateRequest.epoch_start":
    "Start of the event, in Unix milliseconds (UTC). Required unless `all_day` is true; then it must be the midnight of `start_date`.",
  "V2EventsCreateRequest.epoch_end":
    "End of the event, in Unix milliseconds (UTC); not before its start. Required unless `all_day` is true; then it must be the midnight of `end_date`.",
  all_day: "Whether the event lasts from midnight to midnight of the calendar's time zone. Absent in other responses.",
  "V2EventsCreateRequest.all_day":
    "Whether the event lasts from midnight to midnight of the calendar's time zone. When it is true, `start_date` is required.",
  "V2EventsUpdateRequest.all_day":
    "Whether the event lasts from midnight to midnight of the calendar's time zone. True makes an event with times all-day and requires `start_date`; false gives an all-day event times, by default the same instants.",
  start_date: "First day of an all-day event, YYYY-MM-DD.",
  end_date: "Day after the last day of an all-day event, YYYY-MM-DD: it is not included.",
  "V2EventsCreateRequest.end_date":
    "Day after the last day of an all-day event, YYYY-MM-DD: it is not included. The day after `start_date` when absent.",
  scope:
    "The occurrences that the id of an occurrence stands for: `this` one (also when absent), this and all `following` ones, or `all` of the series. With the id of a series only `all`.",
  "V2EventsUpdateResponse.id": "Id of the new series, with the scope `following` if a series was split.",
  days_in_month: "Number of days in the month; the window is that many times 24 hours long.",
  name: `Name of the event; at most ${TEXT_LIMITS.name} characters.`,
  description: `Description of the event; at most ${TEXT_LIMITS.description} characters.`,
  location: `Where the event takes place; at most ${TEXT_LIMITS.location} characters.`,
  is_parent: "True for a series as a whole; false for a single event and for an occurrence of a series.",
  color: "Color of the event; NONE for none.",
  recur: "Whether the event recurs. When it is true, `recurrence` is required.",
  recurrence: "Rule of a recurring event.",
  frequency: FREQUENCY,
  "V2EventsCreateRequestRecurrence.frequency": `${FREQUENCY} Required without \`rrule\`.`,
  "V2EventsUpdateRequestRecurrence.frequency": `${FREQUENCY} Required without \`rrule\`.`,
  "DraftChangeRecurrence.frequency": `${FREQUENCY} Required without \`rrule\`.`,
  count: "Number of occurrences, the first included: 1 to 10000, or -1 for no end.",
  interval: "Number of units from one occurrence to the next: 1 to 1000.",
  by_day:
    "Weekdays of the rule (BYDAY), such as MO; in a MONTHLY or YEARLY rule also the nth one, such as 2TU or -1FR (the last Friday). At most 50.",
  by_month_day: "Days of the month (BYMONTHDAY): 1 to 31, or -31 to -1 from its end; not in a WEEKLY rule. At most 62.",
  by_month: "Months of the rule (BYMONTH): 1 to 12.",
  by_hour:
    "Hours of the dates (BYHOUR): 0 to 23. Each date has every combination of by_hour, by_minute and by_second, at most 24; an absent one is that of the start. Not for an all-day event.",
  by_minute: "Minutes of the dates (BYMINUTE): 0 to 59.",
  by_second: "Seconds of the dates (BYSECOND): 0 to 59.",
  by_set_pos:
    "Positions in the dates of each period that the rule selects (BYSETPOS): 1 for the first, -1 for the last; only with another by_ member. At most 50.",
  "Recurrence.until": UNTIL,
  "V2EventsCreateRequestRecurrence.until": UNTIL,
  "V2EventsUpdateRequestRecurrence.until": UNTIL,
  "DraftChangeRecurrence.until": UNTIL,
  week_start: "First day of the week (WKST), which matters in a WEEKLY rule with an interval; MO when absent.",
  ex_dates:
    "Original starts of cancelled occurrences, in Unix milliseconds (UTC) (EXDATE). At most 100; occurrences can also be deleted by their ids.",
  r_dates:
    "Additional starts, in Unix milliseconds (UTC), not before the first start of the rule (RDATE). At most 100.",
  rrule:
    "The rule as text in the form of RFC 5545, such as FREQ=MONTHLY;BYDAY=-1FR, instead of its members; at most 500 characters. In responses when the recurrence has more than frequency, count and interval.",
  image: `Link to an image that posts show; at most ${TEXT_LIMITS.image} characters. The service stores the link and never fetches it.`,
  events: "The events and occurrences of the window, in the order of their start, then of their id.",
  "V2EventsListDateRequest.epoch_start":
    "Start of the window, in Unix milliseconds (UTC). The window is 24 hours long.",
  "V2EventsListMonthRequest.epoch_start": "Start of the month in the client's time zone, in Unix milliseconds (UTC).",
  "V2EventsListRangeRequest.epoch_start": "First millisecond of the window, in Unix milliseconds (UTC).",
  "V2EventsListRangeRequest.epoch_end": "Last millisecond of the window, in Unix milliseconds (UTC); it is included.",
  "V2EventsCreateResponse.id": "Id of the new event or series.",
  "V2EventsSearchRequest.text":
    "One to ten words that all occur in the name, the description or the location, in any of them, also within a word. Upper and lower case are the same; accents count. At most 200 characters.",
  "V2EventsSearchRequest.color": "Color of the events; all colors when absent.",
  "V2EventsSearchRequest.epoch_start":
    "First millisecond of the window, in Unix milliseconds (UTC); no limit when absent.",
  "V2EventsSearchRequest.epoch_end":
    "Last millisecond of the window, in Unix milliseconds (UTC); no limit when absent.",
  "V2EventsSearchRequest.limit": "Largest number of entries of the page, 1 to 1000.",
  "V2EventsSearchResponse.events": "The found events, series and changed occurrences, in the order of their ids.",
  "V2EventsSearchResponse.next":
    "Cursor of the next page, to be sent as `cursor`; absent on the last page. A page may have no entry and a `next`.",
};
