import type { FieldProblem, FieldProblemCode } from "../../../contracts/field-problem.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import {
  FREQUENCIES,
  type Recurrence,
  RECURRENCE_DEFAULTS,
  type RecurrenceInput,
  recurrenceRules,
  WEEKDAYS,
} from "../../../contracts/recurrence.ts";
import { civilOfDays, DAY_MS, daysOfCivil } from "./civil-days.ts";
import { localToInstant } from "../calendar/local-to-instant.ts";
import type { Zone } from "../calendar/zone.ts";

/**
 * The members of a recurrence that an RRULE text contains, with the names of their parts, in the order of the text.
 */
export const RRULE_PARTS = {
  frequency: "FREQ",
  interval: "INTERVAL",
  count: "COUNT",
  until: "UNTIL",
  byMonth: "BYMONTH",
  byMonthDay: "BYMONTHDAY",
  byDay: "BYDAY",
  byHour: "BYHOUR",
  byMinute: "BYMINUTE",
  bySecond: "BYSECOND",
  bySetPos: "BYSETPOS",
  weekStart: "WKST",
} as const satisfies Partial<Record<keyof Recurrence, string>>;
export type RuleMember = keyof typeof RRULE_PARTS;

const MEMBER_OF = new Map(Object.entries(RRULE_PARTS).map(([member, part]) => [part as string, member as RuleMember]));

/** Parts of RFC 5545 and RFC 7529 that are refused by name (D45). */
const NOT_SUPPORTED: ReadonlySet<string> = new Set(["BYYEARDAY", "BYWEEKNO", "RSCALE", "SKIP"]);

/** The members of a rule. */
export type RuleInput = Pick<RecurrenceInput, RuleMember>;

/**
 * Formats a recurrence as an RRULE value, without EXDATEs and RDATEs.
 *
 * @param untilText - Formats UNTIL, by default in UTC.
 */
export function writeRrule(recurrence: Recurrence, untilText: (until: EpochMs) => string = writeUntil): string {
  const members = Object.keys(RRULE_PARTS) as RuleMember[];
  const parts = members.flatMap((member) => {
    const value = recurrence[member];
    if (value === undefined || (member in RECURRENCE_DEFAULTS && value === RECURRENCE_DEFAULTS[member as "count"])) {
      return [];
    }
    return [`${RRULE_PARTS[member]}=${member === "until" ? untilText(value as EpochMs) : String(value)}`];
  });
  return parts.join(";");
}

