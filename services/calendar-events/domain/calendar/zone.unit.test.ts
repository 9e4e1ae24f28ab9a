import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { DAY, zone, ZONES } from "../../../../test/calendar/any-series.ts";
import { instantToLocal } from "./local-to-instant.ts";
import { ianaZone } from "./zone.ts";

const MORE_ZONES = ["Africa/Cairo", "Asia/Gaza", "America/Santiago", "Antarctica/Troll", "Europe/Dublin", "Asia/Tokyo"];
const LAST = Date.UTC(9999, 11, 30);

/** The clock by ICU itself, to the minute. */
function shownByIcu(name: string, at: number): string {
  const parts = new Intl.DateTimeFormat("sv-SE", { timeZone: name, dateStyle: "short", timeStyle: "short" });
  return parts.format(at);
}

describe("a zone", () => {
  test("is the same for all spellings of its name, and undefined for an offset or an unknown name", () => {
    expect(ianaZone("europe/BERLIN")).toBe(zone("Europe/Berlin"));
    expect(ianaZone("Etc/UTC")).toBe(zone("UTC"));
    for (const name of ["+02:00", "Factory", "Europe/Atlantis", "", "constructor"])
      expect(ianaZone(name)).toBeUndefined();
  });

  test("keeps the name under which Intl stores it", () => {
    const all = Intl.supportedValuesOf("timeZone");
    expect(all.map((name) => zone(name).name)).toEqual(all);
    expect(zone("Asia/Kolkata").name).toBe("Asia/Calcutta");
  });

  test("has the clock of the bundled release, even if the rules in Node are older", () => {
    const at = Date.UTC(2026, 11, 1, 12);
    const hours = (name: string) => (instantToLocal(at, zone(name)) - at) / 3_600_000;
    expect(["America/Havana", "America/Winnipeg", "America/Edmonton", "Africa/Casablanca"].map(hours)).toEqual([
      -4, -5, -6, 0,
    ]);
  });
});

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
});
