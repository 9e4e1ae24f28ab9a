import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { dispatchService } from "../../services/dispatch/dispatch.service.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { newRecordingSink } from "../fixtures/recording-sink.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";
import { until } from "../harness/until.ts";

const guild_id = "375357265198317579";
const where = { guild_id, calendar_number: 1 };
const HOUR = 3_600_000;
const now = Date.now();
const window = { ...where, epoch_start: now - HOUR, epoch_end: now + 24 * HOUR };

interface Listed {
  readonly path: string;
  readonly request: object;
  readonly list: string;
  /** The fields without which the list is not answered as a whole. */
  readonly whole?: object;
}

const LISTS: readonly Listed[] = [
  { path: "/v2/events/list/range", request: window, list: "events" },
  { path: "/v2/events/list/date", request: { ...where, epoch_start: now }, list: "events" },
  { path: "/v2/events/list/month", request: { ...where, epoch_start: now, days_in_month: 30 }, list: "events" },
  { path: "/v2/events/list/ongoing", request: where, list: "events" },
  { path: "/v2/calendar/list", request: { guild_id }, list: "calendars" },
  { path: "/v2/calendar/feeds/list", request: { guild_id }, list: "feeds" },
  { path: "/v1/announcement/list", request: { guild_id }, list: "announcements", whole: { amount: -1 } },
  { path: "/v1/announcement/upcoming", request: { guild_id }, list: "posts", whole: { amount: -1 } },
  { path: "/v1/announcement/history", request: { guild_id }, list: "posts", whole: { amount: -1 } },
];

describe("the lists of the API in pages (D49)", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks: [newRecordingSink()], graceMs: 900_000 }),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
    await done("/v2/guild/settings/update", { guild_id, max_calendars: 3 });
    for (const minutes of [0, 90, 0]) {
      const rule = { guild_id, channel: "1", type: "UNIVERSAL", hours: 0, minutes, info: "" };
      await done("/v1/announcement/create", rule);
    }
    for (const name of ["one", "two", "three"]) {
      await done("/v2/calendar/feeds/create", { ...where, label: name });
      const startsAt = Date.now() + 1_000;
      await done("/v2/events/create", { ...where, name, epoch_start: startsAt, epoch_end: startsAt + HOUR });
      await done("/v2/events/create", { ...where, name, epoch_start: now + 5 * HOUR, epoch_end: now + 6 * HOUR });
    }
    const count = async (path: string) => (await done(path, { guild_id, amount: -1 }))["amount"];
    await until(async () => (await count("/v1/announcement/history")) === 9, "the outcome of the posts");
    await until(async () => (await count("/v1/announcement/upcoming")) === 9, "the plan");
  });
  afterAll(() => gateway.stop());

  async function done(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await gateway.post(path, body);
    expect([path, response.status, response.text]).toEqual([path, 200, response.text]);
    return response.body;
  }

  async function pagesOf(path: string, request: object, list: string, limit: number): Promise<unknown[][]> {
    const pages: unknown[][] = [];
    let cursor: unknown;
    do {
      const page = await done(path, cursor === undefined ? { ...request, limit } : { ...request, limit, cursor });
      pages.push(page[list] as unknown[]);
      const { amount = pages.at(-1)?.length } = page;
      expect(amount).toBe(pages.at(-1)?.length);
      cursor = page["next"];
    } while (cursor !== undefined);
    return pages;
  }

  test.each(LISTS)("$path: the pages together are the list", async ({ path, request, list, whole = {} }) => {
    const all = (await done(path, { ...request, ...whole }))[list] as unknown[];
    expect(all.length).toBeGreaterThanOrEqual(3);
    for (const limit of [1, 2, 1_000]) {
      const pages = await pagesOf(path, request, list, limit);
      const ordered = (entries: unknown[]) => entries.map((entry) => JSON.stringify(entry)).toSorted();
      expect(ordered(pages.flat())).toEqual(ordered(all));
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    }
  });

  test.each(LISTS)("$path: a request without limit and cursor has no next", async ({ path, request, whole = {} }) => {
    expect(Object.keys(await done(path, { ...request, ...whole }))).not.toContain("next");
  });

  test.each(LISTS)("$path: a cursor that it has not returned is a 400 for cursor", async ({ path, request }) => {
    for (const cursor of ["", "x", "WzEsIm90aGVyIiwwXQ", 5, null, { $gt: "" }]) {
      await expect(gateway.post(path, { ...request, cursor })).resolves.toMatchObject({
        status: 400,
        body: { code: "INVALID_REQUEST", errors: [{ field: "cursor" }] },
      });
    }
  });

  test("a cursor without a limit is enough, and an amount beside a limit gets a warning", async () => {
    const first = await done("/v1/announcement/list", { guild_id, limit: 1, amount: 0 });
    expect(first["warnings"]).toMatchObject([{ field: "amount", code: "UNKNOWN_FIELD" }]);
    const second = await done("/v1/announcement/list", { guild_id, cursor: first["next"] });
    expect(second).toMatchObject({ amount: 2 });
    expect(Object.keys(second)).toEqual(["amount", "announcements"]);
  });

  test("the cursor of one list is refused by another one", async () => {
    const { next: cursor } = await done("/v2/events/list/range", { ...window, limit: 1 });
    await expect(gateway.post("/v2/events/search", { ...where, cursor })).resolves.toMatchObject({
      body: { errors: [{ field: "cursor", code: "MALFORMED" }] },
    });
  });

  test("a search goes on over pages, and names the bad fields", async () => {
    const request = { ...where, text: "t", color: "none", epoch_start: now };
    const pages = await pagesOf("/v2/events/search", request, "events", 1);
    const names = pages.flat().map((event) => (event as { name: string }).name);
    expect(names).toEqual(["two", "two", "three", "three"]);
    const bad = { ...where, text: " ", color: "PINK", epoch_start: 5, epoch_end: 4, limit: 0, cursor: "" };
    const { status, body } = await gateway.post("/v2/events/search", bad);
    const fields = (body["errors"] as { field: string }[]).map(({ field }) => field).toSorted();
    expect([status, fields]).toEqual([400, ["color", "cursor", "epoch_end", "limit", "text"]]);
  });
});
