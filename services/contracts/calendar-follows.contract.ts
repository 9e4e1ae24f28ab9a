import { calendarNumber, settingsOwnerOfCalendar } from "./calendar-events.contract.ts";
import type { CalendarReference, FollowState } from "./calendars.contract.ts";
import { action } from "./contract.ts";
import { flag, guildId, optional, textOf } from "./field-rules.ts";
import type { EpochMs } from "./ids.ts";

/** Why the last read of an address failed (D55). */
export const FOLLOW_ERRORS = [
  "TARGET_REFUSED",
  "NO_RESPONSE",
  "TIMED_OUT",
  "HTTP_STATUS",
  "TOO_MANY_REDIRECTS",
  "CONTENT_ENCODING",
  "TOO_LARGE",
  "NOT_A_CALENDAR",
  "CALENDAR_NOT_ALLOWED",
  "CALENDAR_BUSY",
  "NOT_COMPLETE",
  "INTERNAL",
] as const;
export type FollowError = (typeof FOLLOW_ERRORS)[number];

/** The VEVENTs of the last calendar that was read, and the events that were deleted with it. */
export interface FollowCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly skipped: number;
}

/** The address that a calendar follows, and the outcome of its reads. */
export interface CalendarFollowView extends FollowCounts {
  /** Absent for a key that may only read: an address is often a secret, such as Google's secret address. */
  readonly url?: string;
  readonly host: string;
  readonly state: FollowState;
  readonly followedAt: EpochMs;
  /** Time of the next read; absent if it is disabled. A read may be a few seconds later. */
  readonly nextReadAt?: EpochMs;
  readonly lastReadAt?: EpochMs;
  /** The last read that succeeded, also if nothing had changed. */
  readonly lastSuccessAt?: EpochMs;
  /** The last read that changed events. */
  readonly lastChangeAt?: EpochMs;
  /** Number of failed reads since the last success. */
  readonly failures: number;
  /** The error of the last read; absent if the read succeeded. */
  readonly error?: FollowError;
  readonly errorMessage?: string;
  readonly disabledAt?: EpochMs;
}

const MAX_URL = 2_048;

/** Stricter than a URL parser, which drops white space. */
const ADDRESS = /^(?:https?|webcal):\/\/[^\s\x00-\x20\x7f/?#\\@]+(?:[/?][\x21-\x22\x24-\x7e]*)?$/;

const url = textOf("an https or webcal URL without user name and fragment", ADDRESS, MAX_URL, (value) =>
  URL.canParse(value.replace(/^webcal:/, "https:")),
);

export interface FollowCalendarParams extends CalendarReference {
  readonly url: string;
  /** Required for a calendar with events: those that the address does not have are deleted. */
  readonly replace?: boolean;
}

/** Makes a calendar follow an address: the calendar becomes read-only, and the first read of the address is due at once. */
export const followCalendar = action<FollowCalendarParams, void>({
  name: "calendar-events.followCalendar",
  keys: "guild write",
  refusals: ["CALENDAR_NOT_FOUND", "CALENDAR_NOT_EMPTY"],
  params: { guildId, calendarNumber, url, replace: optional(flag) },
  dependsOn: settingsOwnerOfCalendar,
  idempotent: true,
});

/** Ends the following. The events of the calendar stay, and may be changed. */
export const unfollowCalendar = action<CalendarReference, void>({
  name: "calendar-events.unfollowCalendar",
  keys: "guild write",
  refusals: ["CALENDAR_NOT_FOUND", "FOLLOW_NOT_FOUND"],
  params: { guildId, calendarNumber },
  dependsOn: settingsOwnerOfCalendar,
  idempotent: true,
});

export const getCalendarFollow = action<CalendarReference, CalendarFollowView>({
  name: "calendar-events.getCalendarFollow",
  keys: "guild read",
  refusals: ["CALENDAR_NOT_FOUND", "FOLLOW_NOT_FOUND"],
  params: { guildId, calendarNumber },
  dependsOn: settingsOwnerOfCalendar,
  idempotent: true,
});
