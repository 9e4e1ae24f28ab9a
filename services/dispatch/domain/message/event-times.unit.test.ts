import { describe, expect, test } from "@jest/globals";
import { Settings } from "luxon";
import { ANNOUNCEMENT_WORDS } from "./announcement-words.ts";
import { instantLines, spanLine, type TimeStyle } from "./event-times.ts";

const style: TimeStyle = { words: ANNOUNCEMENT_WORDS.ENGLISH, twelveHour: true, timezone: "Europe/Berlin" };
const evening = Date.UTC(2026, 10, 21, 19, 0);

describe("the times of an event as text (D33)", () => {
  test("show an instant in the calendar's time zone and as a timestamp for each reader", () => {
    expect(instantLines(evening, style)).toBe("Saturday, November 21, 2026, 8:00 PM (Europe/Berlin)\n<t:1795287600:F>");
  });

  test.each([
    [0, "12:00 AM", "00:00"],
    [11, "11:00 AM", "11:00"],
    [12, "12:00 PM", "12:00"],
    [13, "1:00 PM", "13:00"],
    [23, "11:00 PM", "23:00"],
  ])("show hour %i as %s or %s", (hour, twelve, twentyFour) => {
    const at = Date.UTC(2026, 0, 1, hour);
    const utc = { ...style, timezone: "UTC" };
    expect(instantLines(at, utc)).toContain(`, ${twelve} (`);
    expect(instantLines(at, { ...utc, twelveHour: false })).toContain(`, ${twentyFour} (`);
  });

  test("show one date if start and end are on the same day", () => {
    expect(spanLine(evening, evening + 3_600_000, style)).toBe(
      "Saturday, November 21, 2026, 8:00 PM – 9:00 PM (Europe/Berlin) · <t:1795287600:F> – <t:1795291200:F>",
    );
  });

  test("show both dates if midnight of the calendar's zone is between", () => {
    expect(spanLine(evening, evening + 4 * 3_600_000, style)).toContain(
      "8:00 PM – Sunday, November 22, 2026, 12:00 AM",
    );
  });

  test("show no end for an event without length", () => {
    expect(spanLine(evening, evening, style)).not.toContain("–");
  });

  test("are rounded down to seconds", () => {
    expect(instantLines(evening + 999, style)).toContain("<t:1795287600:F>");
  });

  test("follow summer and winter time of the zone", () => {
    expect(instantLines(Date.UTC(2026, 6, 1, 18), style)).toContain("8:00 PM");
    expect(instantLines(Date.UTC(2026, 11, 1, 19), style)).toContain("8:00 PM");
  });

  test("are in UTC, and say so, if the zone is unknown", () => {
    expect(instantLines(evening, { ...style, timezone: "Nowhere/At_All" })).toContain("7:00 PM (UTC)");
  });

  test("do not depend on the zone and language of the process", () => {
    const before = instantLines(evening, style);
    const { defaultZone, defaultLocale, defaultNumberingSystem } = Settings;
    Object.assign(Settings, { defaultZone: "Asia/Tokyo", defaultLocale: "ar", defaultNumberingSystem: "arab" });
    try {
      expect(instantLines(evening, style)).toBe(before);
    } finally {
      Object.assign(Settings, { defaultZone, defaultLocale, defaultNumberingSystem });
    }
  });
});
