import { describe, expect, test } from "@jest/globals";
import { addDays, addMonths, datesOfView, startOfWeek, stepOfView, weekdayOf } from "./civil-date.js";

describe("the dates of a view", () => {
  test("a month has whole weeks, with the days of other months around it", () => {
    const dates = datesOfView("month", "2026-11-25", 1);
    expect([dates[0], dates.at(-1), dates.length]).toEqual(["2026-10-26", "2026-12-06", 42]);
    expect(datesOfView("month", "2027-02-10", 1)).toHaveLength(28);
  });

  test("a week begins with the first weekday of the reader's region", () => {
    expect(datesOfView("week", "2026-11-25", 1)[0]).toBe("2026-11-23");
    expect(datesOfView("week", "2026-11-25", 7)[0]).toBe("2026-11-22");
    expect(startOfWeek("2026-11-22", 7)).toBe("2026-11-22");
  });

  test("every date of a year is in the month view of its month", () => {
    for (let date = "2028-01-01"; date < "2029-01-01"; date = addDays(date, 1)) {
      const dates = datesOfView("month", date, 7);
      expect(dates).toContain(date);
      expect(dates.length % 7).toBe(0);
      expect(weekdayOf(dates[0]!)).toBe(7);
    }
  });

  test("a month earlier or later is the same day, or the last one of a shorter month", () => {
    expect(addMonths("2026-01-31", 1)).toBe("2026-02-28");
    expect(addMonths("2028-03-31", -1)).toBe("2028-02-29");
    expect([stepOfView("month", "2026-12-15", 1), stepOfView("week", "2026-12-28", 1)]).toEqual([
      "2027-01-15",
      "2027-01-04",
    ]);
    expect(stepOfView("agenda", "2026-01-31", -1)).toBe("2026-01-01");
  });
});
