import { OFFSET_ANCHORS, type OffsetAnchor } from "./announcement-offsets.ts";
import { type Digest, type DigestRule, digestRuleRule, type OccurrenceDigest } from "./announcement-digests.ts";
import { type Color, COLORS, type EventTexts, MAX_ENTRIES } from "./calendar-events.contract.ts";
import { action, type Changed } from "./contract.ts";
import type { AllDayFields } from "./event-times.ts";
import { dateText, flag, guildId, integer, oneOf, optional, reference } from "./field-rules.ts";
import { type Holiday, holidaysOfRule } from "./holidays.ts";
import type { AnnouncementId, DateText, EpochMs, EventId, GuildId, OccurrenceId } from "./ids.ts";
import type { Window } from "./window.ts";

/**
 * An occurrence with the data that dispatch needs to plan and render posts. A single event has one occurrence. The digest of a
 * date is one, too: it starts when it is due, and ends with the days that it lists (D65).
 */
export interface Occurrence extends EventTexts, AllDayFields, Changed {
  readonly occurrenceId: OccurrenceId;
  readonly eventId: EventId;
  /** The series from which its series was split: their announcements cover it, too (D51). */
  readonly follows?: readonly EventId[];
  readonly calendarNumber: number;
  /** Only with texts. */
  readonly calendarName?: string;
  /** Its number in its series, from 1, up to 10 000; only with texts (D61). */
  readonly occurrenceNumber?: number;
  /** IANA name of the calendar's time zone (D22). */
  readonly timezone: string;
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
  readonly color: Color;
  /** Whether it belongs to a series. */
  readonly recurs: boolean;
  /** Whether it is the first occurrence of its series, to which SPECIFIC refers (D24); true for a single event. */
  readonly isFirst: boolean;
  /** Time at which it got its current start: created, moved, or its rule changed (D31). Database time. */
  readonly scheduledAt: EpochMs;
  /** Time at which it got its current end, if that was later than `scheduledAt` (D54). Database time. */
  readonly endSetAt?: EpochMs;
  /** Time at which it got its current color (D31). Database time. */
  readonly coloredAt: EpochMs;
  /**
   * Time at which its event was created (D54). Absent for an occurrence of a series but the first, for a series that was split
   * from another one, and in copies that a previous release has stored.
   */
  readonly createdAt?: EpochMs;
  /**
   * Time at which it got its present times by a change of its event (D69). Of a series only in the occurrence that stands for
   * the change. Database time.
   */
  readonly rescheduledAt?: EpochMs;
  /** The instant before which its event, and its calendar, skip posts; absent if they were never paused (D62). */
  readonly eventPausedUntil?: EpochMs;
  readonly calendarPausedUntil?: EpochMs;
  /** The holidays of its day, of the calendars for which it was read (`holidaysOf`); absent without any (D66). */
  readonly holidays?: readonly Holiday[];
  /** For a former occurrence: time of the change that ended it. Database time. */
  readonly until?: EpochMs;
  /** Only of a digest, which is no event. */
  readonly digest?: OccurrenceDigest;
}

/** Windows of dispatch reach beyond the range of event times. */
const instant = integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

export interface OccurrencesStartingParams {
  readonly guildId: GuildId;
  /** In any order; at most 1000. */
  readonly windows: readonly Window[];
  /** The instant that is in one of the windows: the start by default, the end, or the creation (`createdAt`). */
  readonly anchor?: OffsetAnchor;
  /** Largest number of occurrences in the result, 1 … 10 000. */
  readonly limit: number;
  /** Whether the occurrences have texts; true by default. */
  readonly texts?: boolean;
  /** Restricts the result to these occurrences. */
  readonly only?: OnlyOccurrences;
  /** Omits occurrences that got their start and their color before this time; with another anchor than START also their end. */
  readonly changedSince?: EpochMs;
  /**
   * If set, `former` has the occurrences of events before their last move, change of color or removal, if that was later than
   * this time: without texts, at most 1000, those of the latest changes. A removed event is known for 7 days. Of the changed
   * occurrences of a series `former` has the first 100.
   */
  readonly formerAfter?: EpochMs;
  /** The digests that are due in a window are among the occurrences; only with the anchor START (D65). */
  readonly digests?: DueDigests;
  /** Numbers of calendars whose entries are the `holidays` of the occurrences (D66). */
  readonly holidaysOf?: readonly number[];
}

