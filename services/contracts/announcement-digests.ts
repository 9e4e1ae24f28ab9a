import { COLORS, type Color } from "./calendar-events.contract.ts";
import type { FieldProblem } from "./field-problem.ts";
import type { AllDayFields } from "./event-times.ts";
import { integer, oneOf, optional, text, textOf } from "./field-rules.ts";
import { ANNOUNCEMENT_ID, type AnnouncementId, type DateText, type EpochMs, type OccurrenceId } from "./ids.ts";
import { type Weekday, WEEKDAYS } from "./recurrence.ts";

export const DIGEST_FREQUENCIES = ["DAILY", "WEEKLY"] as const;
export type DigestFrequency = (typeof DIGEST_FREQUENCIES)[number];

/** The list that an announcement of the type DIGEST posts, and its schedule (D65). */
export interface Digest {
  readonly calendarNumber: number;
  readonly frequency: DigestFrequency;
  /** The day of a weekly digest. */
  readonly weekday?: Weekday;
  /** `HH:MM` on the clock of the calendar. */
  readonly time: string;
  /** Number of days that it lists, from its own instant on. */
  readonly days: number;
  /** Lists the events of this color alone, where `NONE` means events without a color. */
  readonly color?: Color;
  /** Posted if there is nothing to list. Without it, nothing is posted. */
  readonly emptyText?: string;
}

/** A digest in a request. */
export type GivenDigest = Omit<Digest, "days"> & { readonly days?: number };

/** Days of a digest in a request without `days`. */
const DEFAULT_DAYS: Readonly<Record<DigestFrequency, number>> = { DAILY: 1, WEEKLY: 7 };
const MAX_DIGEST_DAYS = 31;
const MAX_EMPTY_TEXT = 256;

const TIME = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/;
const calendarNumber = integer(1, 2_147_483_647);

/** The members by which the instants of a digest are computed. */
const scheduleRules = {
  calendarNumber,
  frequency: oneOf(DIGEST_FREQUENCIES),
  weekday: optional(oneOf(WEEKDAYS)),
  time: textOf("a time of day from 00:00 to 23:59", TIME, 5),
};

/** The rule of the field `digest`. */
export const digestRule = {
  type: "object",
  strict: true,
  props: {
    ...scheduleRules,
    days: optional(integer(1, MAX_DIGEST_DAYS)),
    color: optional(oneOf(COLORS)),
    emptyText: optional(text(MAX_EMPTY_TEXT)),
  } satisfies Record<keyof Digest, unknown>,
};

/** The stored form: an empty text is none. The check of params adds members that are undefined. */
export function completeDigest({ calendarNumber: number, frequency, time, ...given }: GivenDigest): Digest {
  const { weekday, days = DEFAULT_DAYS[frequency], color, emptyText = "" } = given;
  return {
    calendarNumber: number,
    frequency,
    ...(weekday === undefined ? {} : { weekday }),
    time,
    days,
    ...(color === undefined ? {} : { color }),
    ...(emptyText === "" ? {} : { emptyText }),
  };
}

interface DigestFields {
  readonly type?: unknown;
  readonly digest?: unknown;
  readonly hours?: unknown;
  readonly minutes?: unknown;
  readonly offsets?: unknown;
  readonly template?: unknown;
  readonly skipOn?: unknown;
  readonly infoOnly?: unknown;
  readonly onChange?: unknown;
  readonly cleanUp?: unknown;
}

/**
 * The problems of a digest, and of fields that it has no use for. The hours and minutes of a response, which are 0, can be sent
 * back (D65).
 */
export function digestProblems({ type, digest, ...others }: DigestFields): FieldProblem[] {
  if (type !== "DIGEST") return digest === undefined ? [] : [onlyForDigests()];
  const problems: FieldProblem[] = digest === undefined ? [missing("digest", "when the type is DIGEST")] : [];
  for (const field of ["hours", "minutes"] as const) {
    if (others[field] !== undefined && others[field] !== 0) problems.push(unusable(field, "must be 0 or absent"));
  }
  for (const field of ["offsets", "template", "skipOn", "cleanUp"] as const) {
    if (others[field] !== undefined && others[field] !== null) problems.push(unusable(field, "must be absent"));
  }
  if (others.infoOnly === true) problems.push(unusable("infoOnly", "must be false or absent"));
  if (others.onChange === "EDIT") problems.push(unusable("onChange", "must be KEEP or absent"));
  return [...problems, ...weekdayProblems(digest)];
}

