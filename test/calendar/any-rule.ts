import fc from "fast-check";
import { localToInstant } from "../../services/calendar-events/domain/calendar/local-to-instant.ts";
import { fullRecurrence } from "../../services/calendar-events/domain/recurrence/parse-recurrence.ts";
import { datesOf, isDateOfRule } from "../../services/calendar-events/domain/recurrence/rule-dates.ts";
import { ruleProblems } from "../../services/calendar-events/domain/recurrence/rule-checks.ts";
import { writeRrule } from "../../services/calendar-events/domain/recurrence/rrule-text.ts";
import { FREQUENCIES, type Recurrence, WEEKDAYS } from "../../services/contracts/recurrence.ts";
import {
  type SeriesAndWindow,
  type AnySeries,
  anyWallStart,
  anyWindow,
  existsOnClock,
  MINUTE,
  zone,
  ZONES,
} from "./any-series.ts";

export const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
export const someOf = <Value>(arbitrary: fc.Arbitrary<Value>, maxLength: number) =>
  fc.uniqueArray(arbitrary, { minLength: 1, maxLength });
export const signed = (most: number) => fc.integer({ min: -most, max: most }).filter((value) => value !== 0);

export const anyByDay = fc
  .record({ nth: fc.oneof(fc.constant(0), signed(5), signed(53)), weekday: fc.constantFrom(...WEEKDAYS) })
  .map(({ nth, weekday }) => `${nth === 0 ? "" : nth}${weekday}`);

/** A rule with BYxxx parts that RFC 5545 allows together. */
const anyByRule: fc.Arbitrary<Recurrence> = fc
  .record({
    frequency: fc.constantFrom(...FREQUENCIES),
    interval: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 60 })),
    count: fc.oneof(fc.constant(-1), fc.integer({ min: 2, max: 60 })),
    byDay: sometimes(fc.oneof(someOf(fc.constantFrom<string>(...WEEKDAYS), 5), someOf(anyByDay, 4))),
    byMonthDay: sometimes(someOf(signed(31), 6)),
    byMonth: sometimes(someOf(fc.integer({ min: 1, max: 12 }), 5)),
    bySetPos: fc.oneof(fc.constant(undefined), fc.constant(undefined), someOf(fc.oneof(signed(3), signed(10)), 3)),
    weekStart: sometimes(fc.constantFrom(...WEEKDAYS)),
  })
  .map((members) => fullRecurrence(withoutAbsent(members)))
  .filter((rule) => (rule.byDay ?? rule.byMonthDay ?? rule.byMonth) !== undefined && ruleProblems(rule).length === 0);

export function withoutAbsent<Members extends object>(members: Members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]: Exclude<Members[Name], undefined>;
  };
}

const TWENTY_YEARS = 20 * 366 * 86_400_000;

/** A series of such a rule. Its start is the first date of the rule from some day on. */
export const anyByRuleSeries: fc.Arbitrary<AnySeries> = fc
  .record({
    recurrence: anyByRule,
    near: anyWallStart,
    zoneName: fc.constantFrom(...ZONES),
    minutes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 100_000 })),
  })
  .map(({ recurrence, near, zoneName, minutes }) => {
    const next = datesOf({ ...recurrence, count: -1 }, near).read(near + 1, near + TWENTY_YEARS);
    const wall = isDateOfRule(recurrence, near) ? near : (next() ?? near);
    const startsAt = localToInstant(wall, zone(zoneName));
    const clock = [{ zone: zone(zoneName), since: 0 }] as const;
    return {
      series: { startsAt, endsAt: startsAt + minutes * MINUTE, recurrence, clock },
      wall,
      zone: zone(zoneName),
    };
  })
  .filter((any) => existsOnClock(any) && isDateOfRule(any.series.recurrence, any.wall));

/** A series of such a rule, and a window. */
export const anyByRuleSeriesAndWindow = anyByRuleSeries.chain((any) =>
  anyWindow(any.series).map((window): SeriesAndWindow => Object.assign({ window }, any)),
);

/** Whether other libraries begin the rule's weeks at the start of the series instead of at WKST. */
export function isSetOfWeeks({ frequency, bySetPos }: Recurrence): boolean {
  return frequency === "WEEKLY" && bySetPos !== undefined;
}

/** A rule with an nth weekday of the year, and other parts or weekdays that choose among the dates or beside them. */
export function isNthOfYearAmongOthers({ frequency, byDay = [], byMonthDay, byMonth, bySetPos }: Recurrence): boolean {
  const numbered = byDay.filter((day) => day.length > 2).length;
  const isAlone = (byMonthDay ?? bySetPos) === undefined && numbered === byDay.length;
  return frequency === "YEARLY" && byMonth === undefined && numbered > 0 && !isAlone;
}

/** The rule of a series as text. */
export function ruleText({ series }: AnySeries): string {
  return writeRrule(series.recurrence);
}
