import type { FieldProblem } from "../../../contracts/field-problem.ts";
import { MAX_TIMES_OF_DAY, type Recurrence } from "../../../contracts/recurrence.ts";
import { readByDay } from "./by-rule-parts.ts";
import { hasTimes } from "./times-of-day.ts";

/** Returns a problem for each part that RFC 5545 (section 3.3.10) forbids in combination with others. */
export function ruleProblems(recurrence: Recurrence): FieldProblem[] {
  const { frequency, count, until, byDay, byMonthDay, byMonth, bySetPos } = recurrence;
  const problems = [...byDayProblems(recurrence), ...timeProblems(recurrence)];
  if (until !== undefined && count !== -1) {
    problems.push({
      field: "recurrence.until",
      code: "CONFLICTING",
      message: "must not be given together with a count",
    });
  }
  if (byMonthDay !== undefined && frequency === "WEEKLY") {
    problems.push({ field: "recurrence.byMonthDay", code: "NOT_ALLOWED", message: "must not be in a WEEKLY rule" });
  }
  if (bySetPos !== undefined && (byDay ?? byMonthDay ?? byMonth) === undefined && !hasTimes(recurrence)) {
    const message = "must be given together with weekdays, days of the month, months or times of day";
    problems.push({ field: "recurrence.bySetPos", code: "CONFLICTING", message });
  }
  return problems;
}

/** Largest number of times that a weekday occurs in a month. */
const MAX_IN_MONTH = 5;

function byDayProblems({ frequency, byDay = [], byMonth }: Recurrence): FieldProblem[] {
  const isOfYear = frequency === "YEARLY" && byMonth === undefined;
  return byDay.flatMap((entry, at): FieldProblem[] => {
    const { nth } = readByDay(entry);
    const field = `recurrence.byDay[${at}]`;
    if (nth !== 0 && (frequency === "DAILY" || frequency === "WEEKLY")) {
      return [{ field, code: "NOT_ALLOWED", message: `must have no number in a ${frequency} rule` }];
    }
    if (Math.abs(nth) > MAX_IN_MONTH && !isOfYear) {
      return [{ field, code: "OUT_OF_RANGE", message: "must have a number from 1 to 5 or -5 to -1 within a month" }];
    }
    return [];
  });
}

/** The problem of too many times of day. It names the member with the most entries. */
function timeProblems({ byHour = [], byMinute = [], bySecond = [] }: Recurrence): FieldProblem[] {
  const sizes = Object.entries({ byHour, byMinute, bySecond }).map(
    ([member, entries]) => [member, Math.max(1, new Set<number>(entries).size)] as const,
  );
  const times = sizes.reduce((product, [, size]) => product * size, 1);
  if (times <= MAX_TIMES_OF_DAY) return [];
  const [[member]] = sizes.toSorted(([, one], [, other]) => other - one) as [(typeof sizes)[number]];
  const message = `must choose at most ${MAX_TIMES_OF_DAY} times of day together with the other parts, but they are ${times}`;
  return [{ field: `recurrence.${member}`, code: "TOO_MANY", message }];
}
