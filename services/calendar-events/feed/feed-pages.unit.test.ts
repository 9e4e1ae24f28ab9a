import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type FeedContents, feedPagesOf } from "../../../test/doubles/feed-reads.ts";
import { goldenFeed, sampleCalendar, sampleId } from "../../../test/fixtures/feed-samples.ts";
import { anySeries, type AnySeries, DAY, zone, ZONES } from "../../../test/calendar/any-series.ts";
import { startsInFeed } from "../../../test/calendar/read-feed.ts";
import { type Recurrence, WEEKDAYS } from "../../contracts/recurrence.ts";
import { effectiveOccurrence } from "../domain/event/effective-occurrence.ts";
import type { FeedEvent } from "../domain/feed/event-component.ts";
import { eachOccurrenceStarting, type Series } from "../domain/recurrence/occurrences.ts";
import { fullRecurrence } from "../domain/recurrence/parse-recurrence.ts";
import type { Override } from "../domain/event/override.ts";
import { seriesOf } from "../domain/event/event.ts";
import type { Window } from "../../contracts/window.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import { timesInAnchorZone } from "../domain/calendar/days.ts";
import { instantToLocal } from "../domain/calendar/local-to-instant.ts";
import { newRecurring } from "../domain/recurrence/recurring.ts";
import type { Zone } from "../domain/calendar/zone.ts";

const GOLDEN = join(import.meta.dirname, "../domain/feed/golden-feed.ics");
/** A zone whose offset had seconds until 1972. */
const SECONDS = "Africa/Monrovia";
/** Duration of a window. ical.js expands clock changes year by year, so that series begin near the window. */
const YEARS = 5 * 366 * DAY;

