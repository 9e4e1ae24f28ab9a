import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { listOccurrencesStarting } from "../../services/contracts/occurrences.contract.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const where = { guild_id: "375357265198317579", calendar_number: 1 };

interface Listed {
  readonly event_id: string;
  readonly epoch_start: number;
  readonly epoch_end: number;
}

/** Sundays 20:00 in New York as instants: EST is five hours behind UTC, EDT four. */
const STARTS = [
  "2024-03-04T01:00:00Z",
  "2024-03-11T00:00:00Z",
  "2024-03-18T00:00:00Z",
  "2024-10-28T00:00:00Z",
  "2024-11-04T01:00:00Z",
  "2024-11-11T01:00:00Z",
].map((text) => Date.parse(text));

describe("a weekly event at 20:00 in New York, across both clock changes, over HTTP (D16)", () => {
  let gateway: TestGateway;
  let series = "";

  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl, now: () => Date.parse("2024-11-04T01:30:00Z") }),
      standIn("announcements", {}),
      standIn("dispatch", {}),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
    await gateway.post("/v2/calendar/update", { ...where, timezone: "America/New_York" });
    const epoch_start = Date.parse("2024-01-08T01:00:00Z");
    const times = { epoch_start, epoch_end: epoch_start + HOUR };
    const recurrence = { frequency: "WEEKLY" };
    const { body } = await gateway.post("/v2/events/create", { ...where, ...times, recur: true, recurrence });
    series = String(body["id"]);
  });
  afterAll(() => gateway.stop());

  const idOf = (start: number) => `${series}_${new Date(start).toISOString().replaceAll(/[-:]|\.000/g, "")}`;
  async function listed(path: string, fields: object): Promise<Listed[]> {
    const { status, body } = await gateway.post(`/v2/events/list/${path}`, { ...where, ...fields });
    expect(status).toBe(200);
    return body["events"] as Listed[];
  }

  test("is in every list at its hour, with the id of its start", async () => {
    for (const start of STARTS) {
      const entry = { event_id: idOf(start), epoch_start: start, epoch_end: start + HOUR };
      const from = Math.floor(start / DAY) * DAY;
      await expect(listed("date", { epoch_start: from })).resolves.toMatchObject([entry]);
      await expect(listed("range", { epoch_start: start, epoch_end: start })).resolves.toMatchObject([entry]);
      await expect(listed("range", { epoch_start: start - HOUR, epoch_end: start - 1 })).resolves.toEqual([]);
    }
  });

  test("is in a month once per week", async () => {
    const march = await listed("month", { epoch_start: Date.parse("2024-03-01T00:00:00Z"), days_in_month: 31 });
    expect(march.map(({ epoch_start }) => new Date(epoch_start).toISOString().slice(5, 13))).toEqual([
      "03-04T01",
      "03-11T00",
      "03-18T00",
      "03-25T00",
    ]);
  });

  test("is found by the id of each start, and not by one an hour later or earlier", async () => {
    for (const start of STARTS) {
      const response = await gateway.post("/v2/events/get", { ...where, event_id: idOf(start) });
      expect(response).toMatchObject({ status: 200, body: { epoch_start: start, is_parent: false } });
      await expect(gateway.post("/v2/events/get", { ...where, event_id: idOf(start + HOUR) })).resolves.toMatchObject({
        status: 404,
      });
    }
  });

  test("is current at 20:30 after the clock change", async () => {
    await expect(listed("ongoing", {})).resolves.toMatchObject([{ event_id: idOf(STARTS[4] ?? 0) }]);
  });

  test("has the same instants for dispatch", async () => {
    const windows = STARTS.map((start) => ({ from: start, until: start + 1 }));
    const guildId = where.guild_id as GuildId;
    const { occurrences } = await gateway.call(listOccurrencesStarting, { guildId, windows, limit: 100 });
    expect(occurrences.map(({ startsAt, timezone }) => [startsAt, timezone])).toEqual(
      STARTS.map((start) => [start, "America/New_York"]),
    );
  });
});
