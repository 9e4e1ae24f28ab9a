/**
 * Types of identifiers, which the compiler distinguishes. All are strings at run time: as a JavaScript number a 64-bit guild
 * id would lose its last digits (D7).
 */
type Branded<Name extends string> = string & { readonly __brand: Name };

/** A guild: decimal digits of 1 … 2^63−1 without leading zeros (D7). */
export type GuildId = Branded<"GuildId">;

/** A calendar event, single or series: `e` and 25 characters of `[a-v0-9]` (D12). */
export type EventId = Branded<"EventId">;

/**
 * One occurrence: `<event id>_<original start in UTC>` for a recurring event, the event id itself for a single
 * one (D12).
 */
export type OccurrenceId = Branded<"OccurrenceId">;

/** An announcement: a UUID (D28). */
export type AnnouncementId = Branded<"AnnouncementId">;

/**
 * One write: a UUID of version 7 (RFC 9562, section 5.7). All attempts of a write have the same id, so that the owner performs
 * it once. A created resource derives its id from it.
 */
export type WriteId = Branded<"WriteId">;

/** An instant in Unix milliseconds, UTC, 0 … 253402300799999 (D13). */
export type EpochMs = number;

/** A date of the Gregorian calendar without a time zone, `YYYY-MM-DD`, from 1970-01-01 to 9999-12-31 (D50). */
export type DateText = string;

/** 9999-12-31T23:59:59.999Z, the last instant that is accepted (D13). */
export const LAST_EPOCH_MS = 253_402_300_799_999;

/** 2^63−1, the highest guild id (D7). */
export const INT64_MAX = "9223372036854775807";

/** The form of a guild id; some ids with 19 digits exceed 2^63−1. */
export const GUILD_ID = /^[1-9][0-9]{0,18}$/;

/** Whether the text is a guild id in canonical form (D7). */
export function isGuildId(text: string): text is GuildId {
  return GUILD_ID.test(text) && (text.length < INT64_MAX.length || text <= INT64_MAX);
}

export const EVENT_ID = /^e[a-v0-9]{25}$/;

/** An event's id or one occurrence's (D12). */
export const EVENT_OR_OCCURRENCE_ID = /^e[a-v0-9]{25}(?:_\d{8}T\d{6}(?:\d{3})?Z)?$/;

/** The id of the event, the occurrence or the digest (D65) of a post. */
export const SUBJECT_ID = /^(?:e[a-v0-9]{25}(?:_[0-9]{8}T[0-9]{6}(?:[0-9]{3})?Z)?|d[0-9a-f]{32}_[0-9]{8})$/;

export const ANNOUNCEMENT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A channel, role or user: 1–20 digits (D7). */
export const SNOWFLAKE = /^[0-9]{1,20}$/;
