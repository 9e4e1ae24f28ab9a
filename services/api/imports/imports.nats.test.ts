import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { calendarFile } from "../../../test/calendar/import-file.ts";
import { startsInFeed } from "../../../test/calendar/read-feed.ts";
import {
  counts,
  MARCH,
  newImportGuild,
  none,
  startImportGateway,
  vcalendar,
} from "../../../test/harness/import-guild.ts";
import type { TestGateway } from "../../../test/harness/test-gateway.ts";
import { IMPORT_PATH } from "./calendar-import.ts";
import { importExample } from "./import-example.ts";

const DAY = 86_400_000;

describe("imports of calendars (D52)", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startImportGateway();
  });
  afterAll(() => gateway.stop());

  const newGuild = (calendar_number = 1) => newImportGuild(gateway, calendar_number);

  test("a dry run stores nothing; an import is the calendar of ical.js in another zone; again it is unchanged", async () => {
    const guild = newGuild();
    const text = calendarFile("google.ics");
    const dry = await guild.load(text, "&dry_run=true");
    expect(dry).toMatchObject({ ...none, created: 4, deleted: 1, dry_run: true, complete: true, report: [] });
    expect(await guild.list()).toEqual([]);
    expect(await guild.load(text)).toEqual({ ...dry, dry_run: false, message: "Calendar imported" });
    const first = await guild.list();
    // The calendar is on UTC, and the series in Berlin: half of the occurrences are in summer time.
    const expected = startsInFeed(text, { from: MARCH, until: MARCH + 100 * DAY }).filter(
      (at) => at !== Date.UTC(2026, 2, 10, 19),
    );
    expect(first.map(({ epoch_start }) => epoch_start)).toEqual(expected);
    expect(await guild.load(text)).toMatchObject({ ...none, unchanged: 5 });
    expect(await guild.list()).toEqual(first);
    expect(dry["not_imported"]).toEqual([
      { name: "X-WR-CALNAME", count: 1 },
      { name: "X-WR-TIMEZONE", count: 1 },
      { name: "ORGANIZER", count: 1 },
      { name: "VALARM", count: 1 },
    ]);
  });

  test("an import again is an update of the same event, and what the VEVENT cannot say stays", async () => {
    const guild = newGuild();
    const event = (more: string) => vcalendar(`UID:a\nDTSTART:20260305T100000Z\nDURATION:PT1H\n${more}`);
    await guild.load(event("SUMMARY:One\nDESCRIPTION:Long"));
    const [before] = await guild.list();
    const { event_id } = before as { event_id: string };
    await guild.ask("/v2/events/update", {
      ...guild.where,
      event_id,
      color: "RED",
      image: "https://example.com/a.png",
    });
    expect(await guild.load(event("SUMMARY:Two"))).toMatchObject({ ...none, updated: 1 });
    expect(await guild.list()).toEqual([
      expect.objectContaining({ event_id, name: "Two", color: "RED", image: "https://example.com/a.png" }),
    ]);
    expect((await guild.list())[0]).not.toHaveProperty("description");
    await guild.load(event("SUMMARY:Two\nRRULE:FREQ=WEEKLY;COUNT=3"));
    expect((await guild.list()).map((each) => each["event_id"])).toEqual(
      [1, 2, 3].map(() => expect.stringContaining(event_id)),
    );
    expect(await guild.load(event("STATUS:CANCELLED"))).toMatchObject({ ...none, deleted: 1 });
    expect(await guild.list()).toEqual([]);
    expect(await guild.load(event("SUMMARY:Three"))).toMatchObject({ ...none, created: 1 });
  });

  test("a series in another zone is found by every window, also after the calendar has moved to that zone", async () => {
    const guild = newGuild();
    const text = vcalendar(
      "UID:a\nDTSTART;TZID=Pacific/Auckland:20260301T003000\nDURATION:PT30M\nRRULE:FREQ=DAILY\nSUMMARY:Midnight",
    );
    await guild.load(text);
    const daily = startsInFeed(text.replaceAll("TZID=Pacific/Auckland:20260301T003000", "X-A=1:20260228T113000Z"), {
      from: MARCH,
      until: MARCH + 30 * DAY,
    });
    for (const from of daily.slice(0, 20)) {
      const window = { epoch_start: from, epoch_end: from + 1_000 };
      const { events } = await guild.ask("/v2/events/list/range", { ...guild.where, ...window });
      expect(events).toEqual([expect.objectContaining({ epoch_start: from })]);
    }
    const { path } = await guild.ask("/v2/calendar/feeds/create", guild.where);
    const feed = (await gateway.request(path as string)).text;
    expect(feed).toMatch(/BEGIN:VTIMEZONE\r\nTZID:Pacific\/Auckland\r\n/);
    expect(startsInFeed(feed, { from: MARCH, until: MARCH + 60 * DAY })).toContain(Date.UTC(2026, 3, 9, 12, 30));
    const april = Date.UTC(2026, 3, 9, 12, 30);
    await guild.ask("/v2/calendar/update", { ...guild.where, timezone: "Pacific/Auckland" });
    const { events } = await guild.ask("/v2/events/list/range", {
      ...guild.where,
      epoch_start: april,
      epoch_end: april + 1_000,
    });
    expect(events).toEqual([expect.objectContaining({ epoch_start: april })]);
  });

  test("our own feed changes nothing in its calendar, and has the same instants in another one", async () => {
    const [guild, other] = [newGuild(), newGuild()];
    await guild.ask("/v2/calendar/update", { ...guild.where, timezone: "Europe/Berlin" });
    const create = async (fields: object) => {
      const times = { epoch_start: MARCH + 19 * 3_600_000, epoch_end: MARCH + 21 * 3_600_000 };
      await guild.ask("/v2/events/create", { ...guild.where, ...times, ...fields });
    };
    await create({ name: "Single, with\na break", location: "A; B", color: "MAUVE", epoch_start: MARCH + 5 });
    await create({
      name: "Series",
      recur: true,
      recurrence: { rrule: "FREQ=WEEKLY;BYDAY=SU,WE", r_dates: [MARCH + 2 * DAY] },
    });
    const occurrences = (await guild.list()).filter(({ name }) => name === "Series").map((each) => each["event_id"]);
    await guild.ask("/v2/events/delete", { ...guild.where, event_id: occurrences[2] });
    await guild.ask("/v2/events/update", {
      ...guild.where,
      event_id: occurrences[3],
      name: "Changed",
      epoch_start: MARCH + 9 * DAY,
      epoch_end: MARCH + 9 * DAY + 60_000,
    });
    await guild.ask("/v2/events/update", { ...guild.where, event_id: occurrences[5], description: "Only text" });
    const { path } = await guild.ask("/v2/calendar/feeds/create", guild.where);
    const feed = (await gateway.request(path as string)).text;
    const before = await guild.list();
    expect(await guild.load(feed)).toMatchObject({ ...none, unchanged: 5, report: [] });
    expect(await guild.list()).toEqual(before);
    expect(await other.load(feed)).toMatchObject({ ...none, created: 5, report: [] });
    const seen = (events: readonly Record<string, unknown>[]) =>
      events.map(({ epoch_start, name, description, location, color }) => ({
        at: Math.floor((epoch_start as number) / 1_000),
        name,
        description,
        location,
        color,
      }));
    expect(seen(await other.list())).toEqual(seen(before));
  });

  test("events of whole days have dates; our own feed of them changes nothing, also after a new zone", async () => {
    const [guild, other] = [newGuild(), newGuild()];
    await guild.ask("/v2/calendar/update", { ...guild.where, timezone: "Europe/Berlin" });
    const series = "UID:b\nDTSTART;VALUE=DATE:20260328\nDTEND;VALUE=DATE:20260330\nRRULE:FREQ=WEEKLY;COUNT=4";
    const text = vcalendar(
      "UID:a\nDTSTART;VALUE=DATE:20260306\nDURATION:P3D",
      `${series}\nEXDATE;VALUE=DATE:20260404`,
      "UID:b\nRECURRENCE-ID;VALUE=DATE:20260411\nDTSTART;VALUE=DATE:20260412",
      "UID:b\nRECURRENCE-ID;VALUE=DATE:20260418\nDTSTART:20260418T100000Z\nDURATION:PT1H",
    );
    expect(await guild.load(text)).toMatchObject({ ...none, created: 4, report: [] });
    const shown = ({ start_date, end_date, epoch_start, all_day }: Record<string, unknown>) =>
      all_day === true ? [start_date, end_date] : [epoch_start];
    const dates = [
      ["2026-03-06", "2026-03-09"],
      ["2026-03-28", "2026-03-30"],
      ["2026-04-12", "2026-04-13"],
      [Date.UTC(2026, 3, 18, 10)],
    ];
    const first = await guild.list();
    expect(first.map(shown)).toEqual(dates);
    expect(first[1]).toMatchObject({ epoch_start: Date.UTC(2026, 2, 27, 23), epoch_end: Date.UTC(2026, 2, 29, 22) });
    const recurrence = { rrule: "FREQ=WEEKLY;COUNT=3", r_dates: [Date.UTC(2026, 4, 5, 22)] };
    const added = { all_day: true, start_date: "2026-05-04", name: "Ours", recur: true, recurrence };
    await guild.ask("/v2/events/create", { ...guild.where, ...added });
    const ours = (await guild.list()).filter(({ name }) => name === "Ours").map(({ event_id }) => event_id);
    await guild.ask("/v2/events/delete", { ...guild.where, event_id: ours[2] });
    await guild.ask("/v2/events/update", { ...guild.where, event_id: ours[1], name: "The addition" });
    const { path } = await guild.ask("/v2/calendar/feeds/create", guild.where);
    for (const timezone of ["Europe/Berlin", "Asia/Tokyo"]) {
      await guild.ask("/v2/calendar/update", { ...guild.where, timezone });
      const before = await guild.list();
      const feed = (await gateway.request(path as string)).text;
      expect(await guild.load(feed)).toMatchObject({ ...none, unchanged: 6, report: [] });
      expect(await guild.load(text)).toMatchObject({ ...none, unchanged: 4, report: [] });
      expect(await guild.list()).toEqual(before);
    }
    const feed = (await gateway.request(path as string)).text;
    expect(await other.load(feed)).toMatchObject({ ...none, created: 6, report: [] });
    expect((await other.list()).map(shown)).toEqual((await guild.list()).map(shown));
  });

  test("the example of the API document has its response", async () => {
    expect(await newGuild().load(importExample.body)).toEqual(importExample.response);
  });

  test("a guild at its limit gets the events that fit, and the reason for the others with their lines", async () => {
    const guild = newGuild();
    const events = Array.from({ length: 63 }, (_, at) => `UID:${at}\nDTSTART:20260305T100000Z\nSUMMARY:${at}`);
    const dry = await guild.load(vcalendar(...events), "&dry_run=true");
    const { report, reasons, ...imported } = await guild.load(vcalendar(...events));
    expect([counts(dry), dry["reasons"]]).toEqual([counts(imported), reasons]);
    expect(counts(imported)).toEqual({ ...none, created: 60, skipped: 3 });
    expect(reasons).toEqual([{ reason: "TOO_MANY_EVENTS", count: 3 }]);
    const lines = (report as { line: number }[]).map(({ line }) => (line - 3) / 5);
    expect(new Set(lines).size).toBe(3);
    expect(lines.every((at) => Number.isInteger(at) && at >= 0 && at < 63)).toBe(true);
    expect((await guild.list()).length).toBe(60);
  });

  test("imports of one body at the same time create each event once", async () => {
    const guild = newGuild();
    const text = vcalendar(...Array.from({ length: 50 }, (_, at) => `UID:${at}\nDTSTART:20260305T100000Z`));
    const all = await Promise.all(Array.from({ length: 4 }, () => guild.send(text)));
    expect(all.every(({ status }) => status === 200 || status === 429)).toBe(true);
    expect(await guild.load(text)).toMatchObject({ ...none, unchanged: 50 });
    expect(await guild.list()).toHaveLength(50);
  });

  test("a request that is no import is refused before its body is read", async () => {
    const guild = newGuild();
    const text = vcalendar("UID:a\nDTSTART:20260305T100000Z");
    const refused = async (answer: ReturnType<typeof guild.send>) => {
      const { status, body } = await answer;
      return [status, body["code"], (body["errors"] as { field: string }[] | undefined)?.map(({ field }) => field)];
    };
    expect(await refused(guild.send(text, "", { authorization: "gc_no" }))).toEqual([401, "UNAUTHORIZED", undefined]);
    expect(await refused(guild.send(text, "", { "content-type": "application/json" }))).toEqual([
      415,
      "UNSUPPORTED_MEDIA_TYPE",
      undefined,
    ]);
    const latin = { "content-type": "text/calendar; charset=iso-8859-1" };
    expect((await refused(guild.send(text, "", latin)))[0]).toBe(415);
    const utf8 = { "content-type": 'Text/Calendar; method=PUBLISH; charset="UTF-8"' };
    expect((await refused(guild.send(text, "", utf8)))[0]).toBe(200);
    expect(await refused(guild.send(text, "&dry_run=yes"))).toEqual([400, "INVALID_REQUEST", ["dry_run"]]);
    expect(await refused(guild.send("hello"))).toEqual([400, "INVALID_REQUEST", ["body"]]);
    expect(await refused(newGuild(7).send(text))).toEqual([404, "CALENDAR_NOT_FOUND", undefined]);
    expect(await refused(newGuild(7).send(vcalendar()))).toEqual([404, "CALENDAR_NOT_FOUND", undefined]);
    const missing = gateway.request(IMPORT_PATH, {
      method: "POST",
      headers: { authorization: "operator-key-of-the-tests", "content-type": "text/calendar" },
      body: text,
    });
    expect(await refused(missing)).toEqual([400, "INVALID_REQUEST", ["guild_id", "calendar_number"]]);
    expect((await gateway.request(IMPORT_PATH)).status).toBe(405);
    const { body: key } = await gateway.post("/admin/keys/create", {
      kind: "guild",
      guilds: ["1"],
      access: "write",
      label: "another guild",
    });
    expect(await refused(guild.send(text, "", { authorization: String(key["key"]) }))).toEqual([
      403,
      "FORBIDDEN",
      undefined,
    ]);
  });
});
