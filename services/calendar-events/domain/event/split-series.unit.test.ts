import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyByRuleSeries } from "../../../../test/calendar/any-rule.ts";
import { anyTimedSeries } from "../../../../test/calendar/any-timed-rule.ts";
import { anySeries, type AnySeries, DAY, zone, ZONES } from "../../../../test/calendar/any-series.ts";
import { sampleCalendar, sampleId } from "../../../../test/fixtures/feed-samples.ts";
import { isRefusal, type Refusal } from "../../../contracts/errors.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import type { Calendar } from "../calendar/calendar.ts";
import { wallOfDay } from "../calendar/days.ts";
import { localToInstant } from "../calendar/local-to-instant.ts";
import { occurrencesStarting, type RuleOccurrence } from "../recurrence/occurrences.ts";
import { newRecurring, seriesRefusal } from "../recurrence/recurring.ts";
import { hasTimes } from "../recurrence/times-of-day.ts";
import { type CalendarEvent, seriesOf, type StoredEvent } from "./event.ts";
import { endRefusal, seriesBefore, splitSeries } from "./split-series.ts";

/** Number of occurrences of a series that are compared. */
const COMPARED = 90;

/** A series in a calendar whose zone may change, with an occurrence before which it is split. */
interface AnySplit {
  readonly event: StoredEvent;
  readonly calendar: Calendar;
  readonly place: number;
}

const anySplit: fc.Arbitrary<AnySplit> = fc
  .record({
    any: fc.oneof(anySeries, anyByRuleSeries, anyTimedSeries),
    isAllDay: fc.boolean(),
    place: fc.integer({ min: 1, max: 40 }),
    nextZone: fc.option(fc.record({ timezone: fc.constantFrom(...ZONES), days: fc.integer({ min: -9, max: 900 }) })),
    exceptions: fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 4 }),
    additions: fc.uniqueArray(fc.integer({ min: 1, max: 900 }), { maxLength: 3 }),
    until: fc.option(fc.integer({ min: 1, max: 50 })),
  })
  .map(({ any, isAllDay, place, nextZone, exceptions, additions, until }) => {
    const { startsAt } = any.series;
    const zones = [{ version: 1, timezone: any.zone.name, since: 0 }];
    if (nextZone !== null) {
      zones.push({ version: 2, timezone: nextZone.timezone, since: startsAt + nextZone.days * DAY });
    }
    const calendar = { ...sampleCalendar(), zoneChanges: zones };
    const isDated = isAllDay && !hasTimes(any.series.recurrence);
    const plain = seriesWith(any, isDated, any.series.recurrence);
    const starts = occurrencesOf(plain, calendar).map(({ original }) => original);
    const end = any.series.recurrence.count === -1 && until !== null ? starts[until] : undefined;
    const exDates = exceptions.flatMap((at) => starts[at] ?? []).toSorted((one, other) => one - other);
    const rDates = additions.map((day) => additionAt(plain, day)).toSorted((one, other) => one - other);
    const event = seriesWith(any, isDated, {
      ...any.series.recurrence,
      ...(exDates.length > 0 && { exDates }),
      ...(rDates.length > 0 && { rDates }),
      ...(end !== undefined && { until: end }),
    });
    return { event, calendar, place };
  });

/** A start that the rule may or may not have. */
function additionAt({ startsAt, allDay }: StoredEvent, day: number): number {
  if (allDay === undefined) return startsAt + day * DAY;
  return localToInstant(wallOfDay({ startDay: allDay.startDay + day }), zone(allDay.anchor.timezone));
}

function seriesWith(
  { series, wall, zone: { name } }: AnySeries,
  isAllDay: boolean,
  recurrence: Recurrence,
): StoredEvent {
  const { startsAt, endsAt } = series;
  const anchor = { timezone: name, version: 1 };
  const startDay = Math.floor(wall / DAY);
  const allDay = { startDay, endDay: startDay + 1 + Math.floor((endsAt - startsAt) / DAY), anchor };
  const start = isAllDay ? { startsAt, allDay } : { startsAt };
  const single = { id: sampleId(1), guildId: sampleCalendar().guildId, calendarNumber: 1, color: "NONE" } as const;
  const stored = { ...single, revision: 1, endsAt, scheduledAt: 5, coloredAt: 6, ...start };
  return { ...stored, recurring: newRecurring(recurrence, anchor, start) };
}