/** 2024-05-06T12:00:00.000Z becomes 20240506T120000Z. */
function writeUntil(until: EpochMs): string {
  return `${new Date(until).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

/**
 * Parses an RRULE value, with or without the prefix `RRULE:`. Returns a problem for each invalid part. UNTIL may be
 * an instant in UTC, a wall time in the zone, or a date, which means its last second there.
 */
export function readRrule(text: string, zone: Zone): RuleInput | FieldProblem[] {
  const members: Record<string, unknown> = {};
  const problems: FieldProblem[] = [];
  const parts = text
    .trim()
    .replace(/^RRULE:/i, "")
    .split(";")
    .map((part) => part.split("="));
  for (const [given = "", value, ...more] of parts) {
    const name = given.toUpperCase();
    const member = MEMBER_OF.get(name);
    if (member === undefined || value === undefined || more.length > 0) problems.push(unknownPart(name));
    else if (members[member] !== undefined) problems.push(rruleProblem("CONFLICTING", `has ${name} twice`));
    else {
      const read = READERS[member](value.toUpperCase(), zone);
      if (read instanceof Problem) problems.push(rruleProblem(read.code, `has a ${name} that ${read.message}`));
      else members[member] = read;
    }
  }
  if (problems.length === 0 && members["frequency"] === undefined) {
    problems.push(rruleProblem("REQUIRED", "must have a FREQ"));
  }
  return problems.length > 0 ? problems : members;
}

/** A problem of the text as a whole or of one of its parts. */
export function rruleProblem(code: FieldProblemCode, message: string): FieldProblem {
  return { field: "recurrence.rrule", code, message };
}

/** Largest number of characters of an unknown name in a message. */
const MAX_SHOWN_NAME = 20;

function unknownPart(name: string): FieldProblem {
  if (NOT_SUPPORTED.has(name)) return rruleProblem("NOT_ALLOWED", `must not have ${name}, which is not supported`);
  const parts = Object.values(RRULE_PARTS).join(", ");
  const shown = /^[A-Z-]+$/.test(name) ? `has ${name.slice(0, MAX_SHOWN_NAME)}, and` : "is not of that form:";
  return rruleProblem("MALFORMED", `${shown} its parts are NAME=value, separated by semicolons, of ${parts}`);
}

class Problem {
  readonly code: FieldProblemCode;
  readonly message: string;
  constructor(code: FieldProblemCode, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** Parses the value of a part, in upper case. */
type Reader = (value: string, zone: Zone) => unknown;

/** The part of a member's contract rule that applies to a text. */
interface PartRule {
  readonly min?: number;
  readonly max?: number;
  readonly notEqual?: number;
  /** The rule of the entries of a list. */
  readonly item?: PartRule;
  readonly form?: { readonly hint: string; readonly matches: (text: string) => boolean };
}

const rules = recurrenceRules.props as Readonly<Record<RuleMember, PartRule>>;

const READERS: Readonly<Record<RuleMember, Reader>> = {
  frequency: oneOf(FREQUENCIES),
  interval: (value) => readInteger(value, rules.interval),
  count: (value) => readInteger(value, { ...rules.count, min: 1 }),
  until: readUntil,
  byMonth: (value) => readIntegers(value, rules.byMonth),
  byMonthDay: (value) => readIntegers(value, rules.byMonthDay),
  byDay: (value) => readByDays(value, rules.byDay),
  byHour: (value) => readIntegers(value, rules.byHour),
  byMinute: (value) => readIntegers(value, rules.byMinute),
  bySecond: (value) => readIntegers(value, rules.bySecond),
  bySetPos: (value) => readIntegers(value, rules.bySetPos),
  weekStart: oneOf(WEEKDAYS),
};

function oneOf(names: readonly string[]): Reader {
  return (value) => (names.includes(value) ? value : new Problem("NOT_ALLOWED", `must be one of ${names.join(", ")}`));
}

function readByDays(value: string, { max = 0, item }: PartRule): string[] | Problem {
  const entries = value.split(",");
  if (entries.length > max) return tooMany(max);
  const form = item?.form;
  return entries.every((entry) => form?.matches(entry))
    ? entries
    : new Problem("MALFORMED", `must be a list, each entry ${form?.hint}`);
}

function readIntegers(value: string, { max = 0, item = {} }: PartRule) {
  const entries = value.split(",");
  if (entries.length > max) return tooMany(max);
  const integers = entries.map((entry) => readInteger(entry, item));
  return integers.find((each) => each instanceof Problem) ?? integers;
}

function tooMany(max: number): Problem {
  return new Problem("TOO_MANY", `must have at most ${max} entries`);
}

function readInteger(text: string, { min = 0, max = 0, notEqual }: PartRule): number | Problem {
  const value = /^[+-]?[0-9]{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max && value !== notEqual) return value;
  const except = notEqual === undefined ? "" : `, and not ${notEqual}`;
  return new Problem("OUT_OF_RANGE", `must be an integer from ${min} to ${max}${except}`);
}

const UNTIL = /^([0-9]{4})([0-9]{2})([0-9]{2})(?:T([0-9]{2})([0-9]{2})([0-9]{2})(Z?))?$/;

function readUntil(value: string, zone: Zone): EpochMs | Problem {
  const [, ...fields] = UNTIL.exec(value) ?? [];
  const [year = 0, month = 0, day = 0, hour = 23, minute = 59, second = 59] = fields
    .slice(0, 6)
    .map((field) => (field === undefined ? undefined : Number(field)));
  const days = daysOfCivil({ year, month, day });
  const date = civilOfDays(days);
  const exists = date.year === year && date.month === month && date.day === day;
  if (!exists || year < 1970 || hour > 23 || minute > 59 || second > 60) {
    return new Problem("MALFORMED", "must be a date or a time since 1970, such as 20300630T215959Z");
  }
  const wall = days * DAY_MS + ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1000;
  return fields[6] === "Z" ? wall : Math.max(0, localToInstant(wall, zone));
}
