import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DateTime } from "luxon";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { dispatchService } from "../../services/dispatch/dispatch.service.ts";
import { logSink } from "../../services/dispatch/sinks/log/log.sink.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";
import { until } from "../harness/until.ts";

const MINUTE = 60_000;
const ZONE = "America/New_York";
const where = { guild_id: "375357265198317579", calendar_number: 1 };
const guild = { guild_id: where.guild_id };

type Json = Record<string, unknown>;

/** Sundays 20:00 in New York in the next year, whose clock changes are in March and November. */
function sundays(): DateTime[] {
  const first = DateTime.now().setZone(ZONE).plus({ weeks: 1 }).set({ weekday: 7 }).startOf("day").set({ hour: 20 });
  return Array.from({ length: 51 }, (_, week) => first.plus({ weeks: week }));
}

describe("the announcements of a weekly event at 20:00 in New York, over HTTP (D16, D30)", () => {
  const starts = sundays();
  let gateway: TestGateway;
  let series = "";

  beforeAll(async () => {
    const sinks = [logSink({ writeLine: () => undefined })];
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks, graceMs: 15 * MINUTE }),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
    await gateway.post("/v2/calendar/update", { ...where, timezone: ZONE });
    const epoch_start = (starts[0] as DateTime).toMillis();
    const times = { epoch_start, epoch_end: epoch_start + 60 * MINUTE };
    const weekly = { recur: true, recurrence: { frequency: "WEEKLY" } };
    const { body } = await gateway.post("/v2/events/create", { ...where, ...times, ...weekly, name: "Raid" });
    series = String(body["id"]);
  });
  afterAll(() => gateway.stop());

  const idOf = (start: DateTime) => `${series}_${start.toUTC().toFormat("yyyyMMdd'T'HHmmss'Z'")}`;

  test("are on both sides of both clock changes", () => {
    expect(new Set(starts.map((start) => start.offset))).toEqual(new Set([-300, -240]));
    expect(new Set(starts.map((start) => start.hour))).toEqual(new Set([20]));
  });

  test("are due their lead time before each start, also with a clock change in between", async () => {
    const soon = Date.now() + 60 * MINUTE;
    for (const start of [starts[0], starts[20], starts[45]] as DateTime[]) {
      const lead = Math.floor((start.toMillis() - soon) / MINUTE);
      const fields = { channel: "1", type: "SPECIFIC", event_id: idOf(start), hours: 0, minutes: lead, info: "" };
      const { body } = await gateway.post("/v1/announcement/create", { ...guild, ...fields });
      const due = start.toMillis() - lead * MINUTE;
      const planned = async () => {
        const { body: upcoming } = await gateway.post("/v1/announcement/upcoming", { ...guild, amount: -1 });
        return (upcoming["posts"] as Json[]).find((post) => post["announcement_id"] === body["id"]);
      };
      await until(async () => (await planned()) !== undefined, "the plan");
      await expect(planned()).resolves.toMatchObject({ due, epoch_start: start.toMillis(), event_id: idOf(start) });
    }
  });

  test("show 8:00 PM for every week of the year, with the exact instant", async () => {
    const fields = { channel: "1", type: "RECUR", event_id: series, hours: 0, minutes: 5, info: "" };
    const { body } = await gateway.post("/v1/announcement/create", { ...guild, ...fields });
    for (const start of starts) {
      const request = { ...guild, id: body["id"], event_id: idOf(start) };
      const { status, text } = await gateway.post("/v1/announcement/preview", request);
      expect(status).toBe(200);
      expect(text).toContain(`<t:${start.toSeconds()}:F>`);
      expect(text).toMatch(/8:00.PM/u);
      expect(text).toContain(start.toFormat("yyyy"));
    }
  });
});