function occurrencesOf(event: CalendarEvent, calendar: Calendar, limit = COMPARED): RuleOccurrence[] {
  const series = seriesOf(event, calendar);
  return series === undefined ? [] : occurrencesStarting(series, { from: 0, until: Infinity }, limit);
}

function timesOf({ original, startsAt, endsAt }: RuleOccurrence) {
  return { original, startsAt, endsAt };
}

function isOfRule(event: StoredEvent, calendar: Calendar, original: number): boolean {
  const { rDates: _, ...recurrence } = event.recurring?.recurrence ?? { frequency: "DAILY", count: 1, interval: 1 };
  const rule = { ...event, recurring: newRecurring(recurrence, anchorIn(event), event) };
  return occurrencesOf(rule, calendar, 1_000).some((each) => each.original === original);
}

function anchorIn({ recurring }: StoredEvent) {
  if (recurring === undefined) throw new Error("no series");
  return recurring.anchor;
}

function accepted<Value extends object>(value: Value | Refusal): Value {
  if (isRefusal(value)) throw new Error(JSON.stringify(value));
  return value;
}

describe("a series that is split before an occurrence (D51)", () => {
  test("has in both parts together its occurrences, at the same times and original starts", () => {
    let compared = 0;
    fc.assert(
      fc.property(anySplit, ({ event, calendar, place }) => {
        const whole = occurrencesOf(event, calendar);
        const at = whole[place];
        fc.pre(at !== undefined && at.original > event.startsAt && isOfRule(event, calendar, at.original));
        if (at === undefined) return;
        const split = splitSeries(event, at.original, sampleId(2), calendar);
        fc.pre(!isRefusal(split) || !(event.recurring && hasTimes(event.recurring.recurrence)));
        const { before, following } = accepted(split);
        const earlier = occurrencesOf(before, calendar).map(timesOf);
        const later = occurrencesOf(following, calendar, COMPARED - earlier.length).map(timesOf);
        expect([...earlier, ...later]).toEqual(whole.map(timesOf));
        expect(earlier.every(({ original }) => original < at.original)).toBe(true);
        expect(later[0]).toEqual(timesOf(at));
        const parts = [before, following].filter(({ recurring }) => recurring?.recurrence.exDates === undefined);
        expect(parts.flatMap((part) => seriesRefusal(part, calendar, "recurrence") ?? [])).toEqual([]);
        expect(seriesBefore(event, at.original, calendar)).toEqual(before);
        compared += 1;
      }),
      { numRuns: 300 },
    );
    expect(compared).toBe(300);
  }, 120_000);

  test("is refused at an occurrence that a clock change moves past another one, and at the next one is not", () => {
    const timezone = "America/New_York";
    const calendar = { ...sampleCalendar(), zoneChanges: [{ version: 1, timezone, since: 0 }] };
    const wall = Date.parse("2024-03-09T02:30Z");
    const startsAt = localToInstant(wall, zone(timezone));
    const recurrence = { frequency: "DAILY", count: -1, interval: 1, byHour: [2, 3], byMinute: [15, 30] } as const;
    const clock = [{ zone: zone(timezone), since: 0 }] as const;
    const any = { series: { startsAt, endsAt: startsAt, recurrence, clock }, wall, zone: zone(timezone) };
    const event = seriesWith(any, false, recurrence);
    // On the day of the change 02:15 and 02:30 move to 03:15 and 03:30, at which the rule has dates, too.
    const originals = occurrencesOf(event, calendar).map(({ original }) => original);
    const first = Date.parse("2024-03-10T07:15Z");
    expect(originals.slice(3, 6)).toEqual([first, first + 15 * 60_000, Date.parse("2024-03-11T06:15Z")]);
    const refused = originals.slice(2, 6).map((original) => {
      const split = splitSeries(event, original, sampleId(2), calendar);
      expect(endRefusal(event, original, calendar)).toEqual(isRefusal(split) ? split : undefined);
      return isRefusal(split) && split.problems?.map(({ field, code }) => `${field} ${code}`);
    });
    expect(refused).toEqual([false, false, ["eventId CONFLICTING"], false]);
  });

  test("divides its count, and has a count of one where a part has one date", () => {
    const [any] = fc.sample(anySeries, { numRuns: 1, seed: 1 });
    if (any === undefined) throw new Error("no series");
    const calendar = { ...sampleCalendar(), zoneChanges: [{ version: 1, timezone: any.zone.name, since: 0 }] };
    const event = seriesWith(any, false, { frequency: "DAILY", count: 5, interval: 1 });
    const starts = occurrencesOf(event, calendar).map(({ original }) => original);
    const countsAt = (place: number) => {
      const split = accepted(splitSeries(event, starts[place] ?? 0, sampleId(2), calendar));
      return [split.before, split.following].map(({ recurring }) => recurring?.recurrence.count);
    };
    expect([1, 3, 4].map(countsAt)).toEqual([
      [1, 4],
      [3, 2],
      [4, 1],
    ]);
    const endless = seriesWith(any, false, { frequency: "DAILY", count: -1, interval: 1, until: starts[2] ?? 0 });
    const { before, following } = accepted(splitSeries(endless, starts[1] ?? 0, sampleId(2), calendar));
    expect(before.recurring?.recurrence).toEqual({ frequency: "DAILY", count: 1, interval: 1 });
    expect(following.recurring?.recurrence).toMatchObject({ count: -1, until: starts[2] });
  });

  test("keeps the wall time of its rule if the occurrence is in the gap of a clock change", () => {
    const berlin = zone("Europe/Berlin");
    const startsAt = Date.parse("2026-03-27T01:30Z");
    const calendar = { ...sampleCalendar(), zoneChanges: [{ version: 1, timezone: "Europe/Berlin", since: 0 }] };
    const clock = [{ zone: berlin, since: 0 }] as const;
    const recurrence = { frequency: "DAILY", count: -1, interval: 1 } as const;
    const any = {
      series: { startsAt, endsAt: startsAt + 1, recurrence, clock },
      wall: startsAt + 3_600_000,
      zone: berlin,
    };
    const event = seriesWith(any, false, recurrence);
    const inGap = occurrencesOf(event, calendar)[2]?.original ?? 0;
    const { following } = accepted(splitSeries(event, inGap, sampleId(2), calendar));
    expect(occurrencesOf(following, calendar, 2).map(({ startsAt: at }) => new Date(at).toISOString())).toEqual([
      "2026-03-29T01:30:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ]);
    expect(new Date(following.startsAt).toISOString()).toBe("2026-03-29T01:30:00.000Z");
  });

  test("has its pause in both parts (D63)", () => {
    const [any] = fc.sample(anySeries, { numRuns: 1, seed: 1 });
    if (any === undefined) throw new Error("no series");
    const calendar = { ...sampleCalendar(), zoneChanges: [{ version: 1, timezone: any.zone.name, since: 0 }] };
    const event = seriesWith(any, false, { frequency: "DAILY", count: 5, interval: 1 });
    const paused = { ...event, pausedUntil: 9, pauseEndedAt: 8 };
    const second = occurrencesOf(event, calendar)[1]?.original ?? 0;
    const { before, following } = accepted(splitSeries(paused, second, sampleId(2), calendar));
    for (const part of [before, following]) expect(part).toMatchObject({ pausedUntil: 9, pauseEndedAt: 8 });
  });

  test("names each series that it follows, up to 25, and refuses an added date", () => {
    const [any] = fc.sample(anySeries, { numRuns: 1, seed: 1 });
    if (any === undefined) throw new Error("no series");
    const calendar = { ...sampleCalendar(), zoneChanges: [{ version: 1, timezone: any.zone.name, since: 0 }] };
    const added = any.series.startsAt + DAY / 2;
    const event = seriesWith(any, false, { frequency: "DAILY", count: -1, interval: 1, rDates: [added] });
    const daily = occurrencesOf(event, calendar).filter(({ original }) => original !== added);
    const split = accepted(splitSeries(event, daily[1]?.original ?? 0, sampleId(2), calendar));
    expect(split.following.follows).toEqual([event.id]);
    expect(splitSeries(event, added, sampleId(2), calendar)).toMatchObject({ problems: [{ field: "eventId" }] });
    const often = { ...event, follows: Array.from({ length: 25 }, (_, at) => sampleId(at + 10)) };
    const refused = splitSeries(often, daily[1]?.original ?? 0, sampleId(2), calendar);
    expect(refused).toMatchObject({ problems: [{ field: "scope", code: "TOO_MANY" }] });
  });
});
