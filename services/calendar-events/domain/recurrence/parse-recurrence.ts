import { complete } from "../../../../mixins/objects/complete.ts";
import { definedFields, unlessEmpty } from "../../../../mixins/objects/defined-fields.ts";
import type { FieldProblem } from "../../../contracts/field-problem.ts";
import { refuse, type Refusal } from "../../../contracts/errors.ts";
import {
  type Recurrence,
  RECURRENCE_DEFAULTS,
  RECURRENCE_MEMBERS,
  type RecurrenceInput,
  type RecurrenceView,
} from "../../../contracts/recurrence.ts";
import { readByDay, writeByDay } from "./by-rule-parts.ts";
import { RRULE_PARTS, type RuleInput, type RuleMember, readRrule, rruleProblem, writeRrule } from "./rrule-text.ts";
import { ruleProblems } from "./rule-checks.ts";
import type { Zone } from "../calendar/zone.ts";

/** Parses a recurrence from its members, an RRULE text, or both if they agree (D15, D45). */
export function parseRecurrence(given: RecurrenceInput, zone: Zone): Recurrence | Refusal {
  // The check of params sets absent members to undefined.
  const { rrule, ...members } = definedFields(given);
  const read = rrule === undefined ? {} : readRrule(rrule, zone);
  if (Array.isArray(read)) return refuse("INVALID_REQUEST", read);
  const recurrence = { ...read, ...members };
  const problems = [
    ...(rrule === undefined ? [] : conflictsWith(read, members)),
    ...ruleProblems(withDefaults(recurrence)).map((problem) => (rrule === undefined ? problem : inRrule(problem))),
  ];
  return problems.length === 0 ? fullRecurrence(recurrence) : refuse("INVALID_REQUEST", problems);
}

/** One problem for each member that contradicts the text. */
function conflictsWith(read: RuleInput, members: RecurrenceInput): FieldProblem[] {
  const [fromText, fromMembers] = [fullRecurrence(read), fullRecurrence(members)];
  const given = (Object.keys(RRULE_PARTS) as RuleMember[]).filter((member) => members[member] !== undefined);
  return given
    .filter((member) => !agrees(member, fromMembers, fromText))
    .map((member) => ({
      field: `recurrence.${member}`,
      code: "CONFLICTING",
      message: `must say the same as ${RRULE_PARTS[member]} in the rrule`,
    }));
}

/** Converts the problem of a member to a problem of the text that contains it. */
function inRrule({ field, code, message }: FieldProblem): FieldProblem {
  const member = (/^recurrence\.([A-Za-z]+)/.exec(field)?.[1] ?? "") as RuleMember;
  return rruleProblem(code, `has a ${RRULE_PARTS[member]} that ${message}`);
}

/** Compares UNTIL in seconds: the text has no milliseconds. */
function agrees(member: RuleMember, a: Recurrence, b: Recurrence): boolean {
  const of = (recurrence: Recurrence) =>
    member === "until" ? Math.floor((recurrence.until ?? -1) / 1000) : JSON.stringify(recurrence[member]);
  return of(a) === of(b);
}

function withDefaults(given: RuleInput): Recurrence {
  // Each recurrence has a frequency: the contract requires it without a text, and `readRrule` requires it in a text.
  return { ...RECURRENCE_DEFAULTS, frequency: "DAILY", ...given };
}

/** Adds the defaults, sorts each list without duplicates, and removes empty lists. */
export function fullRecurrence(given: RecurrenceInput): Recurrence {
  const { frequency, count, interval, until, weekStart, ...lists } = withDefaults(given);
  return complete<Recurrence>()({
    frequency,
    count,
    interval,
    ...definedFields({
      byDay: unlessEmpty(canonicalByDay(lists.byDay)),
      byMonthDay: unlessEmpty(inOrder(lists.byMonthDay)),
      byMonth: unlessEmpty(inOrder(lists.byMonth)),
      byHour: unlessEmpty(inOrder(lists.byHour)),
      byMinute: unlessEmpty(inOrder(lists.byMinute)),
      bySecond: unlessEmpty(inOrder(lists.bySecond)),
      bySetPos: unlessEmpty(inOrder(lists.bySetPos)),
      until,
      weekStart,
      exDates: unlessEmpty(inOrder(lists.exDates)),
      rDates: unlessEmpty(inOrder(lists.rDates)),
    }),
  });
}

function inOrder(numbers: readonly number[] = []): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** Sorts by number, then by weekday. */
function canonicalByDay(entries: readonly string[] = []): string[] {
  const days = entries.map(readByDay).sort((a, b) => a.nth - b.nth || a.weekday - b.weekday);
  return [...new Set(days.map(writeByDay))];
}

/** Whether two recurrences are equal in every member. */
export function sameRecurrence(a: Recurrence | undefined, b: Recurrence | undefined): boolean {
  return RECURRENCE_MEMBERS.every((member) => JSON.stringify(a?.[member]) === JSON.stringify(b?.[member]));
}

/** Frequency, count and interval. A rule with nothing else is shown without an RRULE text (D45). */
const SIMPLE_MEMBERS = 3;

/** The occurrences of a series in a list share one view. */
const views = new WeakMap<Recurrence, RecurrenceView>();

/** The view of a recurrence in the API. */
export function recurrenceView(recurrence: Recurrence): RecurrenceView {
  if (Object.keys(recurrence).length <= SIMPLE_MEMBERS) return recurrence;
  const known = views.get(recurrence);
  if (known !== undefined) return known;
  const view = { ...recurrence, rrule: writeRrule(recurrence) };
  views.set(recurrence, view);
  return view;
}
