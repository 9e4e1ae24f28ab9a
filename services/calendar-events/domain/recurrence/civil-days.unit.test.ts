import { describe, expect, test } from "@jest/globals";
import { civilOfDays, daysInMonth, daysOfCivil } from "./civil-days.ts";

const DAY = 86_400_000;

describe("dates", () => {
  test("every day from 1900 to 2500, and every 97th until 9999, converts to the date of Date and back", () => {
    const last = Date.UTC(9999, 11, 31) / DAY;
    for (let days = Date.UTC(1900, 0, 1) / DAY; days <= last; days += days < 193_000 ? 1 : 97) {
      const date = new Date(days * DAY);
      const civil = civilOfDays(days);
      if (civil.day !== date.getUTCDate() || civil.month !== date.getUTCMonth() + 1) throw new Error(String(days));
      if (civil.year !== date.getUTCFullYear() || daysOfCivil(civil) !== days) throw new Error(String(days));
    }
    expect(civilOfDays(last)).toEqual({ year: 9999, month: 12, day: 31 });
  });

  test("February has 29 days only in leap years", () => {
    const lengths = [1900, 2000, 2023, 2024, 2100].map((year) => daysInMonth(year, 2));
    expect(lengths).toEqual([28, 29, 28, 29, 28]);
  });
});
