import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { InvalidCalendar } from "../../mixins/icalendar/calendar-scanner.ts";
import { anyCalendar } from "../lab/fuzz/any-calendar.ts";
import { PROJECT } from "../harness/guildcal-process.ts";
import { calendarFile, importInMemory, type MemoryImport } from "./import-file.ts";
import { startsInFeed } from "./read-feed.ts";

const DAY = 86_400_000;
const YEARS = { from: Date.UTC(1996, 0, 1), until: Date.UTC(2028, 0, 1) };

function distinct(starts: readonly number[]): string[] {
  return [...new Set(starts)]
    .filter((at) => at >= YEARS.from && at < YEARS.until)
    .map((at) => new Date(at).toISOString());
}

/** Files in the shapes of real programs, and of RFC 5545, with what an import reports of them. */
const FILES: readonly (readonly [name: string, reports: MemoryImport["findings"]])[] = [
  ["outlook.ics", []],
  [
    "outlook-custom-zone.ics",
    [
      ["eastern@example", "ZONE_BY_RULES"],
      ["fixed@example", "ZONE_BY_RULES"],
    ],
  ],
  ["apple.ics", []],
  ["nextcloud.ics", [["4c9d5e80-7a5c-4a59-9f6e-2d1c6b1f0a11", "COLOR_NEAREST"]]],
  ["thunderbird.ics", []],
  ["exchange.ics", []],
  ["fantastical.ics", []],
  ["rfc5545-events.ics", []],
  ["rfc5545-rules.ics", []],
];

describe("an import has the instants that ical.js reads", () => {
  test.each(FILES)("of %s", async (name, reports) => {
    const text = calendarFile(name);
    const imported = await importInMemory(text);
    expect(imported.findings).toEqual(reports);
    // The endless rules of RFC 5545 begin in 1997.
    const years = name === "rfc5545-rules.ics" ? { ...YEARS, until: Date.UTC(2001, 0, 1) } : YEARS;
    expect(distinct(imported.starts(years))).toEqual(distinct(startsInFeed(text, years)));
    expect(imported.starts(years).length).toBeGreaterThan(0);
  });

  test.each(["Europe/Berlin", "America/New_York", "Pacific/Apia"])(
    "of our own feed, in a calendar of %s",
    async (zone) => {
      const text = readFileSync(join(PROJECT, "services/calendar-events/domain/feed/golden-feed.ics"), "utf8");
      const imported = await importInMemory(text.replaceAll(/\r?\n/g, "\r\n"), zone);
      expect(imported.findings).toEqual([]);
      expect(distinct(imported.starts(YEARS))).toEqual(distinct(startsInFeed(text, YEARS, zone)));
    },
  );
});

