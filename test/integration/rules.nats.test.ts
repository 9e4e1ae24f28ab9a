import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { dispatchService } from "../../services/dispatch/dispatch.service.ts";
import { logSink } from "../../services/dispatch/sinks/log/log.sink.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";
import { until } from "../harness/until.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Monday 2035-01-01, 20:00 in Berlin. */
const monday = Date.UTC(2035, 0, 1, 19);

type Json = Record<string, unknown>;

describe("rules of RFC 5545 over HTTP (D45)", () => {
  let gateway: TestGateway;
  let guilds = 0;
  beforeAll(async () => {
    const sinks = [logSink({ writeLine: () => undefined })];
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks, graceMs: HOUR }),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  /** A new guild's calendar in Berlin. */
  async function newCalendar() {
    guilds += 1;
    const where = { guild_id: String(375_357_265_198_317_579n + BigInt(guilds)), calendar_number: 1 };
    await gateway.post("/v2/calendar/update", { ...where, timezone: "Europe/Berlin" });
    return {
      where,
      create: (recurrence: Json, start = monday) =>
        gateway.post("/v2/events/create", {
          ...where,
          epoch_start: start,
          epoch_end: start + HOUR,
          recur: true,
          recurrence,
        }),
      get: async (event_id: unknown) => (await gateway.post("/v2/events/get", { ...where, event_id })).body,
      update: (event_id: unknown, changes: Json) =>
        gateway.post("/v2/events/update", { ...where, event_id, ...changes }),
      async starts(from: number, days: number): Promise<string[]> {
        const window = { epoch_start: from, epoch_end: from + days * DAY - 1 };
        const { body } = await gateway.post("/v2/events/list/range", { ...where, ...window });
        return (body["events"] as Json[]).map((event) =>
          new Date(event["epoch_start"] as number).toISOString().slice(0, 13),
        );
      },
      async ids(from: number, days: number): Promise<string[]> {
        const window = { epoch_start: from, epoch_end: from + days * DAY - 1 };
        const { body } = await gateway.post("/v2/events/list/range", { ...where, ...window });
        return (body["events"] as Json[]).map((event) => String(event["event_id"]));
      },
    };
  }

  test("a set of weekdays is created, read, listed across a clock change, and changed", async () => {
    const calendar = await newCalendar();
    const { status, body } = await calendar.create({ frequency: "weekly", by_day: ["we", "mo"] });
    expect(status).toBe(200);
    const recurrence = {
      frequency: "WEEKLY",
      count: -1,
      interval: 1,
      by_day: ["MO", "WE"],
      rrule: "FREQ=WEEKLY;BYDAY=MO,WE",
    };
    await expect(calendar.get(body["id"])).resolves.toMatchObject({ is_parent: true, recurrence });
    // Clocks go forward on 2035-03-25.
    await expect(calendar.starts(Date.UTC(2035, 2, 20), 10)).resolves.toEqual([
      "2035-03-21T19",
      "2035-03-26T18",
      "2035-03-28T18",
    ]);
    const [first = ""] = await calendar.ids(Date.UTC(2035, 2, 20), 10);
    const occurrence = await calendar.get(first);
    expect([occurrence["is_parent"], occurrence["recurrence"]]).toEqual([false, recurrence]);
    await calendar.update(body["id"], { recurrence: { rrule: "FREQ=WEEKLY;BYDAY=MO,TH" }, recur: true });
    await expect(calendar.starts(monday - DAY, 7)).resolves.toEqual(["2035-01-01T19", "2035-01-04T19"]);
  });

  test("the last Friday of the month, until a date, is the same in both forms", async () => {
    const calendar = await newCalendar();
    const friday = Date.UTC(2035, 0, 26, 19);
    const { body } = await calendar.create({ rrule: "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20350427" }, friday);
    const series = await calendar.get(body["id"]);
    expect(series["recurrence"]).toEqual({
      frequency: "MONTHLY",
      count: -1,
      interval: 1,
      by_day: ["-1FR"],
      until: Date.UTC(2035, 3, 27, 21, 59, 59),
      rrule: "FREQ=MONTHLY;UNTIL=20350427T215959Z;BYDAY=-1FR",
    });
    const expected = ["2035-01-26T19", "2035-02-23T19", "2035-03-30T18", "2035-04-27T18"];
    await expect(calendar.starts(monday, 365)).resolves.toEqual(expected);
    // A response may be sent back in a request.
    const { status } = await calendar.update(body["id"], { recur: true, recurrence: series["recurrence"] });
    expect(status).toBe(200);
    await expect(calendar.starts(monday, 365)).resolves.toEqual(expected);
    expect((await calendar.get(body["id"]))["recurrence"]).toEqual(series["recurrence"]);
  });

  test("a rule with times of day is created, listed by each of them across a clock change, and counted", async () => {
    const calendar = await newCalendar();
    const { body } = await calendar.create({ rrule: "FREQ=DAILY;BYHOUR=8,20" });
    const recurrence = { by_hour: [8, 20], rrule: "FREQ=DAILY;BYHOUR=8,20" };
    await expect(calendar.get(body["id"])).resolves.toMatchObject({ recurrence });
    // Clocks go forward on 2035-03-25.
    await expect(calendar.starts(Date.UTC(2035, 2, 24, 1), 2)).resolves.toEqual([
      "2035-03-24T07",
      "2035-03-24T19",
      "2035-03-25T06",
      "2035-03-25T18",
    ]);
    await calendar.update(body["id"], { recur: true, recurrence: { frequency: "DAILY", count: 4, by_hour: [8, 20] } });
    const counted = ["2035-01-01T19", "2035-01-02T07", "2035-01-02T19", "2035-01-03T07"];
    await expect(calendar.starts(monday - DAY, 30)).resolves.toEqual(counted);
    const ids = await calendar.ids(monday - DAY, 30);
    await calendar.update(ids[2], { name: "evening" });
    await expect(calendar.get(ids[2])).resolves.toMatchObject({ name: "evening" });
    const split = await calendar.update(ids[3], { scope: "following", name: "last" });
    expect(split.status).toBe(200);
    await expect(calendar.starts(monday - DAY, 30)).resolves.toEqual(counted);
  });

  test("exceptions are not listed and have no id, additions are listed and have one", async () => {
    const calendar = await newCalendar();
    const dates = { ex_dates: [monday + 7 * DAY], r_dates: [monday + 2 * DAY] };
    const { body } = await calendar.create({ frequency: "WEEKLY", count: 3, ...dates });
    await expect(calendar.starts(monday, 60)).resolves.toEqual(["2035-01-01T19", "2035-01-03T19", "2035-01-15T19"]);
    await expect(calendar.get(`${String(body["id"])}_20350103T190000Z`)).resolves.toMatchObject({ is_parent: false });
    await expect(calendar.get(`${String(body["id"])}_20350108T190000Z`)).resolves.toMatchObject({
      code: "EVENT_NOT_FOUND",
    });
  });

  test("a changed occurrence keeps its change if the new rule still has it (D19)", async () => {
    const calendar = await newCalendar();
    const { body } = await calendar.create({ frequency: "DAILY" });
    const [, second = "", third = ""] = await calendar.ids(monday, 4);
    for (const id of [second, third]) await calendar.update(id, { name: "own" });
    await calendar.update(body["id"], { recur: true, recurrence: { frequency: "WEEKLY", by_day: ["MO", "WE"] } });
    await expect(calendar.get(third)).resolves.toMatchObject({ name: "own" });
    await expect(calendar.get(second)).resolves.toMatchObject({ code: "EVENT_NOT_FOUND" });
  });

  test("an edit of the following occurrences has the id and the revision of the new series (D51)", async () => {
    const calendar = await newCalendar();
    const { body } = await calendar.create({ frequency: "DAILY", count: 4 });
    const ids = await calendar.ids(monday, 4);
    const split = await calendar.update(ids[2], { scope: "Following", name: "later" });
    expect([split.status, split.body]).toEqual([200, { message: "Event updated", id: expect.any(String) }]);
    const { where } = calendar;
    const series = await gateway.post("/v2/events/get", { ...where, event_id: split.body["id"] });
    expect(series.headers.get("etag")).toBe(split.headers.get("etag"));
    expect(series.body).toMatchObject({ name: "later", recurrence: { count: 2 } });
    expect((await calendar.ids(monday, 4)).slice(0, 2)).toEqual(ids.slice(0, 2));
    await calendar.update(ids[0], { scope: "THIS", name: "first" });
    const all = await calendar.update(ids[1], { scope: "all", location: "here" });
    expect([all.status, all.body]).toEqual([200, { message: "Event updated" }]);
    await expect(calendar.get(ids[0])).resolves.toMatchObject({ name: "first", location: "here" });
    const refused = await calendar.update(body["id"], { scope: "following", name: "x" });
    expect([refused.status, refused.body["errors"]]).toMatchObject([400, [{ field: "scope" }]]);
    const unknown = await calendar.update(ids[0], { scope: "later", name: "x" });
    expect([unknown.status, unknown.body["errors"]]).toMatchObject([400, [{ field: "scope" }]]);
    const ended = await gateway.post("/v2/events/delete", { ...where, event_id: ids[1], scope: "following" });
    expect(ended.status).toBe(200);
    const left = await calendar.ids(monday - DAY, 6);
    expect(left).toEqual([ids[0], expect.stringContaining(String(split.body["id"])), expect.any(String)]);
  });

  test("a simple rule has the same response as before D45", async () => {
    const calendar = await newCalendar();
    const { body } = await calendar.create({ frequency: "WEEKLY", count: 4 });
    expect(JSON.stringify((await calendar.get(body["id"]))["recurrence"])).toBe(
      '{"frequency":"WEEKLY","count":4,"interval":1}',
    );
  });

  test.each<[string, Json, string]>([
    ["without a frequency", { by_day: ["MO"] }, "recurrence.frequency"],
    ["with a weekday that does not exist", { frequency: "WEEKLY", by_day: ["MO", "XX"] }, "recurrence.by_day[1]"],
    ["with a month that does not exist", { frequency: "YEARLY", by_month: [13] }, "recurrence.by_month[0]"],
    [
      "of too many exceptions",
      { frequency: "DAILY", ex_dates: Array.from({ length: 101 }, (_, at) => at) },
      "recurrence.ex_dates",
    ],
    ["with an unknown member", { frequency: "DAILY", by_week_no: [1] }, "recurrence.by_week_no"],
    ["with an hour that does not exist", { frequency: "DAILY", by_hour: [20, 24] }, "recurrence.by_hour[1]"],
    ["with a start that is none of its times of day", { frequency: "DAILY", by_hour: [9, 21] }, "epoch_start"],
    [
      "with too many times of day",
      { frequency: "DAILY", by_hour: [20], by_minute: Array.from({ length: 25 }, (_, at) => at) },
      "recurrence.by_minute",
    ],
    ["with a number in a week", { frequency: "WEEKLY", by_day: ["1MO"] }, "recurrence.by_day[0]"],
    ["with a start that is not one of its dates", { frequency: "WEEKLY", by_day: ["TU"] }, "epoch_start"],
    ["that ends before it starts", { frequency: "DAILY", until: monday - 1000 }, "recurrence.until"],
    ["that ends before its second date", { frequency: "DAILY", until: monday + 1000 }, "recurrence.until"],
    [
      "whose exceptions leave no occurrence",
      { frequency: "DAILY", count: 2, ex_dates: [monday, monday + DAY] },
      "recurrence.ex_dates",
    ],
    ["with an addition before its start", { frequency: "DAILY", r_dates: [monday - 1] }, "recurrence.r_dates"],
    ["of a part that is not supported", { rrule: "FREQ=YEARLY;BYWEEKNO=1" }, "recurrence.rrule"],
    ["of two forms that differ", { frequency: "WEEKLY", rrule: "FREQ=DAILY" }, "recurrence.frequency"],
  ])("a rule %s is refused with its field, and nothing is stored", async (_name, recurrence, field) => {
    const calendar = await newCalendar();
    const { status, body } = await calendar.create(recurrence);
    expect([status, (body["errors"] as Json[] | undefined)?.map((error) => error["field"])]).toEqual([400, [field]]);
    await expect(calendar.starts(monday - DAY, 60)).resolves.toEqual([]);
  });

  test("a rule without a second date before the year 10000 is refused", async () => {
    const calendar = await newCalendar();
    const late = Date.UTC(8600, 0, 1, 19);
    const by_day = [weekdayOf(late)];
    const recurrence = { frequency: "YEARLY", interval: 1000, by_month: [1], by_month_day: [1] };
    const { status, body } = await calendar.create({ ...recurrence, by_day }, late);
    expect([status, body["errors"]]).toMatchObject([400, [{ field: "recurrence", code: "OUT_OF_RANGE" }]]);
    expect((await calendar.create(recurrence, late)).status).toBe(200);
  });

  test("an unknown member is refused with the known field names", async () => {
    const calendar = await newCalendar();
    const { body } = await calendar.create({ frequency: "DAILY", byDay: ["MO"] });
    const [error] = body["errors"] as Json[];
    expect(error).toMatchObject({ field: "recurrence.byDay", allowed: expect.arrayContaining(["by_day", "ex_dates"]) });
    expect(String(error?.["message"])).toContain("by_month_day");
    expect(String(error?.["message"])).not.toContain("byDay");
  });

  test("a RECUR announcement of weekdays is planned for each of them, and not for an exception", async () => {
    const calendar = await newCalendar();
    const guild = { guild_id: calendar.where.guild_id };
    // The first is due in one to two hours, the next a day later: both within the plan.
    const start = (Math.ceil(Date.now() / HOUR) + 1) * HOUR + 3 * DAY;
    const lead = { hours: 3 * 24, minutes: 0 };
    const recurrence = { frequency: "WEEKLY", by_day: [weekdayOf(start), weekdayOf(start + DAY)] };
    const planned = async (rule: Json) => {
      await gateway.post("/v2/calendar/update", { ...calendar.where, timezone: "UTC" });
      const { body } = await calendar.create(rule, start);
      const fields = { channel: "1", type: "RECUR", event_id: body["id"], info: "", ...lead };
      const made = await gateway.post("/v1/announcement/create", { ...guild, ...fields });
      const posts = async () => {
        const { body: response } = await gateway.post("/v1/announcement/upcoming", { ...guild, amount: -1 });
        return (response["posts"] as Json[]).filter((post) => post["announcement_id"] === made.body["id"]);
      };
      await until(async () => (await posts()).length > 0, "the plan");
      return (await posts()).map((post) => post["epoch_start"]);
    };
    await expect(planned(recurrence)).resolves.toEqual([start, start + DAY]);
    await expect(planned({ ...recurrence, ex_dates: [start + DAY] })).resolves.toEqual([start]);
  });
});

/** The weekday of an instant in UTC. */
function weekdayOf(at: number): string {
  return new Date(at).toUTCString().slice(0, 2).toUpperCase();
}