function weekdayProblems(digest: unknown): FieldProblem[] {
  const { frequency, weekday } = Object(digest) as Partial<Record<keyof Digest, unknown>>;
  const field = "digest.weekday";
  if (frequency === "WEEKLY" && weekday === undefined) return [missing(field, "when the frequency is WEEKLY")];
  if (frequency !== "DAILY" || weekday === undefined) return [];
  return [{ field, code: "CONFLICTING", message: "must be absent when the frequency is DAILY" }];
}

function missing(field: string, when: string): FieldProblem {
  return { field, code: "REQUIRED", message: `is required ${when}` };
}

function unusable(field: string, rule: string): FieldProblem {
  return { field, code: "CONFLICTING", message: `${rule} when the type is DIGEST` };
}

function onlyForDigests(): FieldProblem {
  return { field: "digest", code: "CONFLICTING", message: "must be absent unless the type is DIGEST" };
}

/** The part of a digest that decides its instants. A digest with another schedule starts again (D31). */
export type DigestSchedule = Pick<Digest, "calendarNumber" | "frequency" | "weekday" | "time">;

/** A schedule as text, equal for equal schedules. */
export function scheduleText({ calendarNumber: number, frequency, weekday, time }: DigestSchedule): string {
  return `${number} ${frequency} ${weekday ?? ""} ${time}`;
}

/** The digest of an announcement, without its texts. */
export interface DigestRule {
  readonly announcementId: AnnouncementId;
  readonly digest: DigestSchedule & Pick<Digest, "days">;
}

/** The rule of `DigestRule`. */
export const digestRuleRule = {
  type: "object",
  strict: true,
  props: {
    announcementId: textOf("an announcement's id", ANNOUNCEMENT_ID, 36),
    digest: { type: "object", strict: true, props: { ...scheduleRules, days: integer(1, MAX_DIGEST_DAYS) } },
  },
} as const;

/** The announcements of the type DIGEST among some, without their texts. */
export function digestRules(
  announcements: readonly { readonly id: AnnouncementId; readonly enabled: boolean; readonly digest?: Digest }[],
): DigestRule[] {
  return announcements.flatMap(({ id: announcementId, enabled, digest }) =>
    enabled && digest !== undefined ? { announcementId, digest: ruleOf(digest) } : [],
  );
}

function ruleOf({ calendarNumber: number, frequency, weekday, time, days }: Digest): DigestRule["digest"] {
  return { calendarNumber: number, frequency, ...(weekday === undefined ? {} : { weekday }), time, days };
}

/** The id of the digest of one date: the announcement, and the date of the calendar. No event has such an id. */
export function digestId(announcementId: AnnouncementId, date: DateText): OccurrenceId {
  return `d${announcementId.replaceAll("-", "")}_${date.replaceAll("-", "")}` as OccurrenceId;
}

const DIGEST_ID = /^d[0-9a-z]+_([0-9]{4})([0-9]{2})([0-9]{2})$/;

/** The date of a digest; undefined for the id of an event or an occurrence. */
export function dateOfDigest(id: string): DateText | undefined {
  const parts = DIGEST_ID.exec(id);
  return parts === null ? undefined : parts.slice(1).join("-");
}

/** An event in a digest. */
export interface DigestEntry extends AllDayFields {
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
  readonly name?: string;
  readonly location?: string;
}

/** Largest number of entries that a digest counts; fewer are shown. */
export const MAX_DIGEST_ENTRIES = 100;

/** The digest that an occurrence stands for. */
export interface OccurrenceDigest {
  readonly announcementId: AnnouncementId;
  /** As `scheduleText`: the schedule that it was computed by. */
  readonly schedule: string;
  /** The first entries, by start; absent in plans, which do not read them. */
  readonly entries?: readonly DigestEntry[];
  /** Whether there are more entries. */
  readonly hasMore?: true;
}