describe("a feed", () => {
  test("equals golden-feed.ics", async () => {
    const text = (await feedPagesOf(goldenFeed())).join("");
    if (process.env["GOLDEN"] === "write") writeFileSync(GOLDEN, text);
    expect(readFileSync(GOLDEN, "utf8")).toBe(text);
  });

  /**
   * Near clock changes ical.js differs from RFC 5545, section 3.3.5: it reads a time that does not exist with the offset after
   * the gap, and a time that occurs twice as the later instant. It ignores the seconds of an offset.
   */
  test("has the same instants by ical.js as in the list, in every zone, with changed and cancelled occurrences", async () => {
    await fc.assert(
      fc.asyncProperty(anyFeed, async ({ contents, event, zones, window }) => {
        const text = (await feedPagesOf(contents)).join("");
        const isRegular = (at: number) => !hasChangeNear(at, zones);
        const expected = listedStarts(contents, event, window).filter(isRegular);
        expect(startsInFeed(text, window).filter(isRegular)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  test("has a rule with times of day, an EXDATE at a time that was moved, and the later ones of times that occur twice", async () => {
    const calendar = { ...sampleCalendar(), zoneChanges: [{ version: 1, timezone: "America/New_York", since: 0 }] };
    const textOf = async (startsAt: number, recurrence: Recurrence) => {
      const recurring = newRecurring(recurrence, { timezone: "America/New_York", version: 1 }, { startsAt });
      const times = { startsAt, endsAt: startsAt + 60_000 };
      const event: FeedEvent = { id: sampleId(1), ...times, color: "NONE", revision: 1, changedAt: 1, recurring };
      return (await feedPagesOf({ calendar, events: [event] })).join("");
    };
    const daily = fullRecurrence({ frequency: "DAILY", byHour: [1, 2], byMinute: [15, 30] });
    const gap = await textOf(Date.parse("2024-03-09T06:15Z"), { ...daily, exDates: [Date.parse("2024-03-10T07:30Z")] });
    expect(gap).toContain("RRULE:FREQ=DAILY;BYHOUR=1,2;BYMINUTE=15,30");
    expect(gap).toContain("EXDATE;TZID=America/New_York:20240310T023000");
    const twice = await textOf(Date.parse("2024-11-03T06:15Z"), daily);
    expect(
      [...twice.matchAll(/RECURRENCE-ID;TZID=America\/New_York:(\S+)\r\nDTSTART:(\S+)/g)].map(([, ...at]) => at),
    ).toEqual([
      ["20241103T011500", "20241103T061500Z"],
      ["20241103T013000", "20241103T063000Z"],
    ]);
  });

  test("has the same dates of an all-day series by ical.js as in the list, whatever the zones of the calendar", async () => {
    await fc.assert(
      fc.asyncProperty(anyFeed, fc.integer({ min: 1, max: 3 }), async ({ contents, event, window }, length) => {
        const { event: allDay, calendar } = allDayOf(event, contents.calendar, length);
        const text = (await feedPagesOf({ calendar, events: [allDay] })).join("");
        const series = seriesOf(allDay, calendar);
        if (series === undefined) throw new Error("no series");
        const listed = [...eachOccurrenceStarting(series, { from: 0, until: window.until }, 60)].map(
          ({ wall }) => wall,
        );
        const until = (listed.at(-1) ?? 0) + 1;
        expect(startsInFeed(text, { from: 0, until })).toEqual(listed);
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  test("has the same text in pages of any length", async () => {
    const whole = (await feedPagesOf(goldenFeed())).join("");
    const numbers = [...whole.matchAll(/BEGIN:VEVENT/g)];
    const pages = await feedPagesOf(goldenFeed(), { pageLength: 1 });
    expect(pages.length).toBeGreaterThan(numbers.length);
    expect(pages.join("")).toBe(whole);
    for (const pageLength of [150, 700, 2_000]) {
      expect((await feedPagesOf(goldenFeed(), { pageLength })).join("")).toBe(whole);
    }
  });
});

interface AnyFeed {
  readonly contents: FeedContents;
  readonly event: FeedEvent;
  readonly zones: readonly Zone[];
  readonly window: Window;
}

const anyOverridden = fc.record({
  place: fc.integer({ min: 0, max: 12 }),
  how: fc.constantFrom("cancelled", "moved", "named"),
  by: fc.integer({ min: -3 * DAY, max: 3 * DAY }),
});

const anyFeed: fc.Arbitrary<AnyFeed> = fc
  .record({
    any: anySeries.filter(isReadAlike),
    // A second zone of the calendar, and the number of days until it is set.
    nextZone: fc.option(
      fc.record({
        timezone: fc.constantFrom(...ZONES.filter((name) => name !== SECONDS)),
        days: fc.integer({ min: -40, max: 1_500 }),
      }),
    ),
    byDay: fc.constantFrom("none", "set of weekdays", "nth or last weekday"),
    overridden: fc.uniqueArray(anyOverridden, { maxLength: 4, selector: ({ place }) => place }),
    exceptions: fc.uniqueArray(fc.integer({ min: 13, max: 20 }), { maxLength: 3 }),
  })
  .map(({ any, nextZone, byDay, overridden, exceptions }) => {
    const series = withWeekdays(any, byDay);
    const window = { from: series.startsAt, until: series.startsAt + YEARS };
    const first = [...eachOccurrenceStarting(series, window, 21)].map(({ original }) => original);
    const zones = [{ version: 1, timezone: any.zone.name, since: 0 }];
    if (nextZone !== null)
      zones.push({ version: 2, timezone: nextZone.timezone, since: series.startsAt + nextZone.days * DAY });
    const calendar = { ...sampleCalendar(), zoneChanges: zones };
    const anchor = { timezone: any.zone.name, version: 1 };
    const exDates = exceptions.flatMap((place) => first[place] ?? []);
    const recurrence = { ...series.recurrence, ...(exDates.length > 0 && { exDates }) };
    const hasOverrides = overridden.length > 0;
    const recurring = newRecurring(recurrence, anchor, series, hasOverrides);
    const { startsAt, endsAt } = series;
    const event: FeedEvent = { id: sampleId(1), startsAt, endsAt, color: "NONE", revision: 1, changedAt: 1, recurring };
    const overrides = overridden.flatMap(({ place, how, by }): Override[] => {
      const original = first[place];
      if (original === undefined) return [];
      const untouched = { eventId: event.id, original, cancelled: how === "cancelled", texts: {} };
      if (how === "named") return [{ ...untouched, texts: { name: "Another" } }];
      const start = Math.max(0, Math.floor((original + by) / 1000) * 1000);
      return [how === "moved" ? { ...untouched, moved: { startsAt: start, endsAt: start, anchor } } : untouched];
    });
    return { contents: { calendar, events: [event], overrides }, event, zones: zones.map(zoneIn), window };
  });

/** Whether ical.js expands the rule by RFC 5545. Tests in test/calendar compare other rules with other libraries. */
function isReadAlike({ series, wall, ...on }: AnySeries): boolean {
  const hasSeconds = on.zone.name === SECONDS && wall < Date.UTC(1973, 0, 1);
  const isLeapDay = new Date(wall).toISOString().includes("-02-29");
  return !hasSeconds && (series.recurrence.frequency !== "YEARLY" || (series.recurrence.interval === 1 && !isLeapDay));
}

function withWeekdays({ series, wall }: AnySeries, byDay: string): Series {
  const { frequency } = series.recurrence;
  const weekday = WEEKDAYS[(new Date(wall).getUTCDay() + 6) % 7] ?? "MO";
  const nth = Math.ceil(new Date(wall).getUTCDate() / 7);
  const days =
    frequency === "WEEKLY" && byDay === "set of weekdays"
      ? [...new Set(["MO", weekday, "FR"])]
      : [`${nth === 5 ? -1 : nth}${weekday}`];
  const isTaken = byDay !== "none" && (frequency === "WEEKLY" ? days.length > 1 : frequency === "MONTHLY");
  return isTaken ? { ...series, recurrence: fullRecurrence({ ...series.recurrence, byDay: days }) } : series;
}

function hasChangeNear(at: number, zones: readonly Zone[]): boolean {
  return zones.some((each) => each.spanAround(at).changes.some((change) => Math.abs(change.at - at) < DAY / 4));
}

/** A series of dates with the same rule, without exceptions. */
function allDayOf(event: FeedEvent, calendar: Calendar, length: number): { event: FeedEvent; calendar: Calendar } {
  const { recurring, startsAt: at } = event;
  if (recurring === undefined) throw new Error("no series");
  const { anchor, recurrence } = recurring;
  const startDay = Math.floor(instantToLocal(at, zoneIn(anchor)) / DAY);
  const allDay = { startDay, endDay: startDay + length, anchor };
  const { exDates: _, ...rule } = recurrence;
  const times = timesInAnchorZone(allDay);
  return {
    event: { ...event, ...times, allDay, recurring: newRecurring(rule, anchor, { ...times, allDay }) },
    calendar,
  };
}

function zoneIn({ timezone }: { readonly timezone: string }): Zone {
  return zone(timezone);
}

/** The starts in a window, by the domain. */
function listedStarts({ calendar, overrides = [] }: FeedContents, event: FeedEvent, window: Window): number[] {
  const series = seriesOf(event, calendar);
  if (series === undefined) return [event.startsAt];
  const own = new Map(overrides.map((override) => [override.original, override]));
  const starts: number[] = [];
  for (const occurrence of eachOccurrenceStarting(series, window, Infinity)) {
    const effective = effectiveOccurrence(event, occurrence, own.get(occurrence.original), calendar);
    if (effective !== undefined) starts.push(effective.startsAt);
  }
  return starts.toSorted((one, other) => one - other);
}
