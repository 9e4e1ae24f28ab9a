import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { serve } from "../../mixins/actions/contract-action.ts";
import { webhooksService } from "../../services/webhooks/webhooks.service.ts";
import { WEBHOOKS_KEY } from "../harness/webhooks-key.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";
import { announcementsChangesSince } from "../../services/contracts/announcements.contract.ts";
import { calendarEventsChangesSince } from "../../services/contracts/calendar-events.contract.ts";
import {
  listPostHistory,
  listPostHistoryPage,
  listUpcomingPosts,
  listUpcomingPostsPage,
  previewPost,
} from "../../services/contracts/dispatch.contract.ts";
import { refuse } from "../../services/contracts/errors.ts";
import { listSettledPosts } from "../../services/contracts/guild-changes.contract.ts";
import { guildSettingsChangesSince } from "../../services/contracts/guild-settings.contract.ts";
import { listMissedNotifications } from "../../services/contracts/occurrence-notifications.contract.ts";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { diffPlan, previewDrafts } from "../../services/contracts/plan-diff.contract.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { fieldCases } from "./field-cases.ts";
import { jsonInteger } from "../../services/api/wire/exact-json.ts";
import { ROUTES } from "../../services/api/route-table.ts";

const fromTheBeginning = { mark: { at: 0, id: "" }, limit: 1000 };

describe("every field of every endpoint", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      webhooksService({ mongoUrl, key: WEBHOOKS_KEY, allowPrivate: false }),
      standIn("dispatch", {
        ...serve(listUpcomingPosts, async () => ({ posts: [] })),
        ...serve(listPostHistory, async () => []),
        ...serve(listSettledPosts, async () => ({ delivered: [], changed: [], settledUntil: 0, more: false })),
        ...serve(listUpcomingPostsPage, async () => ({ entries: [] })),
        ...serve(listPostHistoryPage, async () => ({ entries: [] })),
        ...serve(listMissedNotifications, async () => ({ entries: [] })),
        ...serve(previewPost, async () => refuse("EVENT_NOT_FOUND")),
        ...serve(diffPlan, async () => refuse("EVENT_NOT_FOUND")),
        ...serve(previewDrafts, async () => refuse("EVENT_NOT_FOUND")),
      }),
    ]);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  /** All stored records, with their revisions. */
  async function stored(): Promise<unknown> {
    const owners = [guildSettingsChangesSince, announcementsChangesSince, calendarEventsChangesSince];
    return Promise.all(owners.map(async (feed) => (await gateway.call(feed, fromTheBeginning)).changes));
  }

  test("the cases include every field of every route", () => {
    const cases = ROUTES.flatMap((route) => fieldCases(route));
    expect(cases.filter(({ outcome }) => outcome === "refused").length).toBeGreaterThan(600);
    expect(cases.filter(({ outcome }) => outcome === "taken").length).toBeGreaterThan(60);
  });

  test.each(ROUTES.map((route) => [route.paths[0], route] as const))(
    "%s: a bad value gets a 400 with its field, and nothing is stored",
    async (path, route) => {
      const before = await stored();
      for (const { title, field, body } of fieldCases(route).filter(({ outcome }) => outcome === "refused")) {
        const response = await gateway.post(path, body);
        expect([title, response]).toMatchObject([title, { status: 400, body: { code: "INVALID_REQUEST" } }]);
        const { errors } = response.body as { errors: { field: string }[] };
        expect([title, errors.map((each) => each.field)]).toEqual([title, expect.arrayContaining([field])]);
      }
      expect(await stored()).toEqual(before);
    },
  );

  test.each(ROUTES.map((route) => [route.paths[0], route] as const))(
    "%s: an optional field may be missing, or null if null means missing",
    async (path, route) => {
      for (const { title, field, body } of fieldCases(route).filter(({ outcome }) => outcome === "taken")) {
        const { status, body: response } = await gateway.post(path, body);
        const { errors = [] } = response as { errors?: { field: string }[] };
        expect([title, status < 500, errors.filter((each) => each.field === field)]).toEqual([title, true, []]);
      }
    },
  );

  test("requests of older clients work, with a number as guild, and with event_id and is_parent on create (D6, D7)", async () => {
    const sample = {
      calendar_number: 1,
      event_id: "someeventid",
      epoch_start: 1_544_299_200_000,
      epoch_end: 1_544_299_200_000,
      name: "Test event",
      is_parent: true,
      color: "red",
      recur: true,
      recurrence: { frequency: "weekly", count: -1, interval: 1 },
    };
    const guild_id = jsonInteger("375357265198317579");
    const { status, body } = await gateway.post("/v2/events/create", { guild_id, ...sample });
    expect(status).toBe(200);
    const guildId = "375357265198317579";
    const read = { guild_id: guildId, calendar_number: 1, event_id: body["id"] };
    await expect(gateway.post("/v2/events/get", read)).resolves.toMatchObject({
      status: 200,
      body: { event_id: body["id"], color: "RED", is_parent: true, recurrence: { frequency: "WEEKLY", count: -1 } },
    });
  });
});
