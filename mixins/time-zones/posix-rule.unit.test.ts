import { describe, expect, test } from "@jest/globals";
import { parsePosixRule } from "./posix-rule.ts";
import { clockBetween, instantIn } from "./zone-rules.ts";

/** The changes of one year by a TZ string, as ISO texts. */
function changesOf(text: string, year: number): string[] {
  return (parsePosixRule(text) ?? []).map((change) => new Date(instantIn(year, change)).toISOString());
}

describe("a TZ string (POSIX.1, section 8.3; RFC 9636, section 3.3.1)", () => {
  test.each([
    ["EST5EDT,M3.2.0,M11.1.0", ["2030-03-10T07:00:00.000Z", "2030-11-03T06:00:00.000Z"]],
    ["CET-1CEST,M3.5.0,M10.5.0/3", ["2030-03-31T01:00:00.000Z", "2030-10-27T01:00:00.000Z"]],
    ["IST-2IDT,M3.4.4/26,M10.5.0", ["2030-03-29T00:00:00.000Z", "2030-10-26T23:00:00.000Z"]],
    ["<-02>2<-01>,M3.5.0/-1,M10.5.0/0", ["2030-03-31T01:00:00.000Z", "2030-10-27T01:00:00.000Z"]],
    ["<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", ["2030-10-05T15:30:00.000Z", "2030-04-06T15:00:00.000Z"]],
    ["XXX0YYY,J60/0,59/0", ["2030-03-01T00:00:00.000Z", "2030-02-28T23:00:00.000Z"]],
  ])("%s changes the clock at its instants", (text, expected) => {
    expect(changesOf(text, 2030)).toEqual(expected);
  });

  test("counts 29 February in a plain day number, and not in one with J", () => {
    expect(changesOf("XXX0YYY,J60/0,59/0", 2028)).toEqual(["2028-03-01T00:00:00.000Z", "2028-02-28T23:00:00.000Z"]);
  });

  test.each([["<+03>-3"], ["UTC0"], [""]])("%j has no changes", (text) => {
    expect(parsePosixRule(text)).toEqual([]);
  });

  test("of permanent summer time never changes", () => {
    const yearly = parsePosixRule("EST5EDT,0/0,J365/25") ?? [];
    const rules = { first: -4 * 3_600_000, changes: [], yearly };
    expect(clockBetween(rules, Date.UTC(2030, 0, 1), Date.UTC(2040, 0, 1))).toEqual({
      first: -14_400_000,
      changes: [],
    });
  });

  test.each([["nonsense"], ["EST5EDT,M13"], ["EST5EDT,M3.6.0,M11.1.0"], ["EST"], ["EST5EDT,M3.2.0"]])(
    "%j is invalid",
    (text) => {
      expect(parsePosixRule(text)).toBeUndefined();
    },
  );
});
