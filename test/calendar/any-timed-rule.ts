import fc from "fast-check";
import { localToInstant } from "../../services/calendar-events/domain/calendar/local-to-instant.ts";
import { fullRecurrence } from "../../services/calendar-events/domain/recurrence/parse-recurrence.ts";
import { datesOf, isDateOfRule } from "../../services/calendar-events/domain/recurrence/rule-dates.ts";
import { ruleProblems } from "../../services/calendar-events/domain/recurrence/rule-checks.ts";
import { FREQUENCIES, type Recurrence, WEEKDAYS } from "../../services/contracts/recurrence.ts";
import { anyByDay, signed, someOf, sometimes, withoutAbsent } from "./any-rule.ts";
import {
  type AnySeries,
  anyWallStart,
  anyWindow,
  DAY,
  MINUTE,
  type SeriesAndWindow,
  zone,
  ZONES,
} from "./any-series.ts";

/** Hours at which clocks change are frequent. */
const anyHour = fc.oneof(fc.constantFrom(0, 1, 2, 3, 4, 23), fc.nat(23));
const anyMinute = fc.oneof(fc.constantFrom(0, 15, 30, 45), fc.nat(59));

/** A rule with times of day, with or without other BYxxx parts. */
const anyTimedRule: fc.Arbitrary<Recurrence> = fc
  .record({
    frequency: fc.constantFrom(...FREQUENCIES),
    interval: fc.oneof(fc.constant(1), fc.constant(1), fc.integer({ min: 1, max: 9 })),
    count: fc.oneof(fc.constant(-1), fc.integer({ min: 2, max: 60 })),
    byDay: fc.oneof(fc.constant(undefined), someOf(fc.constantFrom<string>(...WEEKDAYS), 7), someOf(anyByDay, 3)),
    byMonthDay: fc.oneof(fc.constant(undefined), fc.constant(undefined), someOf(signed(31), 20)),
    byMonth: fc.oneof(fc.constant(undefined), fc.constant(undefined), someOf(fc.integer({ min: 1, max: 12 }), 8)),
    byHour: sometimes(someOf(anyHour, 6)),
    byMinute: sometimes(someOf(anyMinute, 4)),
    bySecond: fc.oneof(fc.constant(undefined), fc.constant(undefined), someOf(fc.nat(59), 2)),
    bySetPos: fc.oneof(fc.constant(undefined), fc.constant(undefined), someOf(fc.oneof(signed(6), signed(60)), 3)),
    weekStart: sometimes(fc.constantFrom(...WEEKDAYS)),
  })
  .map((members) => fullRecurrence(withoutAbsent(members)))
  .filter((rule) => (rule.byHour ?? rule.byMinute ?? rule.bySecond) !== undefined && ruleProblems(rule).length === 0);

const TIMED_ZONES = [...ZONES, "Pacific/Apia", "America/New_York", "Europe/Berlin"];

/** The days before a clock change of the zone. */
const anyDayBeforeChange = (zoneName: string, near: number) =>
  fc.integer({ min: 0, max: 3 }).map((before) => {
    const change = zone(zoneName).spanAround(near).changes[0]?.at ?? near;
    return near - (near % DAY) + Math.floor((change - near) / DAY) * DAY - before * DAY + (near % DAY);
  });

/** A series of such a rule, which often begins shortly before a clock change. Its start is the first date of the rule. */
export const anyTimedSeries: fc.Arbitrary<AnySeries> = fc
  .record({ near: anyWallStart, zoneName: fc.constantFrom(...TIMED_ZONES) })
  .chain(({ near, zoneName }) =>
    fc.record({
      recurrence: anyTimedRule,
      near: fc.oneof(fc.constant(near), anyDayBeforeChange(zoneName, near)),
      zoneName: fc.constant(zoneName),
      minutes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 20_000 })),
      isLater: fc.boolean(),
    }),
  )
  .map(({ recurrence, near, zoneName, minutes, isLater }) => {
    const next = datesOf({ ...recurrence, count: -1 }, near).read(near + 1, near + 20 * 366 * DAY);
    const wall = isDateOfRule(recurrence, near) ? near : (next() ?? near);
    const earlier = localToInstant(wall, zone(zoneName));
    const startsAt = isLater ? laterOf(earlier, wall, zoneName) : earlier;
    const clock = [{ zone: zone(zoneName), since: 0 }] as const;
    const series = { startsAt, endsAt: startsAt + minutes * MINUTE, recurrence, clock };
    return { series, wall, zone: zone(zoneName) };
  })
  .filter((any) => isShown(any) && isDateOfRule(any.series.recurrence, any.wall));

/** The later instant of a wall time that occurs twice. */
function laterOf(earlier: number, wall: number, zoneName: string): number {
  const { changes } = zone(zoneName).spanAround(earlier);
  const later = changes.map(({ after }) => wall - after).find((at) => at > earlier && shownAt(at, zoneName) === wall);
  return later ?? earlier;
}

function shownAt(at: number, zoneName: string): number {
  const { first, changes } = zone(zoneName).spanAround(at);
  return at + (changes.findLast((change) => change.at <= at)?.after ?? first);
}

function isShown({ series, wall, zone: { name } }: AnySeries): boolean {
  return shownAt(series.startsAt, name) === wall && wall >= DAY;
}

/** A series of such a rule, and a window of up to a year. */
export const anyTimedSeriesAndWindow = anyTimedSeries.chain((any) =>
  fc
    .oneof(
      anyWindow(any.series, 300),
      fc.integer({ min: 0, max: 8 * 24 }).map((hours) => {
        const from = any.series.startsAt + hours * 3_600_000;
        return { from, until: from + 2 * DAY };
      }),
    )
    .map((window): SeriesAndWindow => Object.assign({ window }, any)),
);
