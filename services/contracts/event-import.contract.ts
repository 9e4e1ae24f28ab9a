import { calendarNumber, settingsOwnerOfCalendar } from "./calendar-events.contract.ts";
import { action } from "./contract.ts";
import { flag, guildId, integer, listOf, listOfIntegers, textOf } from "./field-rules.ts";
import type { EventId, GuildId } from "./ids.ts";

/** The reasons for which a VEVENT is skipped (D52). */
export const SKIP_REASONS = [
  "NO_UID",
  "DUPLICATE",
  "TOO_LARGE",
  "NOT_UTF8",
  "INVALID_TIME",
  "OUT_OF_RANGE",
  "UNKNOWN_TIME_ZONE",
  "RULE_NOT_SUPPORTED",
  "INVALID_RULE",
  "NO_OCCURRENCE",
  "TOO_MANY_EXCEPTIONS",
  "RANGE_NOT_SUPPORTED",
  "NO_SERIES",
  "UNKNOWN_OCCURRENCE",
  "CANCELLED",
  "OWN_SERIES",
  "SPLIT_SERIES",
  "TOO_MANY_TIME_ZONES",
  "TOO_MANY_EVENTS",
  "WRITE_CONFLICT",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** The ways in which an imported event differs from its VEVENT (D52). */
export const CHANGE_REASONS = [
  "TEXT_CUT",
  "IMAGE_DROPPED",
  "COLOR_NEAREST",
  "ZONE_BY_RULES",
  "START_MOVED",
  "DATES_DROPPED",
  "PERIOD_REPLACED",
] as const;
export type ChangeReason = (typeof CHANGE_REASONS)[number];

/** The meaning of each reason, for people. */
export const IMPORT_REASON_TEXTS: Readonly<Record<SkipReason | ChangeReason, string>> = {
  NO_UID: "it has no UID, by which a repeated import would find its event",
  DUPLICATE: "another VEVENT of the body has the same UID and RECURRENCE-ID, and a higher SEQUENCE or a later place",
  TOO_LARGE: "its properties are larger than an event can be",
  NOT_UTF8: "it has bytes that are not UTF-8",
  INVALID_TIME:
    "DTSTART, DTEND, DURATION, EXDATE, RDATE or RECURRENCE-ID is missing or malformed, or it ends before its start",
  OUT_OF_RANGE: "it starts before 1970, or ends after the year 9999",
  UNKNOWN_TIME_ZONE: "its TZID is no IANA or Windows zone, and no zone has the offsets of its VTIMEZONE",
  RULE_NOT_SUPPORTED:
    "its RRULE has a sub-daily FREQ, BYWEEKNO, BYYEARDAY or another part that is not supported, or there is an EXRULE or a second RRULE",
  INVALID_RULE: "its RRULE is malformed, or has no date at DTSTART and a COUNT",
  NO_OCCURRENCE: "its rule and its exceptions leave no occurrence",
  TOO_MANY_EXCEPTIONS:
    "it has more than 100 RDATEs, or EXDATEs of more than 20000 characters, or EXDATEs of more than 2500 occurrences, since a day excludes each time of day of the rule",
  RANGE_NOT_SUPPORTED: "its RECURRENCE-ID has a RANGE, for this and all following occurrences",
  NO_SERIES: "it is an occurrence of a series that is neither in the body nor in the calendar",
  UNKNOWN_OCCURRENCE: "its series has no occurrence at the RECURRENCE-ID",
  CANCELLED: "its STATUS is CANCELLED, and the calendar does not have it",
  OWN_SERIES: "it is a series of this calendar, which has had several time zones since",
  SPLIT_SERIES:
    "its series was split in this calendar, so that its rule would repeat the occurrences of the later part; delete that part to import it",
  TOO_MANY_TIME_ZONES: "the calendar has series in 50 other time zones already",
  TOO_MANY_EVENTS: "the guild already has the maximum number of events",
  WRITE_CONFLICT: "another request changed its event at the same moment",
  TEXT_CUT: "SUMMARY, DESCRIPTION with URL, or LOCATION was longer than a text may be",
  IMAGE_DROPPED: "its image has no http or https address of at most 2048 characters",
  COLOR_NEAREST: "its COLOR became the nearest of our colors, or stayed if it has no known name",
  ZONE_BY_RULES: "its TZID is unknown; it got a zone that has the offsets of its VTIMEZONE in that year",
  START_MOVED: "DTSTART is not a date of its RRULE, or before 1970; the series begins at the next date",
  DATES_DROPPED: "RDATEs before the first occurrence, or with a time in an all-day series, were dropped",
  PERIOD_REPLACED: "an RDATE is a period of another duration; its occurrence has the duration of the others",
};

/** The effect of a VEVENT on the calendar. */
export const IMPORT_OUTCOMES = ["created", "updated", "deleted", "unchanged", "skipped"] as const;
export type ImportOutcome = (typeof IMPORT_OUTCOMES)[number];

/** The properties of a VEVENT that an import reads; all others are dropped when the body is read. */
export const IMPORTED_PROPERTIES = [
  "UID",
  "RECURRENCE-ID",
  "SEQUENCE",
  "STATUS",
  "DTSTART",
  "DTEND",
  "DURATION",
  "RRULE",
  "EXRULE",
  "EXDATE",
  "RDATE",
  "SUMMARY",
  "DESCRIPTION",
  "LOCATION",
  "URL",
  "IMAGE",
  "ATTACH",
  "COLOR",
] as const;

/** The largest body of an import (D52). */
export const MAX_IMPORT_BYTES = 10 * 1_048_576;

/** Longest UID, in characters. Outlook's have up to 220. */
export const MAX_UID_LENGTH = 500;

/** Largest number of VEVENTs in one call. */
export const MAX_BATCH_EVENTS = 100;
/** Largest number of VTIMEZONEs in one call; a VEVENT names at most a few. */
export const MAX_BATCH_ZONES = 50;
/** Largest number of characters of a VEVENT without the properties that are not imported. */
export const MAX_EVENT_LENGTH = 30_000;
/** Largest number of characters of a VTIMEZONE with its latest observances. */
export const MAX_ZONE_LENGTH = 4_000;

export interface ImportEventsParams {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  /** The same in all calls of an import: one import at a time writes a calendar. */
  readonly importId: string;
  /** True in the last call. */
  readonly isLast: boolean;
  /** Decides everything, and stores nothing. */
  readonly dryRun: boolean;
  /** VEVENTs: unfolded content lines, which a line feed separates, without BEGIN and END. A series before its overrides. */
  readonly events: readonly string[];
  /** The indexes of VEVENTs in this call whose series is a VEVENT of an earlier call, or of this one. */
  readonly ofSeries: readonly number[];
  /** The VTIMEZONEs that the VEVENTs name, in the same form, with their observances. */
  readonly zones: readonly string[];
}

/** The result of a VEVENT. */
export interface ImportedOutcome {
  readonly outcome: ImportOutcome;
  /** The reason of a skipped VEVENT. */
  readonly skipped?: SkipReason;
  readonly changes?: readonly ChangeReason[];
  /** The stored event of the VEVENT; absent for a VEVENT of an occurrence, and if no event is stored. */
  readonly id?: EventId;
}

export interface ImportEventsResult {
  /** The outcome of each VEVENT, in order; null for one that was not completed in time: send it again. */
  readonly outcomes: readonly (ImportedOutcome | null)[];
  /** In a dry run, the number of further events that the guild may have. */
  readonly room?: number;
}

/**
 * Internal, for the gateway: creates, updates or cancels the events of some VEVENTs by their UIDs (D52). A call may be
 * repeated after its last write: what is stored already is unchanged. Two attempts at the same time would both create the
 * event of a new UID; therefore it is not `idempotent`, and the gateway repeats it.
 */
export const importEvents = action<ImportEventsParams, ImportEventsResult>({
  name: "calendar-events.importEvents",
  keys: "guild write",
  refusals: ["CALENDAR_NOT_FOUND", "CALENDAR_FOLLOWED"],
  params: {
    guildId,
    calendarNumber,
    importId: textOf("a UUID", /^[0-9a-f-]{36}$/, 36),
    isLast: flag,
    dryRun: flag,
    events: listOf(textOf("content lines", /\S/, MAX_EVENT_LENGTH), MAX_BATCH_EVENTS),
    ofSeries: listOfIntegers(integer(0, MAX_BATCH_EVENTS - 1), MAX_BATCH_EVENTS),
    zones: listOf(textOf("content lines", /\S/, MAX_ZONE_LENGTH), MAX_BATCH_ZONES),
  },
  isDryRun: ({ dryRun }) => dryRun,
  dependsOn: settingsOwnerOfCalendar,
  idempotent: false,
});