describe("what other programs write", () => {
  test("a cancelled occurrence of Google is not there, and a date is a day of the calendar's zone", async () => {
    const { events, findings, starts } = await importInMemory(calendarFile("google.ics"), "Europe/Berlin");
    const march = { from: Date.UTC(2026, 2, 1), until: Date.UTC(2026, 2, 15) };
    expect(distinct(starts(march))).toEqual(["2026-03-03T19:00:00.000Z", "2026-03-05T20:00:00.000Z"]);
    expect(findings).toEqual([]);
    const maintenance = events.find(({ name }) => name === "Maintenance")!;
    expect(maintenance.endsAt - maintenance.startsAt).toBe(2 * DAY);
    expect(new Date(maintenance.startsAt).toISOString()).toBe("2026-03-31T22:00:00.000Z");
    expect(events[0]).toMatchObject({
      name: "Raid night",
      description: "Bring potions, food\nand a <b>good</b> mood",
      location: "Molten Core, Blackrock",
      uid: "5g3o0d9kq1b2@google.com",
    });
  });

  test("a zone needs no VTIMEZONE, and a URL is the end of the description unless it is there", async () => {
    const { events } = await importInMemory(calendarFile("meetup.ics"));
    expect(events[0]).toMatchObject({
      name: "Board games 🎲 at the club; bring friends",
      startsAt: Date.UTC(2026, 2, 20, 13),
    });
    expect(events[0]?.description?.match(/https:/g)).toHaveLength(1);
    const apple = await importInMemory(calendarFile("apple.ics"));
    expect(apple.events[0]?.description).toBe("See the page\n\nhttps://example.com/raid?id=5");
  });

  test("the zone of a VTIMEZONE with an unknown name is one with the same offsets", async () => {
    const { events } = await importInMemory(calendarFile("outlook-custom-zone.ics"));
    expect(events.map(({ recurring }) => recurring?.anchor.timezone)).toEqual(["America/New_York", "Etc/GMT-3"]);
  });

  test("the TZID of a VTIMEZONE is a text, whose commas are escaped, and that of a time is not", async () => {
    const observance = "DTSTART:20260101T000000\r\nTZOFFSETFROM:+0300\r\nTZOFFSETTO:+0300\r\n";
    const standard = `BEGIN:STANDARD\r\n${observance}END:STANDARD\r\n`;
    const component = `BEGIN:VTIMEZONE\r\nTZID:(UTC+03:00) One\\, Two\r\n${standard}END:VTIMEZONE\r\n`;
    for (const tzid of ["(UTC+03:00) One, Two", "(UTC+03:00) One\\, Two"]) {
      const text = vcalendar(`UID:1\r\nDTSTART;TZID="${tzid}":20260320T160000\r\n`);
      const { events, findings } = await importInMemory(text.replace("BEGIN:VEVENT", `${component}BEGIN:VEVENT`));
      expect([findings, events.map(({ startsAt }) => startsAt)]).toEqual([
        [["1", "ZONE_BY_RULES"]],
        [Date.UTC(2026, 2, 20, 13)],
      ]);
    }
  });

  test("an image by its type, and the nearest color, come from Nextcloud", async () => {
    const { events } = await importInMemory(calendarFile("nextcloud.ics"));
    expect(events[0]).toMatchObject({ image: "https://cloud.example.com/banner.png", color: "BLUE" });
  });

  test("two occurrences that have changed places are both there", async () => {
    const { starts } = await importInMemory(calendarFile("nextcloud.ics"));
    const january = starts({ from: Date.UTC(2026, 0, 18), until: Date.UTC(2026, 0, 28) });
    expect(distinct(january)).toEqual(["2026-01-19T16:00:00.000Z", "2026-01-26T16:00:00.000Z"]);
  });

  test("a birthday before 1970 begins with the first one since", async () => {
    const { events, findings } = await importInMemory(calendarFile("birthdays.ics"));
    expect(findings).toEqual([["birthday-1", "START_MOVED"]]);
    expect(events.map(({ startsAt }) => new Date(startsAt).toISOString())).toEqual([
      "1970-03-12T00:00:00.000Z",
      "2000-02-29T00:00:00.000Z",
    ]);
  });

  test("RDATEs without a rule add to the start, which ical.js leaves out", async () => {
    const dates = "DTSTART:20260401T170000Z\r\nDURATION:PT2H\r\nRDATE:20260415T170000Z,20260506T170000Z\r\n";
    const { starts } = await importInMemory(vcalendar(`UID:1\r\n${dates}`));
    expect(distinct(starts(YEARS))).toEqual([
      "2026-04-01T17:00:00.000Z",
      "2026-04-15T17:00:00.000Z",
      "2026-05-06T17:00:00.000Z",
    ]);
  });

  test("the periods of RDATEs add occurrences of the same duration, and another duration is named", async () => {
    const of = async (...periods: readonly string[]) => {
      const times = "DTSTART;TZID=Europe/Berlin:20260401T170000\r\nDURATION:PT2H\r\n";
      const dates = `RDATE;TZID=Europe/Berlin;VALUE=PERIOD:${periods.join(",")}\r\n`;
      const { starts, findings } = await importInMemory(vcalendar(`UID:1\r\n${times}${dates}`));
      return [distinct(starts(YEARS)).slice(1), findings.map(([, reason]) => reason)];
    };
    const at = ["2026-04-15T15:00:00.000Z"];
    expect(await of("20260415T170000/PT2H")).toEqual([at, []]);
    expect(await of("20260415T170000/20260415T190000")).toEqual([at, []]);
    expect(await of("20260415T170000/PT3H")).toEqual([at, ["PERIOD_REPLACED"]]);
    expect(await of("20260415T170000/PT2H", "20260416T170000/20260416T200000")).toEqual([
      [...at, "2026-04-16T15:00:00.000Z"],
      ["PERIOD_REPLACED"],
    ]);
    expect(await of("20260415T170000/tomorrow")).toEqual([at, ["PERIOD_REPLACED"]]);
  });

  test("a day of EXDATE excludes all times of that day, and a rule of dates has no times of day (RFC 5545, section 3.3.10)", async () => {
    const rule = "RRULE:FREQ=DAILY;COUNT=6;BYHOUR=9,17\r\nEXDATE;VALUE=DATE:20260402\r\n";
    const { starts } = await importInMemory(vcalendar(`UID:1\r\nDTSTART:20260401T090000Z\r\n${rule}`));
    expect(distinct(starts(YEARS)).map((at) => at.slice(5, 13))).toEqual([
      "04-01T09",
      "04-01T17",
      "04-03T09",
      "04-03T17",
    ]);
    const dated = "DTSTART;VALUE=DATE:20260401\r\nRRULE:FREQ=DAILY;COUNT=2;BYHOUR=0\r\n";
    const { findings, starts: startsOfDates } = await importInMemory(vcalendar(`UID:2\r\n${dated}`));
    expect([findings, startsOfDates(YEARS)]).toEqual([[], [expect.any(Number), expect.any(Number)]]);
  });

  test.each([
    [24, 104, []],
    [24, 105, [["1", "TOO_MANY_EXCEPTIONS"]]],
    [2, 1_250, []],
  ])("with %p times of day and %p days of EXDATE has the findings %j", async (times, days, expected) => {
    const hours = Array.from({ length: times }, (_, hour) => hour);
    const dayAfter = (at: number) => new Date(Date.UTC(2026, 3, 2 + at)).toISOString().slice(0, 10).replaceAll("-", "");
    const excluded = Array.from({ length: days }, (_, at) => dayAfter(at));
    const lines = `RRULE:FREQ=DAILY;BYHOUR=${hours.join()}\r\nEXDATE;VALUE=DATE:${excluded.join()}\r\n`;
    const { findings } = await importInMemory(vcalendar(`UID:1\r\nDTSTART:20260401T000000Z\r\n${lines}`));
    expect(findings).toEqual(expected);
  });

  test("each VEVENT that cannot be imported has its reason", async () => {
    const { events, findings } = await importInMemory(calendarFile("not-supported.ics"));
    expect(findings).toEqual([
      ["", "NO_UID"],
      ["", "DUPLICATE"],
      ["hourly", "RULE_NOT_SUPPORTED"],
      ["week-number", "RULE_NOT_SUPPORTED"],
      ["malformed-rule", "INVALID_RULE"],
      ["no-start", "INVALID_TIME"],
      ["backwards", "INVALID_TIME"],
      ["unknown-zone", "UNKNOWN_TIME_ZONE"],
      ["orphan", "NO_SERIES"],
      ["following", "RANGE_NOT_SUPPORTED"],
      ["following", "UNKNOWN_OCCURRENCE"],
      ["nothing-left", "NO_OCCURRENCE"],
      ["old", "OUT_OF_RANGE"],
      ["cancelled", "CANCELLED"],
    ]);
    expect(events.map(({ uid }) => uid)).toEqual(["following", "twice"]);
    expect(events[1]?.name).toBe("the second revision");
  });
});