/** The digests of some announcements in a window. */
export interface DueDigests {
  /** Current and former rules. */
  readonly rules: readonly DigestRule[];
  readonly window: Window;
}

/** Selects occurrences by color, or by event or series and those that follow it (D51). */
export interface OnlyOccurrences {
  readonly color?: Color;
  readonly eventId?: EventId;
}

export interface OccurrencesStarting {
  readonly occurrences: Occurrence[];
  readonly truncated: boolean;
  readonly former?: Occurrence[];
}

/** The rule of a window. */
export const windowRule = {
  type: "object",
  strict: true,
  props: { from: instant, until: instant } satisfies Record<keyof Window, unknown>,
} as const;

/** The rule of `OnlyOccurrences`. */
export const onlyRule = {
  type: "object",
  strict: true,
  props: { color: optional(oneOf(COLORS)), eventId: optional(reference) },
} as const;

/** The rule of `DueDigests`. A guild has at most 1000 announcements, and as many former rules. */
export const dueDigestsRule = {
  type: "object",
  strict: true,
  props: { rules: { type: "array", max: 2000, items: digestRuleRule }, window: windowRule },
} as const;

/** For dispatch: lists the occurrences in all calendars of the guild that start, or have another anchor, in one of the windows. */
export const listOccurrencesStarting = action<OccurrencesStartingParams, OccurrencesStarting>({
  name: "calendar-events.listOccurrencesStarting",
  keys: "none",
  params: {
    guildId,
    windows: { type: "array", max: 1000, items: windowRule },
    anchor: optional(oneOf(OFFSET_ANCHORS)),
    limit: integer(1, MAX_ENTRIES),
    texts: optional(flag),
    only: optional(onlyRule),
    changedSince: optional(instant),
    formerAfter: optional(instant),
    digests: optional(dueDigestsRule),
    holidaysOf: holidaysOfRule,
  },
  idempotent: true,
});

export interface GetOccurrenceParams extends Pick<OccurrencesStartingParams, "guildId" | "holidaysOf"> {
  readonly occurrenceId: OccurrenceId;
}

/** For dispatch, at the due instant: the current state of an occurrence; null if it does not exist any more. */
export const getOccurrence = action<GetOccurrenceParams, Occurrence | null>({
  name: "calendar-events.getOccurrence",
  keys: "none",
  params: { guildId, occurrenceId: reference, holidaysOf: holidaysOfRule },
  idempotent: true,
});

export interface ReadDigestParams {
  readonly guildId: GuildId;
  readonly announcementId: AnnouncementId;
  readonly digest: DigestRule["digest"] & Pick<Digest, "color">;
  /** The date on the clock of the calendar. */
  readonly date: DateText;
}

/** The params for the digest of a date; undefined if the announcement is no digest. */
export function digestParams(
  { id, guildId: ofGuild, digest: given }: { id: AnnouncementId; guildId: GuildId; digest?: Digest },
  date: DateText,
): ReadDigestParams | undefined {
  if (given === undefined) return undefined;
  const { emptyText: _, ...rule } = given;
  return { guildId: ofGuild, announcementId: id, digest: rule, date };
}

const { announcementId, digest } = digestRuleRule.props;

/**
 * For dispatch, at the due instant: the digest of a date with its entries; null if the digest is not posted on this date, or if the
 * guild may not have the calendar.
 */
export const readDigest = action<ReadDigestParams, Occurrence | null>({
  name: "calendar-events.readDigest",
  keys: "none",
  params: {
    guildId,
    announcementId,
    digest: { ...digest, props: { ...digest.props, color: optional(oneOf(COLORS)) } },
    date: dateText,
  },
  idempotent: true,
});
