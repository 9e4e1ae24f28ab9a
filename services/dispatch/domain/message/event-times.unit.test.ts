import { describe, expect, test } from "@jest/globals";
import { Settings } from "luxon";
import { ANNOUNCEMENT_WORDS } from "./announcement-words.ts";
import { instantLines, spanLine, type TimeStyle } from "./event-times.ts";

const style: TimeStyle = { words: ANNOUNCEMENT_WORDS.ENGLISH, twelveHour: true, timezone: "Europe/Berlin" };
const evening = Date.UTC(2026, 10, 21, 19, 0);

describe("times as text (D33)", () => {
  test("an instant is told on the calendar's wall and for each reader's own clock", () => {
    expect(instantLines(evening, style)).toBe("Saturday, November 21, 2026, 8:00 PM (Europe/Berlin)\n<t:1795287600:F>");
  });

  test.each([
    [0, "12:00 AM", "00:00"],
    [11, "11:00 AM", "11:00"],
    [12, "12:00 PM", "12:00"],
    [13, "1:00 PM", "13:00"],
    [23, "11:00 PM", "23:00"],
  ])("hour %i is %s or %s", (hour, twelve, twentyFour) => {
    const at = Date.UTC(2026, 0, 1, hour);
    const utc = { ...style, timezone: "UTC" };
    expect(instantLines(at, utc)).toContain(`, ${twelve} (`);
    expect(instantLines(at, { ...utc, twelveHour: false })).toContain(`, ${twentyFour} (`);
  });

  test("a span on one day has its date once", () => {
    expect(spanLine(evening, evening + 3_600_000, style)).toBe(
      "Saturday, November 21, 2026, 8:00 PM – 9:00 PM (Europe/Berlin) · <t:1795287600:F> – <t:1795291200:F>",
    );
  });

  test("a span over midnight of the calendar's zone has both dates", () => {
    expect(spanLine(evening, evening + 4 * 3_600_000, style)).toContain(
      "8:00 PM – Sunday, November 22, 2026, 12:00 AM",
    );
  });

  test("an instant has no end", () => {
    expect(spanLine(evening, evening, style)).not.toContain("–");
  });

  test("seconds are rounded down, so that nothing is shown as later than it is", () => {
    expect(instantLines(evening + 999, style)).toContain("<t:1795287600:F>");
  });

  test("the wall shows the summer and the winter time of its zone", () => {
    expect(instantLines(Date.UTC(2026, 6, 1, 18), style)).toContain("8:00 PM");
    expect(instantLines(Date.UTC(2026, 11, 1, 19), style)).toContain("8:00 PM");
  });

  test("an unknown zone is read as UTC, and says so", () => {
    expect(instantLines(evening, { ...style, timezone: "Nowhere/At_All" })).toContain("7:00 PM (UTC)");
  });

  test("the zone and language of the process change nothing", () => {
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
