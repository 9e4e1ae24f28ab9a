import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { clockMinutes, clockText, instantOf, isKnownZone, wallTime } from "./zoned-time.js";

const BERLIN = "Europe/Berlin";

describe("wall-clock times of a zone", () => {
  test.each(["UTC", BERLIN, "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Kiritimati"])(
    "every hour of a year has its wall time, and most wall times their instant (%s)",
    (zone) => {
      const repeated: number[] = [];
      const wrong: number[] = [];
      for (let instant = Date.UTC(2026, 0, 1); instant < Date.UTC(2027, 0, 1); instant += 3_600_000) {
        const shown = wallTime(instant, zone);
        const found = instantOf(shown.date, shown.minutes, zone);
        // The second one of two equal wall times belongs to the first instant.
        if (found !== instant) repeated.push(instant);
        if (!isDeepStrictEqual(wallTime(found, zone), shown)) wrong.push(instant);
      }
      expect(wrong).toEqual([]);
      expect(repeated.length).toBeLessThan(2);
    },
  );

  test("a time that the clock change skips moves forward by the gap", () => {
    expect(new Date(instantOf("2027-03-28", 150, BERLIN)).toISOString()).toBe("2027-03-28T01:30:00.000Z");
    expect(wallTime(instantOf("2027-03-28", 150, BERLIN), BERLIN)).toEqual({ date: "2027-03-28", minutes: 210 });
  });

  test("of a time that comes twice the first one is taken", () => {
    expect(new Date(instantOf("2026-10-25", 150, BERLIN)).toISOString()).toBe("2026-10-25T00:30:00.000Z");
  });

  test("minutes beyond the day are on the next one", () => {
    expect(instantOf("2026-11-25", 1440 + 60, BERLIN)).toBe(instantOf("2026-11-26", 60, BERLIN));
  });

  test("the text of an input is a time of day, and any other text is none", () => {
    expect([clockText(0), clockText(1439), clockMinutes("19:05"), clockMinutes("")]).toEqual([
      "00:00",
      "23:59",
      1145,
      Number.NaN,
    ]);
  });

  test("a zone that the runtime does not know is no zone", () => {
    expect([isKnownZone(BERLIN), isKnownZone("Mars/Olympus")]).toEqual([true, false]);
  });
});
