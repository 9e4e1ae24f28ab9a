import { describe, expect, test } from "@jest/globals";
import { feedPagesOf } from "../doubles/feed-reads.ts";
import { goldenFeed } from "../fixtures/feed-samples.ts";
import { importInMemory, type MemoryEvent, type MemoryImport } from "./import-file.ts";

const EVER = { from: 0, until: Date.UTC(2031, 0, 1) };

function vcalendar(...events: readonly string[]): string {
  const components = events.map((lines) => `BEGIN:VEVENT\r\n${lines.replaceAll("\n", "\r\n")}\r\nEND:VEVENT\r\n`);
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${components.join("")}END:VCALENDAR\r\n`;
}

/** The dates, or the times, of each occurrence. */
function shown({ views }: MemoryImport): string[] {
  const timeOf = (at: number) => new Date(at).toISOString().slice(0, 16);
  return views(EVER).map(({ startsAt, endsAt, startDate, endDate }) =>
    startDate === undefined ? `${timeOf(startsAt)}/${timeOf(endsAt)}` : `${startDate}/${endDate}`,
  );
}

function startsOf({ starts }: MemoryImport): string[] {
  return starts(EVER).map((at) => new Date(at).toISOString().slice(0, 16));
}

function originalsOf({ memory }: MemoryImport): string[] {
  return [...memory.values()].flatMap(({ overrides }) =>
    [...overrides.keys()].map((at) => new Date(at).toISOString().slice(0, 16)),
  );
}

const [DAY, WEEKLY] = ["UID:a\nDTSTART;VALUE=DATE:20260401", "UID:a\nDTSTART;VALUE=DATE:20260401\nRRULE:FREQ=WEEKLY"];
const TIMED = "UID:a\nDTSTART;TZID=Europe/Berlin:20260401T190000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=3";

/** A zone of the calendar since its beginning, and another one since an instant. */
function zones(first: string, second: string, since: string) {
  return [
    { version: 1, timezone: first, since: 0 },
    { version: 2, timezone: second, since: Date.parse(since) },
  ];
}

describe("a VEVENT of dates is imported as an all-day event (D50, D52)", () => {
  test.each([
    ["", "2026-04-01/2026-04-02"],
    ["DTEND;VALUE=DATE:20260404", "2026-04-01/2026-04-04"],
    ["DTEND;VALUE=DATE:20260401", "2026-04-01/2026-04-02"],
    ["DTEND:20260403T100000Z", "2026-04-01/2026-04-03"],
    ["DURATION:P1W", "2026-04-01/2026-04-08"],
    ["DURATION:PT5H", "2026-04-01/2026-04-02"],
  ])("with the end %j", async (end, dates) => {
    const imported = await importInMemory(vcalendar(`${DAY}\n${end}`), "Europe/Berlin");
    expect([shown(imported), startsOf(imported), imported.findings]).toEqual([[dates], ["2026-03-31T22:00"], []]);
  });

  test.each([
    ["DTSTART;VALUE=DATE:20260401\nDTEND;VALUE=DATE:20260331", "INVALID_TIME"],
    ["DTSTART;VALUE=DATE:20260401\nDTEND:tomorrow", "INVALID_TIME"],
    ["DTSTART;VALUE=DATE:99991231", "OUT_OF_RANGE"],
    ["DTSTART;VALUE=DATE:99991230\nDURATION:P9W", "OUT_OF_RANGE"],
    ["DTSTART;VALUE=DATE:19700101", "OUT_OF_RANGE"],
  ])("unless its dates are none that an event may have: %j", async (lines, reason) => {
    const { findings, events } = await importInMemory(vcalendar(`UID:a\n${lines}`), "Europe/Berlin");
    expect([findings, events]).toEqual([[["a", reason]], []]);
  });

  test("the dates of a series move along with its start to the first date of the rule", async () => {
    const text = vcalendar(`${DAY}\nDTEND;VALUE=DATE:20260403\nRRULE:FREQ=MONTHLY;BYDAY=-1SU;UNTIL=20260531`);
    const imported = await importInMemory(text, "America/New_York");
    expect(imported.findings).toEqual([["a", "START_MOVED"]]);
    expect(shown(imported)).toEqual(["2026-04-26/2026-04-28", "2026-05-31/2026-06-02"]);
    expect((await importInMemory(text, "America/New_York", imported.memory)).writes).toBe(0);
  });

  test.each([
    ["20260415", ["Pacific/Apia", "Asia/Tokyo", "UTC", "America/Los_Angeles"]],
    ["20260415T000000Z", ["Pacific/Apia", "Asia/Tokyo", "UTC", "America/Los_Angeles"]],
    ["20260415T235959Z", ["Pacific/Apia", "Asia/Tokyo", "UTC", "America/Los_Angeles"]],
    // The begin and the end of the date on the clock of the calendar.
    ["20260414T220000Z", ["Europe/Berlin"]],
    ["20260415T215959Z", ["Europe/Berlin"]],
  ])("the last date of a series is the date of UNTIL=%s", async (until, calendars) => {
    for (const zone of calendars) {
      const imported = await importInMemory(vcalendar(`${DAY}\nRRULE:FREQ=DAILY;INTERVAL=7;UNTIL=${until}`), zone);
      const daily = await importInMemory(vcalendar(`${DAY}\nRRULE:FREQ=DAILY;UNTIL=${until}`), zone);
      expect([zone, shown(imported).at(-1), shown(daily).length, daily.findings]).toEqual([
        zone,
        "2026-04-15/2026-04-16",
        15,
        [],
      ]);
    }
  });

  test.each(["America/Sao_Paulo", "Pacific/Apia", "UTC"])(
    "the exceptions of a series are dates, in %s",
    async (zone) => {
      // Sao Paulo had no midnight on 2018-11-04.
      const series = "UID:a\nDTSTART;VALUE=DATE:20181103\nRRULE:FREQ=DAILY;COUNT=5";
      const dates = "EXDATE;VALUE=DATE:20181104\nEXDATE:20181106T000000\nRDATE;VALUE=DATE:20181109,20181111";
      const text = vcalendar(
        `${series}\n${dates}`,
        "UID:a\nRECURRENCE-ID;VALUE=DATE:20181107\nDTSTART;VALUE=DATE:20181120\nDURATION:P2D",
        "UID:a\nRECURRENCE-ID;VALUE=DATE:20181111\nDTSTART:20181111T150000Z\nDTEND:20181111T160000Z",
        "UID:a\nRECURRENCE-ID;VALUE=DATE:20181105\nDTSTART;VALUE=DATE:20181105\nSTATUS:CANCELLED",
      );
      const imported = await importInMemory(text, zone);
      expect(imported.findings).toEqual([]);
      expect(shown(imported)).toEqual([
        "2018-11-03/2018-11-04",
        "2018-11-09/2018-11-10",
        "2018-11-11T15:00/2018-11-11T16:00",
        "2018-11-20/2018-11-22",
      ]);
      expect((await importInMemory(text, zone, imported.memory)).writes).toBe(0);
    },
  );

  test("an addition with a time is dropped from a series of dates, which is named", async () => {
    const imported = await importInMemory(vcalendar(`${WEEKLY};COUNT=2\nRDATE:20260402T100000Z`), "Europe/Berlin");
    expect(imported.findings).toEqual([["a", "DATES_DROPPED"]]);
    expect(shown(imported)).toEqual(["2026-04-01/2026-04-02", "2026-04-08/2026-04-09"]);
  });

  test("an occurrence of a series with times may have dates, and a date names that day's occurrence", async () => {
    const byTime = "UID:a\nRECURRENCE-ID;TZID=Europe/Berlin:20260408T190000\nDTSTART;VALUE=DATE:20260409";
    const byDate = "UID:a\nRECURRENCE-ID;VALUE=DATE:20260415\nDTSTART:20260416T100000Z\nDURATION:PT1H";
    const text = vcalendar(`${TIMED}\nEXDATE;VALUE=DATE:20260415`, byTime, byDate);
    const imported = await importInMemory(text, "Asia/Tokyo");
    expect(imported.findings).toEqual([]);
    expect(shown(imported)).toEqual([
      "2026-04-01T17:00/2026-04-01T18:00",
      "2026-04-09/2026-04-10",
      "2026-04-16T10:00/2026-04-16T11:00",
    ]);
    expect((await importInMemory(text, "Asia/Tokyo", imported.memory)).writes).toBe(0);
    const unknown = await importInMemory(vcalendar(TIMED, byDate.replace("20260415", "20260414")));
    expect(unknown.findings).toEqual([["a", "UNKNOWN_OCCURRENCE"]]);
  });
});

describe("a further import of an all-day event", () => {
  const rule = `${WEEKLY};UNTIL=20260422\nEXDATE;VALUE=DATE:20260408`;
  const own = "UID:a\nRECURRENCE-ID;VALUE=DATE:20260415\nDTSTART;VALUE=DATE:20260416";
  const later = zones("Europe/Berlin", "America/New_York", "2026-04-05T00:00Z");

  test("writes nothing after the calendar got another zone, in which its occurrences keep their ids", async () => {
    const first = await importInMemory(vcalendar(rule, own), "Europe/Berlin");
    const again = await importInMemory(vcalendar(rule, own), later, first.memory);
    expect([again.findings, again.writes]).toEqual([[], 0]);
    expect(shown(again)).toEqual(["2026-04-01/2026-04-02", "2026-04-16/2026-04-17", "2026-04-22/2026-04-23"]);
    expect(startsOf(again)).toEqual(["2026-03-31T22:00", "2026-04-16T04:00", "2026-04-22T04:00"]);
    const changed = `${own.replace("0416", "0417")}\nSUMMARY:Moved`;
    const moved = await importInMemory(vcalendar(rule, changed), later, again.memory);
    expect([shown(moved)[1], moved.writes, originalsOf(moved)]).toEqual([
      "2026-04-17/2026-04-18",
      1,
      ["2026-04-14T22:00"],
    ]);
  });

  test("with another rule keeps the zone in which its dates were set, and with another start has the present one", async () => {
    const first = await importInMemory(vcalendar(rule, own), "Europe/Berlin");
    const longer = await importInMemory(vcalendar(rule.replace("0422", "0506"), own), later, first.memory);
    expect(longer.writes).toBe(1);
    expect([startsOf(longer)[0], originalsOf(longer)]).toEqual(["2026-03-31T22:00", ["2026-04-14T22:00"]]);
    const begun = await importInMemory(vcalendar(rule.replace("0401", "0325"), own), later, first.memory);
    expect(shown(begun)).toEqual([
      "2026-03-25/2026-03-26",
      "2026-04-01/2026-04-02",
      "2026-04-16/2026-04-17",
      "2026-04-22/2026-04-23",
    ]);
    expect([startsOf(begun)[0], originalsOf(begun)]).toEqual(["2026-03-25T04:00", ["2026-04-15T04:00"]]);
  });

  test("cancels the EXDATEs beyond a hundred, also after the calendar got another zone", async () => {
    const days = Array.from({ length: 120 }, (_, at) => new Date(Date.UTC(2026, 3, 2 + at)).toISOString());
    const stamps = days.map((day) => day.slice(0, 10).replaceAll("-", ""));
    const text = (some: readonly string[]) =>
      vcalendar(`${DAY}\nRRULE:FREQ=DAILY;COUNT=122\nEXDATE;VALUE=DATE:${some.join(",")}`);
    const first = await importInMemory(text(stamps.slice(0, 105)), "Europe/Berlin");
    const again = await importInMemory(text(stamps), later, first.memory);
    expect(shown(again)).toEqual(["2026-04-01/2026-04-02", "2026-07-31/2026-08-01"]);
    expect((await importInMemory(text(stamps), later, again.memory)).writes).toBe(0);
  });

  test("makes an event with times all-day, and the reverse", async () => {
    const day = "DTSTART;VALUE=DATE:20260401";
    const midnights = "DTSTART;TZID=Europe/Berlin:20260401T000000\nDTEND;TZID=Europe/Berlin:20260402T000000";
    for (const more of ["", "\nRRULE:FREQ=WEEKLY;COUNT=1"]) {
      const [dated, timed] = [day, midnights].map((lines) => vcalendar(`UID:a\n${lines}${more}`)) as [string, string];
      const first = await importInMemory(timed, "Europe/Berlin");
      const second = await importInMemory(dated, "Europe/Berlin", first.memory);
      const third = await importInMemory(timed, "Europe/Berlin", second.memory);
      expect([first, second, third].map((each) => [shown(each), each.writes])).toEqual([
        [["2026-03-31T22:00/2026-04-01T22:00"], 1],
        [["2026-04-01/2026-04-02"], 1],
        [["2026-03-31T22:00/2026-04-01T22:00"], 1],
      ]);
    }
  });

  test("gives an occurrence its dates back in place of times", async () => {
    const timed = "UID:a\nRECURRENCE-ID;VALUE=DATE:20260415\nDTSTART:20260415T100000Z\nDURATION:PT1H";
    const first = await importInMemory(vcalendar(rule, timed), "Europe/Berlin");
    const second = await importInMemory(vcalendar(rule, own), "Europe/Berlin", first.memory);
    expect([shown(first)[1], shown(second)[1]]).toEqual(["2026-04-15T10:00/2026-04-15T11:00", "2026-04-16/2026-04-17"]);
  });
});

describe("our own feed with all-day events", () => {
  const contents = () => {
    const { calendar, events, overrides = [] } = goldenFeed();
    const kept = events.filter(({ name, allDay }) => allDay !== undefined || name === "Raid night");
    const stored = kept.map((event): [string, MemoryEvent] => {
      const own = overrides.filter(({ eventId }) => eventId === event.id);
      const { guildId, calendarNumber } = calendar;
      return [
        event.id,
        { event: { guildId, calendarNumber, ...event }, overrides: new Map(own.map((each) => [each.original, each])) },
      ];
    });
    return { calendar, events: kept, overrides, memory: new Map(stored) };
  };

  test("changes nothing in its calendar, and has the same dates in another one", async () => {
    const { memory, ...feed } = contents();
    const text = (await feedPagesOf(feed)).join("");
    const again = await importInMemory(text, feed.calendar.zoneChanges, memory);
    expect([again.findings, again.writes]).toEqual([[], 0]);
    const datesOf = ({ views }: MemoryImport) => views(EVER).flatMap(({ startDate }) => startDate ?? []);
    expect(datesOf(again)).toHaveLength(11);
    expect(datesOf(await importInMemory(text, "Asia/Tokyo"))).toEqual(datesOf(again));
  });

  test("changes nothing after the calendar got another zone", async () => {
    const { memory, ...rest } = contents();
    const events = rest.events.filter(({ allDay }) => allDay !== undefined);
    const zoneChanges = [
      ...rest.calendar.zoneChanges,
      { version: 2, timezone: "Pacific/Apia", since: Date.UTC(2026, 3, 1) },
    ];
    const feed = { ...rest, events, calendar: { ...rest.calendar, zoneChanges } };
    const again = await importInMemory((await feedPagesOf(feed)).join(""), zoneChanges, memory);
    expect([again.findings, again.writes]).toEqual([[], 0]);
  });

  test("with other dates keeps the additions of its series, on their dates, and the series that it follows", async () => {
    const { memory, ...feed } = contents();
    const [id, { event, overrides }] = [...memory].find(([, each]) => each.event.name === "Each Monday")!;
    const split = new Map([[id, { event: { ...event, follows: [event.id] }, overrides }]]);
    const zoneChanges = [
      ...feed.calendar.zoneChanges,
      { version: 2, timezone: "Asia/Tokyo", since: Date.UTC(2026, 0, 3) },
    ];
    const series = `UID:${id}\nDTSTART;VALUE=DATE:20260309\nRRULE:FREQ=WEEKLY;UNTIL=20260531`;
    const again = await importInMemory(vcalendar(series), zoneChanges, split);
    expect(again.findings).toEqual([]);
    expect(shown(again)).toContain("2026-04-08/2026-04-09");
    expect(again.events[0]).toMatchObject({ follows: [event.id], allDay: { anchor: { timezone: "Asia/Tokyo" } } });
  });
});
