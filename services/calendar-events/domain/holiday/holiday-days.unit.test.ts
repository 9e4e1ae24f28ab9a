import { describe, expect, test } from "@jest/globals";
import { sampleOccurrence } from "../../../../test/fixtures/dispatch-samples.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import type { Calendar } from "../calendar/calendar.ts";
import { dateOfDay, dayOfDate } from "../calendar/days.ts";
import { addEntry, coveredDays, dayOfOccurrence, type HolidayEntry, withHolidaysOf } from "./holiday-days.ts";

function calendarIn(timezone: string): Calendar {
  return { guildId: "1" as GuildId, calendarNumber: 2, revision: 1, zoneChanges: [{ version: 1, timezone, since: 0 }] };
}

function entry(from: string, until: string, more: Partial<HolidayEntry> = {}): HolidayEntry {
  return { eventId: "e1", startsAt: Date.parse(from), endsAt: Date.parse(until), ...more };
}

const day = (date: string) => dayOfDate(date);
const christmas = day("2026-12-25");

function datesOf(holiday: HolidayEntry, timezone: string): string[] {
  const { startDay, endDay } = coveredDays(holiday, calendarIn(timezone));
  return [dateOfDay(startDay), dateOfDay(endDay - 1)];
}

describe("the days of holidays (D66)", () => {
  test.each([
    ["2026-12-25T04:59:59Z", "America/New_York", "2026-12-24"],
    ["2026-12-25T05:00:00Z", "America/New_York", "2026-12-25"],
    ["2026-12-24T10:00:00Z", "Pacific/Kiritimati", "2026-12-25"],
  ])("an occurrence at %s in %s is on %s", (at, timezone, date) => {
    const occurrence = sampleOccurrence({ startsAt: Date.parse(at), timezone });
    expect(dateOfDay(dayOfOccurrence(occurrence))).toBe(date);
  });

  test("an all-day occurrence is on its first date", () => {
    const startsAt = Date.parse("2026-12-24T23:00:00Z");
    const days = { allDay: true, startDate: "2026-12-25", endDate: "2026-12-28" } as const;
    expect(dayOfOccurrence(sampleOccurrence({ startsAt, timezone: "UTC", ...days }))).toBe(christmas);
  });

  test("an all-day entry covers its dates in every zone, without its end", () => {
    const days = { allDay: true, startDate: "2026-12-25", endDate: "2026-12-27" } as const;
    const holiday = entry("2026-12-25T00:00:00Z", "2026-12-27T00:00:00Z", days);
    for (const timezone of ["UTC", "Pacific/Kiritimati", "America/New_York"]) {
      expect(datesOf(holiday, timezone)).toEqual(["2026-12-25", "2026-12-26"]);
    }
  });

  test.each([
    ["2026-12-24T23:00:00Z", "2026-12-25T23:00:00Z", ["2026-12-25", "2026-12-25"]],
    ["2026-12-25T10:00:00Z", "2026-12-25T10:00:00Z", ["2026-12-25", "2026-12-25"]],
    ["2026-12-24T22:00:00Z", "2026-12-26T23:00:00.001Z", ["2026-12-24", "2026-12-27"]],
  ])(
    "an entry from %s to %s covers the days of which it has a part on the clock of its calendar",
    (from, until, dates) => {
      expect(datesOf(entry(from, until), "Europe/Berlin")).toEqual(dates);
    },
  );

  test("of several entries the first one by start, then by id, is the holiday of a day", () => {
    const found = new Map<number, HolidayEntry>();
    const wanted = new Set([christmas, christmas + 1]);
    const add = (holiday: HolidayEntry) => addEntry(found, holiday, wanted, coveredDays(holiday, calendarIn("UTC")));
    const second = entry("2026-12-26T00:00:00Z", "2026-12-26T01:00:00Z", { eventId: "e2" });
    add(second);
    add({ ...second, eventId: "e3" });
    expect(found).toEqual(new Map([[christmas + 1, second]]));
    const first = entry("2026-12-25T00:00:00Z", "2026-12-26T00:00:01Z", { eventId: "e9" });
    add(first);
    add(entry("2026-12-27T00:00:00Z", "2026-12-28T00:00:00Z"));
    add(entry("0001-01-01T00:00:00Z", "0001-01-02T00:00:00Z"));
    expect(found).toEqual(new Map([christmas, christmas + 1].map((each) => [each, first])));
    const long = entry("1900-01-01T00:00:00Z", "2100-01-01T00:00:00Z");
    add(long);
    expect(found).toEqual(new Map([christmas, christmas + 1].map((each) => [each, long])));
  });

  test("an occurrence has the holiday of each calendar, but none of its own calendar, and a digest has none", () => {
    const holiday = entry("2026-12-25T00:00:00Z", "2026-12-26T00:00:00Z", { name: "Christmas Day" });
    const calendars = [1, 2, 3].map((calendarNumber) => ({ calendarNumber, days: new Map([[christmas, holiday]]) }));
    const occurrence = sampleOccurrence({ startsAt: Date.parse("2026-12-25T12:00:00Z"), calendarNumber: 2 });
    expect(withHolidaysOf(occurrence, calendars).holidays).toEqual([
      { calendarNumber: 1, name: "Christmas Day" },
      { calendarNumber: 3, name: "Christmas Day" },
    ]);
    expect(withHolidaysOf({ ...occurrence, startsAt: occurrence.startsAt + 86_400_000 }, calendars)).not.toHaveProperty(
      "holidays",
    );
    const digest = { announcementId: "a1" as never, schedule: "" };
    expect(withHolidaysOf({ ...occurrence, digest }, calendars)).not.toHaveProperty("holidays");
  });

  test.each([
    ["x".repeat(100), "x".repeat(100)],
    ["🎄".repeat(101), `${"🎄".repeat(99)}…`],
    [" two\nlines ", "two lines"],
    [" \u200b", undefined],
    [undefined, undefined],
  ])("a name is one line of at most 100 characters: %j", (name, shown) => {
    const holiday = entry("2026-12-25T00:00:00Z", "2026-12-26T00:00:00Z", name === undefined ? {} : { name });
    const occurrence = sampleOccurrence({ startsAt: Date.parse("2026-12-25T12:00:00Z"), calendarNumber: 1 });
    const calendars = [{ calendarNumber: 2, days: new Map([[christmas, holiday]]) }];
    expect(withHolidaysOf(occurrence, calendars).holidays).toStrictEqual([
      shown === undefined ? { calendarNumber: 2 } : { calendarNumber: 2, name: shown },
    ]);
  });
});
