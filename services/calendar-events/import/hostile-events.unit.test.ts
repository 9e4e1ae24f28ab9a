import { describe, expect, jest, test } from "@jest/globals";
import { UTC } from "../domain/calendar/zone.ts";
import { readEvent } from "../domain/import/imported-event.ts";
import { importedSeries } from "../domain/import/imported-series.ts";
import type { ZoneFinder } from "../domain/import/imported-times.ts";
import { onsetsAround, readTimeZone } from "../domain/import/observances.ts";
import { unwrittenCalendar } from "../domain/calendar/calendar.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { CostlyDecisions } from "./costly-decisions.ts";
import { readImport } from "./read-import.ts";

const noZone: ZoneFinder = () => undefined;
/** Its last date is found by a walk over 1 200 years. */
const COSTLY = "FREQ=MONTHLY;BYMONTHDAY=29;BYDAY=FR;COUNT=2000";
const START = "UID:1\nDTSTART:19800229T100000Z";

function readSeries(lines: string) {
  const event = readEvent(`${START}\n${lines}`, UTC, noZone);
  if (typeof event === "string" || event.dates === undefined) throw new Error("no series");
  return { ...event, dates: event.dates };
}

function stamps(count: number): string {
  const at = (number: number) => new Date(Date.UTC(1980, 1, 29, 10) + number * 28 * 86_400_000);
  const all = Array.from({ length: count }, (_, number) => at(number).toISOString().slice(0, 19));
  return all.map((text) => `${text.replaceAll(/[-:]/g, "")}Z`).join(",");
}

describe("a hostile VEVENT", () => {
  test("of hundreds of EXDATEs and a costly rule costs little more than one of a single EXDATE", () => {
    const [few, many] = [1, 400].map((count) => readSeries(`RRULE:${COSTLY}\nEXDATE:${stamps(count)}`));
    const msOf = (event: ReturnType<typeof readSeries>) => {
      const startedAt = performance.now();
      expect(importedSeries(event, [])).toMatchObject({ recurrence: { count: 2_000 } });
      return performance.now() - startedAt;
    };
    msOf(few!);
    // With a walk for each EXDATE it would be 400 times.
    expect(msOf(many!)).toBeLessThan(80 * (msOf(few!) + 1));
  });

  test("has its zones looked up for the year of its start alone", () => {
    const find = jest.fn<ZoneFinder>(() => ({ zone: UTC, isByRules: true }));
    const years = Array.from({ length: 900 }, (_, year) => `${3000 + year}0101T100000`).join(",");
    const lines = ["UID:1", "DTSTART;TZID=Own:20300101T100000", "DTEND;TZID=Own:20300101T110000", "RRULE:FREQ=YEARLY"];
    readEvent([...lines, `EXDATE;TZID=Own:${years}`, `RDATE;TZID=Own:${years}`].join("\n"), UTC, find);
    expect(find.mock.calls.length).toBeGreaterThan(1_000);
    expect(new Set(find.mock.calls.map(([tzid, at]) => `${tzid} ${new Date(at).getUTCFullYear()}`))).toEqual(
      new Set(["Own 2030"]),
    );
  });

  test.each([
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=FR;BYSETPOS=1;BYMONTH=2",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=9999",
  ])("of a time zone with the rule %s has one change of the clock for it", (rule) => {
    const observance = ["DTSTART:19720229T020000", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0300", `RRULE:${rule}`];
    const lines = ["TZID:Own", "BEGIN:STANDARD", ...observance, "END:STANDARD"];
    expect(onsetsAround(readTimeZone(lines.join("\n")).observances, 2030)).toHaveLength(1);
  });

  test("and 299 others get a zone by its rules in 200 years, and no more", async () => {
    const observance = ["DTSTART:19700101T000000", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0200"];
    const zone = ["TZID:Own", "BEGIN:STANDARD", ...observance, "END:STANDARD"].join("\n");
    const events = Array.from({ length: 300 }, (_, at) => `UID:${at}\nDTSTART;TZID=Own:${2000 + at}0101T100000`);
    const calendar = unwrittenCalendar("1" as GuildId, 1);
    const read = await readImport({ events, zones: [zone] }, calendar);
    expect(read.filter((event) => event === "UNKNOWN_TIME_ZONE")).toHaveLength(100);
    const named = ["UID:1\nDTSTART;TZID=Europe/Berlin:20300101T100000"];
    expect(await readImport({ events: [...events, ...named], zones: [zone] }, calendar)).toContainEqual(
      expect.objectContaining({ uid: "1", start: expect.objectContaining({ isZoneByRules: false }) }),
    );
  });
});

describe("decisions about costly VEVENTs", () => {
  const costly = readSeries(`RRULE:${COSTLY}`);
  const dated = readSeries(`RRULE:FREQ=DAILY\nEXDATE:${stamps(51)}`);
  const cheap = readSeries("RRULE:FREQ=DAILY;COUNT=9");

  test("are made one after the other, and others are served in between", async () => {
    const decisions = new CostlyDecisions();
    let turns = 0;
    const seen: number[] = [];
    const timer = setInterval(() => (turns += 1), 0);
    const decide = () => {
      const endsAt = performance.now() + 3;
      while (performance.now() < endsAt);
      seen.push(turns);
    };
    await Promise.all([costly, dated, costly, dated].map(async (event) => decisions.decide(event, decide)));
    clearInterval(timer);
    expect(new Set(seen).size).toBe(4);
  });

  test("do not delay cheap ones", () => {
    const decisions = new CostlyDecisions();
    const pending = decisions.decide(costly, () => "costly");
    expect(decisions.decide(cheap, () => "cheap")).toBe("cheap");
    return expect(pending).resolves.toBe("costly");
  });
});
