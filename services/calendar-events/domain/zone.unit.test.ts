import { afterEach, describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { DAY, zone, ZONES } from "../../../test/calendar/any-series.ts";
import { instantToLocal } from "./local-to-instant.ts";
import { occurrencesStarting } from "./occurrences.ts";

const MORE_ZONES = ["Africa/Cairo", "Asia/Gaza", "America/Santiago", "Antarctica/Troll", "Europe/Dublin", "Asia/Tokyo"];
const LAST = Date.UTC(9999, 11, 30);

/** What ICU itself says that the clock shows, to the minute. */
function shownByIcu(name: string, at: number): string {
  const parts = new Intl.DateTimeFormat("sv-SE", { timeZone: name, dateStyle: "short", timeStyle: "short" });
  return parts.format(at);
}

afterEach(() => void jest.restoreAllMocks());

describe("a zone in the far future", () => {
  test("has its clock changes when ICU has them", () => {
    const anyDay = fc.integer({ min: Date.UTC(2125, 0, 1) / DAY, max: Math.floor(LAST / DAY) });
    const anyZone = fc.constantFrom(...ZONES, ...MORE_ZONES);
    fc.assert(
      fc.property(anyZone, anyDay, fc.integer({ min: 0, max: 47 }), (name, day, half) => {
        const at = day * DAY + (half * DAY) / 48;
        const shown = new Date(instantToLocal(at, zone(name))).toISOString().replace("T", " ").slice(0, 16);
        expect(shown).toBe(shownByIcu(name, at));
      }),
      { numRuns: 5_000 },
    );
  });

  test("is read for a few decades alone: a yearly series until the year 9999 asks ICU no more than one of a century", () => {
    const icu: { readonly format: unknown } = Intl.DateTimeFormat.prototype;
    const format = jest.spyOn(icu, "format", "get");
    const startsAt = Date.UTC(2030, 5, 1);
    const recurrence = { frequency: "YEARLY", interval: 1, count: -1 } as const;
    const series = {
      startsAt,
      endsAt: startsAt + 1,
      recurrence,
      clock: [{ zone: zone("America/Halifax"), since: 0 }] as const,
    };
    const asks = (until: number) => {
      const before = format.mock.calls.length;
      const { length } = occurrencesStarting(series, { from: startsAt, until }, 10_000);
      return { length, asked: format.mock.calls.length - before };
    };
    const century = asks(Date.UTC(2132, 0, 1));
    expect(century.asked).toBeGreaterThan(1_000);
    const all = asks(LAST);
    expect(all.length).toBe(9_999 - 2_030 + 1);
    expect(all.asked).toBeLessThan(century.asked);
  });
});