function vcalendar(...events: readonly string[]): string {
  const components = events.map((lines) => `BEGIN:VEVENT\r\n${lines}END:VEVENT\r\n`);
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${components.join("")}END:VCALENDAR\r\n`;
}

test("any generated body is refused as a whole, or has events within our limits and a reason for each other VEVENT", async () => {
  let imported = 0;
  const check = async (body: string) => {
    const calendar = await importInMemory(body, "Europe/Berlin").catch((error: unknown) => error);
    if (calendar instanceof InvalidCalendar) return;
    if (calendar instanceof Error) throw calendar;
    const { events, starts } = calendar as MemoryImport;
    for (const { startsAt, endsAt, name = "", description = "" } of events) {
      expect(startsAt).toBeGreaterThanOrEqual(0);
      expect(endsAt).toBeGreaterThanOrEqual(startsAt);
      expect(Array.from(name).length).toBeLessThanOrEqual(256);
      expect(Array.from(description).length).toBeLessThanOrEqual(4_000);
    }
    starts({ from: Date.UTC(2030, 0, 1), until: Date.UTC(2030, 1, 1) });
    imported += events.length;
  };
  await fc.assert(fc.asyncProperty(anyCalendar, check), { numRuns: 500, seed: 20_261_125 });
  expect(imported).toBeGreaterThan(200);
});

describe("values at the limits", () => {
  const one = async (lines: string) => {
    const { events, findings } = await importInMemory(vcalendar(`UID:1\r\nDTSTART:20260401T100000Z\r\n${lines}`));
    return { event: events[0], reasons: findings.map(([, reason]) => reason) };
  };

  test("a text is cut at its limit, which is named", async () => {
    const exact = await one(`SUMMARY:${"🎲".repeat(256)}\r\n`);
    expect([Array.from(exact.event?.name ?? "").length, exact.reasons]).toEqual([256, []]);
    const more = await one(`SUMMARY:${"🎲".repeat(257)}\r\nDESCRIPTION:${"\\n".repeat(4_001)}\r\n`);
    expect([Array.from(more.event?.name ?? "").length, more.event?.description?.length, more.reasons]).toEqual([
      256,
      4_000,
      ["TEXT_CUT"],
    ]);
  });

  test("an image that is no address, and a color without a known name, are named", async () => {
    const { event, reasons } = await one("IMAGE;VALUE=URI:javascript:alert(1)\r\nCOLOR:octarine\r\n");
    expect([event?.image, event?.color, reasons]).toEqual([undefined, "NONE", ["IMAGE_DROPPED", "COLOR_NEAREST"]]);
  });

  test("EXDATEs beyond a hundred cancel their occurrences one by one", async () => {
    const dates = Array.from({ length: 150 }, (_, day) => wallOf(Date.UTC(2026, 3, 2 + day, 10)));
    const text = vcalendar(`UID:1\r\nDTSTART:20260401T100000Z\r\nRRULE:FREQ=DAILY\r\nEXDATE:${dates.join(",")}\r\n`);
    const { events, starts } = await importInMemory(text);
    expect(events[0]?.recurring?.recurrence.exDates).toHaveLength(100);
    expect(distinct(starts({ from: Date.UTC(2026, 3, 1), until: Date.UTC(2026, 8, 1) }))).toEqual([
      "2026-04-01T10:00:00.000Z",
      "2026-08-30T10:00:00.000Z",
      "2026-08-31T10:00:00.000Z",
    ]);
  });

  test("an occurrence with an EXDATE and an override has its override", async () => {
    const series = "UID:1\r\nDTSTART:20260401T100000Z\r\nRRULE:FREQ=DAILY;COUNT=3\r\nEXDATE:20260402T100000Z\r\n";
    const changed = "UID:1\r\nRECURRENCE-ID:20260402T100000Z\r\nDTSTART:20260402T150000Z\r\n";
    const { starts, findings } = await importInMemory(vcalendar(series, changed));
    expect(findings).toEqual([]);
    expect(distinct(starts(YEARS))).toEqual([
      "2026-04-01T10:00:00.000Z",
      "2026-04-02T15:00:00.000Z",
      "2026-04-03T10:00:00.000Z",
    ]);
  });

  test("a series whose start is no date of its rule begins at the next one", async () => {
    const { event, reasons } = await one("RRULE:FREQ=WEEKLY;BYDAY=TU\r\n");
    expect([event?.startsAt, reasons]).toEqual([Date.UTC(2026, 3, 7, 10), ["START_MOVED"]]);
    expect((await one("RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=5\r\n")).reasons).toEqual(["INVALID_RULE"]);
  });
});

test("an import changes an event, and leaves its pause as it is (D63)", async () => {
  const event = (name: string) => vcalendar(`UID:1\r\nDTSTART:20260401T100000Z\r\nSUMMARY:${name}\r\n`);
  const { memory } = await importInMemory(event("Before"));
  const pause = { pausedUntil: 9, pauseEndedAt: 8 };
  const paused = new Map([...memory].map(([uid, each]) => [uid, { ...each, event: { ...each.event, ...pause } }]));
  const { events, writes } = await importInMemory(event("After"), "UTC", paused);
  expect([events, writes]).toMatchObject([[{ name: "After", ...pause }], 1]);
});

function wallOf(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.000/g, "");
}
