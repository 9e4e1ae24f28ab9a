import { describe, expect, test } from "@jest/globals";
import { localToInstant } from "../calendar/local-to-instant.ts";
import { onsetsAround, readTimeZone } from "./observances.ts";
import { findZone } from "./time-zone.ts";

interface ObservanceText {
  readonly start: string;
  readonly offsets: readonly [from: string, to: string];
  /** Further content lines. */
  readonly lines?: readonly string[];
}

function zoneOf(...observances: readonly ObservanceText[]) {
  const texts = observances.map(({ start, offsets: [from, to], lines = [] }) => {
    const own = [`DTSTART:${start}`, `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`].concat(lines);
    return `BEGIN:STANDARD\n${own.join("\n")}\nEND:STANDARD`;
  });
  return readTimeZone(["TZID:Own", ...texts].join("\n"));
}

/** The instant of a local time in the zone that is found; undefined for an unknown one. */
function instantIn(component: ReturnType<typeof readTimeZone>, local: string): string | undefined {
  const wall = Date.parse(`${local}Z`);
  const zone = findZone("Own", component, wall)?.zone;
  return zone && new Date(localToInstant(wall, zone)).toISOString().slice(0, 16);
}

const SUMMER = { start: "20250330T020000", offsets: ["+0100", "+0200"] } as const;
const WINTER = { start: "20251026T030000", offsets: ["+0200", "+0100"] } as const;
const FIRST = { start: "19700101T000000", offsets: ["+0200", "+0200"] } as const;
const [RULE_OF_SUMMER, RULE_OF_WINTER] = [
  "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
  "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
];
/** A zone that changed its clock each year until it kept the time of summer. */
const LAST_SUMMER = {
  start: "20110327T030000",
  offsets: ["+0200", "+0300"],
  lines: [`${RULE_OF_SUMMER};UNTIL=20160327T010000Z`],
} as const;
const LAST_WINTER = {
  start: "20101031T040000",
  offsets: ["+0300", "+0200"],
  lines: [`${RULE_OF_WINTER};UNTIL=20151025T010000Z`],
} as const;

describe("a VTIMEZONE whose changes are RDATEs", () => {
  const inBoth = (summer: readonly string[], winter: readonly string[]) =>
    zoneOf({ ...SUMMER, lines: summer }, { ...WINTER, lines: winter });

  test.each([
    ["one", ["RDATE:20260329T020000"], ["RDATE:20261025T030000"]],
    ["a list", ["RDATE;VALUE=DATE-TIME:20260329T020000,20270328T020000"], ["RDATE:20261025T030000,20271031T030000"]],
    ["lines", ["RDATE:20270328T020000", "RDATE:20260329T020000"], ["RDATE:20271031T030000", "RDATE:20261025T030000"]],
    ["dates beside a rule", [RULE_OF_SUMMER, "RDATE:20240331T020000"], [RULE_OF_WINTER, "RDATE:20241027T030000"]],
  ])("has the offset after each of them: %s", (_name, summer, winter) => {
    const component = inBoth(summer, winter);
    expect(instantIn(component, "2026-07-01T20:00")).toBe("2026-07-01T18:00");
    expect(instantIn(component, "2026-12-01T20:00")).toBe("2026-12-01T19:00");
  });

  test.each(["2026-03-29", "20260329", "20260329T020000/PT1H", "20260329T020000Z", "20260329T020000,", ""])(
    "is unknown with the date %j",
    (date) => {
      const component = inBoth(["RDATE:20260329T020000", `RDATE:${date}`], ["RDATE:20261025T030000"]);
      expect(instantIn(component, "2026-07-01T20:00")).toBeUndefined();
    },
  );
});

describe("a VTIMEZONE whose yearly changes are over", () => {
  test("has the offset after the last one, however old it is", () => {
    for (const component of [zoneOf(FIRST, LAST_SUMMER, LAST_WINTER), zoneOf(LAST_WINTER, LAST_SUMMER)]) {
      expect(instantIn(component, "2026-07-01T20:00")).toBe("2026-07-01T17:00");
      expect(instantIn(component, "2026-12-01T20:00")).toBe("2026-12-01T17:00");
    }
  });

  test.each([
    ["an instant", "20160327T010000Z", "2016-03-27T01:00"],
    ["the second before it", "20160327T005959Z", "2015-03-29T01:00"],
    ["a local time", "20160327T030000", "2016-03-27T01:00"],
    ["a date", "20160327", "2016-03-27T01:00"],
    ["before the first one", "20100101T000000Z", "2011-03-27T01:00"],
  ])("ends with UNTIL as %s", (_name, until, last) => {
    const { observances } = zoneOf({ ...LAST_SUMMER, lines: [`${RULE_OF_SUMMER};UNTIL=${until}`] });
    const onsets = onsetsAround(observances, 2026);
    expect(onsets.map(({ at }) => new Date(at).toISOString().slice(0, 16))).toEqual([last]);
  });

  test("is found by the last change of a rule with an interval, or of leap years", () => {
    const lastOf = (rule: string) =>
      onsetsAround(
        zoneOf({ ...FIRST, lines: [`RRULE:FREQ=YEARLY;${rule};UNTIL=20151231T000000Z`] }).observances,
        2026,
      ).map(({ at }) => new Date(at).toISOString().slice(0, 10));
    expect(lastOf("INTERVAL=40")).toEqual(["2009-12-31"]);
    expect(lastOf("BYMONTH=2;BYMONTHDAY=29")).toEqual(["2012-02-28"]);
  });

  test("has the yearly changes of another rule until then", () => {
    const component = zoneOf(FIRST, LAST_SUMMER, LAST_WINTER);
    expect(instantIn(component, "2013-07-01T20:00")).toBe("2013-07-01T17:00");
    expect(instantIn(component, "2013-12-01T20:00")).toBe("2013-12-01T18:00");
  });
});

test("a rule that began long ago, with an interval, keeps its years", () => {
  const lines = ["RRULE:FREQ=YEARLY;INTERVAL=2;BYMONTH=11;BYDAY=1SU"];
  const { observances } = zoneOf({ start: "16011104T020000", offsets: ["-0400", "-0500"], lines });
  expect(onsetsAround(observances, 2026).map(({ at }) => new Date(at).getUTCFullYear())).toEqual([2025]);
});
