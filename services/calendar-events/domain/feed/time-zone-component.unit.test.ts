import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import ICAL from "ical.js";
import { timeZones } from "../../../../mixins/time-zones/time-zones.ts";
import { clockBetween, type ZoneRules } from "../../../../mixins/time-zones/zone-rules.ts";
import { timeZoneComponent } from "./time-zone-component.ts";

const GOLDEN = join(import.meta.dirname, "golden-time-zones.ics");
const FROM = Date.UTC(2026, 2, 1);
/** Two observances with an rrule; by days of the month; over a month's end; at a time before midnight; irregular; one offset. */
const LIST_PROJECTION = [
  "Europe/Berlin",
  "Asia/Jerusalem",
  "Africa/Cairo",
  "America/Nuuk",
  "Africa/Casablanca",
  "Asia/Tokyo",
];

function rulesOf(name: string): ZoneRules {
  return timeZones().rulesOf(name) as ZoneRules;
}

/** One name of each different clock: many zones have the rules of another one. */
const CLOCKS = [...new Map(timeZones().names.map((name) => [JSON.stringify(rulesOf(name)), name])).values()];

/** The changes of a clock that a VTIMEZONE has; its rules are expanded by ical.js. */
function expanded(text: string, from: number, until: number) {
  const changes = observancesIn(text).flatMap((observance) => {
    const [before, after] = [offsetIn(observance, "TZOFFSETFROM"), offsetIn(observance, "TZOFFSETTO")];
    const [, start = ""] = /DTSTART:(\S+)/.exec(observance) ?? [];
    const [, rule] = /RRULE:(\S+)/.exec(observance) ?? [];
    return onsets(start, rule, until).map((wall) => ({ at: wall - before, before, after }));
  });
  const inOrder = changes.toSorted((one, other) => one.at - other.at);
  return inOrder.filter(({ at, before, after }) => at > from && at <= until && before !== after);
}

function observancesIn(text: string): string[] {
  return text
    .replaceAll("\r\n ", "")
    .split(/BEGIN:(?:STANDARD|DAYLIGHT)/)
    .slice(1);
}

function offsetIn(observance: string, name: string): number {
  const [, sign, hours, minutes, seconds = "0"] =
    new RegExp(`${name}:([+-])(\\d\\d)(\\d\\d)(\\d\\d)?`).exec(observance) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
}

/** Wall times. */
function onsets(start: string, rule: string | undefined, until: number): number[] {
  const first = ICAL.Time.fromData({
    year: Number(start.slice(0, 4)),
    month: Number(start.slice(4, 6)),
    day: Number(start.slice(6, 8)),
    hour: Number(start.slice(9, 11)),
    minute: Number(start.slice(11, 13)),
    second: Number(start.slice(13, 15)),
  });
  const wallOf = (time: ICAL.Time) => Date.parse(`${time.toString()}Z`);
  if (rule === undefined) return [wallOf(first)];
  const walls: number[] = [];
  const iterator = ICAL.Recur.fromString(rule).iterator(first);
  for (let next = iterator.next() as ICAL.Time | null; next !== null; next = iterator.next() as ICAL.Time | null) {
    const wall = wallOf(next);
    if (wall > until) break;
    walls.push(wall);
  }
  return walls;
}

describe("a VTIMEZONE (RFC 5545, section 3.6.5)", () => {
  test("equals golden-time-zones.ics", () => {
    const text = LIST_PROJECTION.map((name) => timeZoneComponent(name, rulesOf(name), FROM)).join("");
    if (process.env["GOLDEN"] === "write") writeFileSync(GOLDEN, text);
    expect(readFileSync(GOLDEN, "utf8")).toBe(text);
  });

  test.each([0, Date.UTC(1995, 6, 1), FROM, Date.UTC(2090, 0, 1)])(
    "of every zone has the changes of its clock from %d on",
    (from) => {
      const until = Math.max(from, FROM) + 30 * 366 * 86_400_000;
      expect(CLOCKS.length).toBeGreaterThan(200);
      for (const name of CLOCKS) {
        const rules = rulesOf(name);
        const { changes } = clockBetween(rules, from, until);
        const text = timeZoneComponent(name, rules, from);
        expect([name, expanded(text, from, until)]).toEqual([name, changes]);
      }
    },
    120_000,
  );

  test("has the offset at its beginning", () => {
    for (const name of CLOCKS) {
      const rules = rulesOf(name);
      const from = Date.UTC(2010, 5, 1);
      const before = expanded(timeZoneComponent(name, rules, from), -Infinity, from).at(-1)?.after;
      const { first } = clockBetween(rules, from, from);
      expect([name, before ?? offsetIn(timeZoneComponent(name, rules, from), "TZOFFSETTO")]).toEqual([name, first]);
    }
  });

  test("needs no RDATE, which Outlook ignores", () => {
    const texts = CLOCKS.map((name) => timeZoneComponent(name, rulesOf(name), 0));
    expect(texts.filter((text) => text.includes("RDATE"))).toEqual([]);
  });

  test("of a zone whose rules stay is a pair of observances, each with an RRULE", () => {
    const text = timeZoneComponent("America/New_York", rulesOf("America/New_York"), FROM);
    expect(text.match(/^BEGIN:(?:STANDARD|DAYLIGHT)/gm)).toEqual(["BEGIN:DAYLIGHT", "BEGIN:STANDARD"]);
    expect(text.match(/^RRULE/gm)).toHaveLength(2);
  });
});
