import type { FieldProblem } from "./contract.ts";
import { epochMs, integer, listOf, listOfIntegers, oneOf, optional, text, textOf } from "./field-rules.ts";
import type { EpochMs } from "./ids.ts";

export const FREQUENCIES = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** Weekdays by the names of RFC 5545, in the order of its default week. */
export const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A recurrence rule in RFC 5545's terms (section 3.3.10), with the exceptions and additions of its series (D15, D45). */
export interface Recurrence {
  readonly frequency: Frequency;
  /** Number of occurrences, the first included; −1 for no end. */
  readonly count: number;
  /** Every how many days, weeks, months or years; 1 … 1000. */
  readonly interval: number;
  /** BYDAY: weekdays; in a MONTHLY or YEARLY rule also the nth of the month or year, `2TU` or `-1FR`. */
  readonly byDay?: readonly string[];
  /** BYMONTHDAY: 1 … 31, or −31 … −1 counted from the end of the month. */
  readonly byMonthDay?: readonly number[];
  /** BYMONTH: 1 … 12. */
  readonly byMonth?: readonly number[];
  /** BYSETPOS: which of the dates of each period; negative from its end. */
  readonly bySetPos?: readonly number[];
  /** UNTIL: no occurrence of the rule has a later original start; to the second, as RFC 5545 counts. */
  readonly until?: EpochMs;
  /** WKST: the first day of a week; MO where it is absent. */
  readonly weekStart?: Weekday;
  /** EXDATE: original starts at which nothing occurs; in order. */
  readonly exDates?: readonly EpochMs[];
  /** RDATE: further starts beside those of the rule; in order. */
  readonly rDates?: readonly EpochMs[];
}

/** A recurrence as the API shows it: one that has more than frequency, count and interval also has its RRULE text. */
export interface RecurrenceView extends Recurrence {
  readonly rrule?: string;
}

/** The highest count of a recurrence (D15). */
const MAX_OCCURRENCES = 10_000;

/** The most exceptions and additions of a series (D45); occurrences that are cancelled by their ids are beside these. */
const MAX_DATES = 100;

/** The longest RRULE text (D45). */
const LONGEST_RRULE = 500;

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
    bySetPos: optional(listOfIntegers({ ...integer(-366, 366), notEqual: 0 }, 50)),
    until: optional(epochMs),
    weekStart: optional(oneOf(WEEKDAYS)),
    exDates: optional(listOfIntegers(epochMs, MAX_DATES)),
    rDates: optional(listOfIntegers(epochMs, MAX_DATES)),
    rrule: optional(text(LONGEST_RRULE)),
  },
};

const { rrule: _, ...memberRules } = recurrenceRules.props satisfies Record<keyof RecurrenceView, unknown>;

/** The members of a recurrence, without its text. */
export const RECURRENCE_MEMBERS = Object.keys(memberRules) as (keyof Recurrence)[];

/** A recurrence in a request: a frequency, an RRULE text, or both if they agree. */
export type RecurrenceInput = Partial<RecurrenceView>;

/** A recurrence that is given needs a frequency, or a text that has one (D45). */
export function frequencyMissing(recurrence: unknown): FieldProblem[] {
  if (typeof recurrence !== "object" || recurrence === null || Array.isArray(recurrence)) return [];
  const { frequency, rrule } = recurrence as Record<string, unknown>;
  if (frequency !== undefined || rrule !== undefined) return [];
  return [{ field: "recurrence.frequency", code: "REQUIRED", message: "is required" }];
}
