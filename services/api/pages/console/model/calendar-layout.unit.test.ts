import { describe, expect, test } from "@jest/globals";
import { columnsOf, entriesByDate, placeOf } from "./calendar-layout.js";
import { datesOfView } from "./civil-date.js";
import type { Entry } from "./types.ts";

const BERLIN = "Europe/Berlin";
const WEEK = datesOfView("week", "2026-11-25", 1);

function entry(id: string, start: string, end: string, more: Partial<Entry> = {}): Entry {
  const times = { epoch_start: Date.parse(start), epoch_end: Date.parse(end) };
  return { event_id: id, calendar_number: 1, is_parent: false, color: "NONE", recur: false, ...times, ...more };
}

describe("the entries of each day", () => {
  test("an event is on the days of the wall clock of the shown zone", () => {
    const late = entry("late", "2026-11-25T23:30:00Z", "2026-11-26T00:30:00Z");
    expect(entriesByDate([late], WEEK, BERLIN).get("2026-11-26")).toHaveLength(1);
    expect(entriesByDate([late], WEEK, BERLIN).get("2026-11-25")).toEqual([]);
    expect(entriesByDate([late], WEEK, "UTC").get("2026-11-25")).toMatchObject([{ from: 1410, to: 1440 }]);
    expect(entriesByDate([late], WEEK, "UTC").get("2026-11-26")).toMatchObject([{ from: 0, to: 30, begins: false }]);
  });

  test("an event that ends at midnight is not on the next day", () => {
    const evening = entry("evening", "2026-11-25T20:00:00Z", "2026-11-26T00:00:00Z");
    expect(placeOf(evening, "UTC")).toEqual({ first: "2026-11-25", last: "2026-11-25", from: 1200, to: 1440 });
  });

  test("an all-day event has its dates in every zone, and the last one is included", () => {
    const dates = { all_day: true, start_date: "2026-11-24", end_date: "2026-11-26" } as const;
    const jam = entry("jam", "2026-11-23T23:00:00Z", "2026-11-25T23:00:00Z", dates);
    for (const zone of ["Pacific/Kiritimati", "Pacific/Niue"]) {
      const days = [...entriesByDate([jam], WEEK, zone)].filter(([, entries]) => entries.length > 0);
      expect(days.map(([date]) => date)).toEqual(["2026-11-24", "2026-11-25"]);
    }
  });

  test("an event that began before the view and ends after it covers all of its days", () => {
    const long = entry("long", "2026-01-01T10:00:00Z", "2027-01-01T10:00:00Z");
    const days = [...entriesByDate([long], WEEK, "UTC").values()];
    expect(days.every(([only]) => only?.isAllDay === true && !only.begins)).toBe(true);
  });

  test("entries of the whole day are first, then the earliest", () => {
    const [early, late] = [
      entry("a", "2026-11-25T08:00:00Z", "2026-11-25T09:00:00Z"),
      entry("b", "2026-11-25T18:00:00Z", "2026-11-25T19:00:00Z"),
    ];
    const whole = entry("c", "2026-11-25T00:00:00Z", "2026-11-26T00:00:00Z", {
      all_day: true,
      start_date: "2026-11-25",
      end_date: "2026-11-26",
    });
    const day = entriesByDate([late, whole, early], WEEK, "UTC").get("2026-11-25")!;
    expect(day.map(({ entry: { event_id } }) => event_id)).toEqual(["c", "a", "b"]);
  });
});

describe("the columns of a day", () => {
  const day = (...times: readonly (readonly [from: string, to: string])[]) =>
    entriesByDate(
      times.map(([from, to], index) => entry(String(index), `2026-11-25T${from}:00Z`, `2026-11-25T${to}:00Z`)),
      WEEK,
      "UTC",
    ).get("2026-11-25")!;

  test("overlapping entries are side by side, and a free column is used again", () => {
    const placed = columnsOf(day(["10:00", "12:00"], ["10:30", "11:00"], ["11:00", "12:00"], ["13:00", "14:00"]));
    expect(placed.map(({ column, columns }) => [column, columns])).toEqual([
      [0, 2],
      [1, 2],
      [1, 2],
      [0, 1],
    ]);
  });

  test("no two entries of a column overlap, also very short ones, which are shown longer", () => {
    const placed = columnsOf(day(["10:00", "10:00"], ["10:05", "10:10"], ["10:20", "10:25"], ["10:30", "10:35"]));
    expect(placed.map(({ column }) => column)).toEqual([0, 1, 2, 0]);
  });
});
