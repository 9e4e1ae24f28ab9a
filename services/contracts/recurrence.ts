import type { FieldProblem } from "./field-problem.ts";
import { epochMs, integer, listOf, listOfIntegers, oneOf, optional, text, textOf } from "./field-rules.ts";
import type { EpochMs } from "./ids.ts";

export const FREQUENCIES = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** Weekdays in the names of RFC 5545, in the order of its default week. */
export const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A recurrence rule of RFC 5545 (section 3.3.10), with the exceptions and additions of the series (D15, D45). */
export interface Recurrence {
  readonly frequency: Frequency;
  /** Number of occurrences, the first included; −1 for no end. */
  readonly count: number;
  /** Number of days, weeks, months or years between periods; 1 … 1000. */
  readonly interval: number;
  /** BYDAY: weekdays; in a MONTHLY or YEARLY rule also the nth of the month or year, `2TU` or `-1FR`. */
  readonly byDay?: readonly string[];
  /** BYMONTHDAY: 1 … 31, or −31 … −1 counted from the end of the month. */
  readonly byMonthDay?: readonly number[];
  /** BYMONTH: 1 … 12. */
  readonly byMonth?: readonly number[];
  /** BYHOUR: 0 … 23. Each date has every combination of hour, minute and second; an absent part has that of the start. */
  readonly byHour?: readonly number[];
  /** BYMINUTE: 0 … 59. */
  readonly byMinute?: readonly number[];
  /** BYSECOND: 0 … 59. */
  readonly bySecond?: readonly number[];
  /** BYSETPOS: positions in the dates of each period; negative from its end. */
  readonly bySetPos?: readonly number[];
  /** UNTIL: the latest original start of an occurrence of the rule; compared in seconds, as in RFC 5545. */
  readonly until?: EpochMs;
  /** WKST: the first day of the week; MO if absent. */
  readonly weekStart?: Weekday;
  /** EXDATE: original starts of cancelled occurrences; in order. */
  readonly exDates?: readonly EpochMs[];
  /** RDATE: additional starts; in order. */
  readonly rDates?: readonly EpochMs[];
}

/** A recurrence in a response. If it has more than frequency, count and interval, it also has its RRULE text. */
export interface RecurrenceView extends Recurrence {
  readonly rrule?: string;
}

/** The highest count of a recurrence (D15). */
export const MAX_OCCURRENCES = 10_000;

/** Exceptions, and additions, of a series (D45), not counting occurrences that are cancelled by their ids. */
export const MAX_RULE_DATES = 100;

/** Largest number of times of day of a rule: its hours times its minutes times its seconds (D45). */
export const MAX_TIMES_OF_DAY = 24;

/** Largest number of characters of an RRULE text (D45). */
const MAX_RRULE_LENGTH = 500;

/** Defaults of a recurrence, on create and on update (D15). */
export const RECURRENCE_DEFAULTS = { count: -1, interval: 1 } as const satisfies Partial<Recurrence>;

const byDayEntry = textOf(
  "a weekday (MO, TU, WE, TH, FR, SA, SU), with a number from 1 to 53 or -53 to -1 before it in a MONTHLY or YEARLY rule",
  /^(?:[+-]?0?[1-9]|[+-]?[1-4][0-9]|[+-]?5[0-3])?(?:MO|TU|WE|TH|FR|SA|SU)$/,
  5,
);

export const recurrenceRules = {
  type: "object",
  strict: true,
  props: {
    frequency: optional(oneOf(FREQUENCIES)),
    count: optional({ ...integer(-1, MAX_OCCURRENCES), notEqual: 0 }, RECURRENCE_DEFAULTS.count),
    interval: optional(integer(1, 1000), RECURRENCE_DEFAULTS.interval),
    byDay: optional(listOf(byDayEntry, 50)),
    byMonthDay: optional(listOfIntegers({ ...integer(-31, 31), notEqual: 0 }, 62)),
    byMonth: optional(listOfIntegers(integer(1, 12), 12)),
    byHour: optional(listOfIntegers(integer(0, 23), 24)),
    byMinute: optional(listOfIntegers(integer(0, 59), 60)),
    bySecond: optional(listOfIntegers(integer(0, 59), 60)),
    bySetPos: optional(listOfIntegers({ ...integer(-366, 366), notEqual: 0 }, 50)),
    until: optional(epochMs),
    weekStart: optional(oneOf(WEEKDAYS)),
    exDates: optional(listOfIntegers(epochMs, MAX_RULE_DATES)),
    rDates: optional(listOfIntegers(epochMs, MAX_RULE_DATES)),
    rrule: optional(text(MAX_RRULE_LENGTH)),
  },
};

const { rrule: _, ...memberRules } = recurrenceRules.props satisfies Record<keyof RecurrenceView, unknown>;

/** The members of a recurrence without its RRULE text. */
export const RECURRENCE_MEMBERS = Object.keys(memberRules) as (keyof Recurrence)[];

/** A recurrence in a request: a frequency, an RRULE text, or both if they agree. */
export type RecurrenceInput = Partial<RecurrenceView>;

/** The problem of a recurrence without a frequency and without an RRULE text (D45). */
export function frequencyProblems(recurrence: unknown): FieldProblem[] {
  if (typeof recurrence !== "object" || recurrence === null || Array.isArray(recurrence)) return [];
  const { frequency, rrule } = recurrence as Record<string, unknown>;
  if (frequency !== undefined || rrule !== undefined) return [];
  return [{ field: "recurrence.frequency", code: "REQUIRED", message: "is required" }];
}
