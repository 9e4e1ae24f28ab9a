import { describe, expect, test } from "@jest/globals";
import ICAL from "ical.js";
import { importInMemory } from "../import-file.ts";
import { comparedStarts, interopSeries, INTEROP_ZONES, timedSeries } from "./interop-series.ts";
import { isReadWrong, readByOthers } from "./other-readers.ts";

// dateutil, icalendar and libical are no npm packages; Debian has them.
const all = await interopSeries();
const areInstalled = (await readByOthers(all.slice(0, 1))) !== undefined;
const whereTheyAre = areInstalled ? describe : describe.skip;

describe("300 series in 40 zones, as our feed writes them", () => {
  test("have each zone, rules of each frequency, and exceptions, additions, ends, dates and changed occurrences", async () => {
    expect([all.length, new Set(all.map(({ timezone }) => timezone)).size]).toEqual([300, INTEROP_ZONES.length]);
    const having = (pattern: RegExp) => all.filter(({ text }) => pattern.test(text)).length;
    for (const frequency of ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
      expect(having(new RegExp(`FREQ=${frequency}`))).toBeGreaterThan(10);
    for (const part of ["UNTIL", "COUNT", "BYDAY", "BYMONTHDAY", "BYSETPOS", "BYMONTH="])
      expect([part, having(new RegExp(`RRULE.*${part}`)) > 20]).toEqual([part, true]);
    for (const line of [/EXDATE/, /RECURRENCE-ID/, /DTSTART;VALUE=DATE/]) expect(having(line)).toBeGreaterThan(30);
    expect(all.filter(({ rrule }) => rrule.rDates !== undefined).length).toBeGreaterThan(20);
    expect(all.flatMap(({ starts }) => starts).length).toBeGreaterThan(3_000);
  });

  test("have the same instants after an import, as we and as ical.js write them, also with times of day", async () => {
    for (const series of [...all, ...(await timedSeries())]) {
      const theirs = new ICAL.Component(ICAL.parse(series.text) as never).toString();
      for (const body of [series.text, theirs]) {
        const imported = await importInMemory(body, series.timezone);
        const found = comparedStarts(series, imported.starts(series.window));
        expect([body, imported.findings, found]).toEqual([body, [], comparedStarts(series, series.starts)]);
      }
    }
  });
});

whereTheyAre(
  `300 series in 40 zones with dateutil, icalendar and libical${areInstalled ? "" : ", which are not installed,"}`,
  () => {
    test("have the same instants as dateutil and libical read them, and as icalendar and libical write them", async () => {
      const read = (await readByOthers(all)) ?? [];
      expect(read).toHaveLength(all.length);
      const different: string[] = [];
      for (const [at, { starts, written }] of read.entries()) {
        const series = all[at]!;
        const ours = comparedStarts(series, series.starts).join();
        const isOurs = (theirs: readonly number[]) => comparedStarts(series, theirs).join() === ours;
        for (const reader of ["dateutil", "libical"] as const) {
          const theirs = starts[reader];
          const isKnown = theirs === undefined || isReadWrong(reader, series);
          if (!isKnown && !isOurs(theirs)) different.push(`${reader} reads otherwise: ${series.text}`);
        }
        for (const writer of ["icalendar", "libical"] as const) {
          const imported = await importInMemory(written[writer], series.timezone);
          const isSame = imported.findings.length === 0 && isOurs(imported.starts(series.window));
          if (!isSame) different.push(`as ${writer} writes it: ${written[writer]}`);
        }
      }
      expect(different).toEqual([]);
    });
  },
);
