import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { serve } from "../../mixins/actions/contract-action.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../../test/harness/test-gateway.ts";
import { until } from "../../test/harness/until.ts";
import { createAnnouncement, getAnnouncement } from "../contracts/announcements.contract.ts";
import { refuse } from "../contracts/errors.ts";
import { type Health, healthOf } from "../contracts/health.contract.ts";
import type { AnnouncementId } from "../contracts/ids.ts";

describe("an unavailable service", () => {
  let gateway: TestGateway;
  const healthy = { database: true };
  const silence = Promise.withResolvers<Health>();
  let health: Health | Promise<Health> = healthy;
  let calendarHealth: Health | Promise<Health> = healthy;
  let calls = 0;

  beforeAll(async () => {
    const actions = {
      ...serve(healthOf("announcements"), async () => health),
      ...serve(getAnnouncement, async ({ id }) => {
        calls += 1;
        if (id === "hang") await silence.promise;
        return refuse("ANNOUNCEMENT_NOT_FOUND");
      }),
      ...serve(createAnnouncement, async () => ({ id: "new" as AnnouncementId })),
    };
    gateway = await startTestGateway(() => [
      standIn("guild-settings"),
      standIn(
        "calendar-events",
        serve(healthOf("calendar-events"), async () => calendarHealth),
      ),
      standIn("announcements", actions),
      standIn("dispatch"),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
  });
  afterAll(async () => {
    silence.resolve(healthy);
    await gateway.stop();
  });

  const get = (id: string) => gateway.postOnce("/v1/announcement/get", { guild_id: "1", id });
  const missing = async () => (await gateway.request("/health/ready")).body["missing"];

  test("is named by the readiness probe, or its database if only that is unavailable", async () => {
    health = { database: false };
    await until(async () => (await missing()) !== undefined, "something is missing");
    expect(await missing()).toEqual(["database of announcements"]);
    health = healthy;
    await untilReady(gateway);
  });

  test("makes its endpoints respond with 503, also for a call in flight, and gets no calls until it is back", async () => {
    const inFlight = get("hang");
    await until(() => calls === 1, "the call is in flight");
    health = silence.promise;
    await expect(inFlight).resolves.toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect(await missing()).toEqual(["announcements"]);
    const before = calls;
    const refused = await get("any");
    expect([refused.status, refused.headers.get("retry-after"), calls]).toEqual([503, "1", before]);
    await expect(gateway.post("/v2/events/list/ongoing", {})).resolves.toMatchObject({ status: 400 });

    health = healthy;
    await untilReady(gateway);
    await expect(get("any")).resolves.toMatchObject({ status: 404, body: { code: "ANNOUNCEMENT_NOT_FOUND" } });
  });

  test("makes the endpoints respond with 503 whose services would call it, and no others", async () => {
    calendarHealth = silence.promise;
    await until(async () => String(await missing()).includes("calendar-events"), "the calendar is missing");
    const announcement = { guild_id: "1", channel: "1", hours: 0, minutes: 0, info: "", event_id: "e" };
    const create = (type: string) => gateway.postOnce("/v1/announcement/create", { ...announcement, type });
    await expect(create("RECUR")).resolves.toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    await expect(create("UNIVERSAL")).resolves.toMatchObject({ status: 200 });
  });
});
