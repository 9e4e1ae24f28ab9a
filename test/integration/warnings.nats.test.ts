import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";

const guild_id = "375357265198317579";
const calendar = { guild_id, calendar_number: 1 };
const event = { ...calendar, epoch_start: 1_894_388_400_000, epoch_end: 1_894_395_600_000 };
const series = { ...event, recur: true, recurrence: { frequency: "WEEKLY", count: 3, interval: 2 } };

/** The members of a recurrence. */
const MEMBERS =
  "frequency count interval by_day by_month_day by_month by_hour by_minute by_second by_set_pos until week_start ex_dates r_dates rrule".split(
    " ",
  );

describe("the warnings of successful requests (D37)", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      standIn("dispatch"),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  async function done(path: string, body: object, headers?: Record<string, string>) {
    const response = await gateway.post(path, body, headers);
    expect([path, response.status, response.text]).toEqual([path, 200, response.text]);
    return response;
  }

  test("an event in seconds is stored, and the warning is after the other fields of the response", async () => {
    const slip = { ...event, guild_id: "7", epoch_start: 1_894_388_400, nmae: "Raid" };
    const { body } = await done("/v2/events/create", slip);
    expect(Object.keys(body)).toEqual(["message", "id", "warnings"]);
    expect(body["warnings"]).toMatchObject([
      { field: "epoch_start", code: "BEFORE_1980" },
      { field: "nmae", code: "UNKNOWN_FIELD", message: expect.stringContaining("did you mean name?") },
    ]);
    const read = { ...calendar, guild_id: "7", event_id: body["id"] };
    await expect(done("/v2/events/get", read)).resolves.toMatchObject({
      body: { epoch_start: 1_894_388_400 },
    });
  });

  test("an exception of a series in seconds has no effect, and the warning has its index", async () => {
    const recurrence = { ...series.recurrence, ex_dates: [series.epoch_start, series.epoch_start / 1_000] };
    const { body } = await done("/v2/events/create", { ...series, guild_id: "8", recurrence });
    expect(body["warnings"]).toMatchObject([{ field: "recurrence.ex_dates[1]", code: "BEFORE_1980" }]);
    const month = { ...calendar, guild_id: "8", epoch_start: series.epoch_start, days_in_month: 31 };
    expect((await done("/v2/events/list/month", month)).body["events"]).toHaveLength(2);
  });

  test("a request that is repeated with its Idempotency-Key gets the same warnings", async () => {
    const send = () => done("/v2/events/create", { ...event, nmae: "Raid" }, { "idempotency-key": "twice" });
    const first = await send();
    expect(first.body["warnings"]).toHaveLength(1);
    expect((await send()).text).toBe(first.text);
  });

  test("a list has its warnings after its entries", async () => {
    for (const entries of [0, 60]) {
      const guild = String(1_000 + entries);
      const listed = { ...calendar, guild_id: guild, epoch_start: 5, epoch_end: event.epoch_end };
      for (let each = 0; each < entries; each += 1) await done("/v2/events/create", { ...event, guild_id: guild });
      const { body } = await done("/v2/events/list/range", listed);
      expect(Object.keys(body)).toEqual(["events", "warnings"]);
      expect([(body["events"] as object[]).length, body["warnings"]]).toMatchObject([
        entries,
        [{ code: "BEFORE_1980" }],
      ]);
    }
  });

  test("a refused request has errors and no warnings", async () => {
    const { status, body } = await gateway.post("/v2/events/create", { ...event, epoch_end: 5, nmae: "Raid" });
    expect([status, "warnings" in body]).toEqual([400, false]);
  });

  test("a request with the response of a get or a list gets no warning", async () => {
    for (const made of [event, series]) {
      const { id: event_id } = (await done("/v2/events/create", made)).body;
      const { body: read } = await done("/v2/events/get", { ...calendar, event_id });
      for (const path of ["/v2/events/update", "/v2/events/create"]) {
        expect((await done(path, { ...calendar, ...read })).body).not.toHaveProperty("warnings");
      }
    }
    const { events } = (await done("/v2/events/list/range", event)).body as { events: object[] };
    for (const listed of events) {
      expect((await done("/v2/events/create", { ...calendar, ...listed })).body).not.toHaveProperty("warnings");
    }

    const announcement = { guild_id, channel: "1", type: "COLOR", event_color: "RED", hours: 0, minutes: 5, info: "" };
    const { id } = (await done("/v1/announcement/create", announcement)).body;
    const { body: read } = await done("/v1/announcement/get", { guild_id, id });
    const { announcements } = (await done("/v1/announcement/list", { guild_id, amount: -1 })).body;
    for (const sent of [read, ...(announcements as object[])]) {
      for (const path of ["/v1/announcement/update", "/v1/announcement/create"]) {
        expect((await done(path, { guild_id, id, ...sent })).body).not.toHaveProperty("warnings");
      }
    }

    for (const [resource, named] of [
      ["/v1/guild/settings", { guild_id }],
      ["/v2/guild/settings", { guild_id }],
      ["/v2/calendar", calendar],
    ] as const) {
      const { text } = await done(`${resource}/get`, named);
      const sent = `{"guild_id":"${guild_id}",${text.replace(/^\{("guild_id":\d+,)?/, "")}`;
      expect((await done(`${resource}/update`, JSON.parse(sent))).body).not.toHaveProperty("warnings");
    }
  });

  test("an unknown member of a recurrence is refused with its name, and nothing is stored", async () => {
    const before = await gateway.post("/v2/events/list/range", event);
    for (const [path, more] of [
      ["/v2/events/create", {}],
      ["/v2/events/update", { event_id: "x" }],
    ] as const) {
      const members = `{"frequency":"WEEKLY","by_week_no":[9],"untill":null,"__proto__":1}`;
      const sent = JSON.stringify({ ...series, ...more, recurrence: 0 }).replace(
        `"recurrence":0`,
        `"recurrence":${members}`,
      );
      await expect(gateway.post(path, sent)).resolves.toMatchObject({
        status: 400,
        body: {
          code: "INVALID_REQUEST",
          errors: [
            {
              field: "recurrence.by_week_no",
              code: "NOT_ALLOWED",
              allowed: MEMBERS,
            },
            { field: "recurrence.untill", code: "NOT_ALLOWED" },
            { field: "recurrence.__proto__", code: "NOT_ALLOWED" },
          ],
        },
      });
    }
    expect((await gateway.post("/v2/events/list/range", event)).text).toBe(before.text);
  });

  test("ten of 500 unknown members are named, each with 64 characters", async () => {
    const members = Object.fromEntries(Array.from({ length: 500 }, (_, at) => ["y".repeat(100) + at, 1]));
    const response = await gateway.post("/v2/events/create", {
      ...series,
      recurrence: { frequency: "WEEKLY", ...members },
    });
    expect((response.body["errors"] as object[]).length).toBe(10);
    expect(response.text.length).toBeLessThan(6_000);
  });
});
