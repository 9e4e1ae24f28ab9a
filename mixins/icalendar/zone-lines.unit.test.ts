import { describe, expect, test } from "@jest/globals";
import { MAX_ZONE_LENGTH } from "../../services/contracts/event-import.contract.ts";
import { ZoneLines } from "./zone-lines.ts";

interface ObservanceText {
  readonly start: string;
  /** Values of RDATE lines. */
  readonly dates?: readonly string[];
}

/** The text of a VTIMEZONE with STANDARD components. */
function zoneOf(...observances: readonly ObservanceText[]): string {
  const zone = new ZoneLines();
  zone.add("TZID", "TZID:Own");
  zone.add("RDATE", "RDATE:20260329T020000");
  for (const { start, dates = [] } of observances) {
    zone.beginObservance();
    zone.add("DTSTART", `DTSTART:${start}`);
    for (const date of dates) zone.add("RDATE", `RDATE:${date}`);
    zone.endObservance("STANDARD");
  }
  return zone.end().text;
}

function yearly(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, after) => `${from + after}0329T020000`);
}

const [NOTHING, EARLY, LATE] = ["TZID:Own", "19400101T000000", "20250330T020000"];

describe("a VTIMEZONE", () => {
  test("keeps every RDATE of an observance", () => {
    const kept = zoneOf({ start: LATE, dates: ["20260329T020000,20270328T020000", "20280326T020000"] });
    expect(kept.split("\n")).toEqual([
      "TZID:Own",
      "BEGIN:STANDARD",
      `DTSTART:${LATE}`,
      "RDATE:20260329T020000,20270328T020000",
      "RDATE:20280326T020000",
      "END:STANDARD",
    ]);
  });

  test("of forty years of RDATEs in each of two observances is complete", () => {
    const dates = [yearly(2026, 40).join()];
    const kept = zoneOf({ start: LATE, dates }, { start: LATE, dates });
    expect(kept.match(/20650329T020000/g)).toHaveLength(2);
    expect(kept.length).toBeLessThan(MAX_ZONE_LENGTH);
  });

  test.each([
    ["in one line", [yearly(2026, 100).join()]],
    ["in a line each", yearly(2026, 100)],
    ["in a hundred thousand lines", Array.from({ length: 100_000 }, () => LATE)],
  ])("of more RDATEs %s than are kept has no observances", (_name, dates) => {
    expect(zoneOf({ start: LATE }, { start: EARLY, dates })).toBe(NOTHING);
  });

  test("has no observances if a removed one had the last RDATEs", () => {
    const others = Array.from({ length: 40 }, () => ({ start: LATE, dates: yearly(2026, 1) }));
    expect(zoneOf({ start: EARLY, dates: yearly(2027, 1) }, ...others)).toBe(NOTHING);
    expect(zoneOf({ start: EARLY, dates: yearly(1941, 9) }, ...others.map(({ start }) => ({ start })))).toMatch(
      /^TZID:Own\nBEGIN:STANDARD\nDTSTART:2025[^]*END:STANDARD$/,
    );
  });
});
