import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { serve } from "../../mixins/actions/contract-action.ts";
import { traceIdIn } from "../../mixins/observability/trace-context.ts";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { findEvent } from "../../services/contracts/event-references.contract.ts";
import { getGuildSettings } from "../../services/contracts/guild-settings.contract.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const announcement = { guild_id: "1", channel: "1", type: "SPECIFIC", event_id: "e", hours: 0, minutes: 0, info: "" };

describe("the trace of a request", () => {
  let gateway: TestGateway;
  const heard: { traceparent?: string; requestId?: string }[] = [];

  beforeAll(async () => {
    const calendar = serve(findEvent, async ({ guildId }, context) => {
      heard.push(context.meta);
      await context.call(getGuildSettings.name, { guildId });
      return null;
    });
    const settings = serve(getGuildSettings, async (_, { meta }) => {
      heard.push(meta);
      return {} as never;
    });
    gateway = await startTestGateway((mongoUrl) => [
      announcementsService({ mongoUrl }),
      standIn("calendar-events", calendar),
      standIn("guild-settings", settings),
      standIn("dispatch"),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  async function traceOf(headers: Record<string, string>): Promise<(string | undefined)[]> {
    heard.length = 0;
    await gateway.post("/v1/announcement/create", announcement, { "x-request-id": "r-1", ...headers });
    expect(heard.map(({ requestId }) => requestId)).toEqual(["r-1", "r-1"]);
    return heard.map(({ traceparent }) => traceIdIn(traceparent));
  }

  test("of its client reaches every service, through all others", async () => {
    await expect(traceOf({ traceparent: `00-${TRACE}-00f067aa0ba902b7-01` })).resolves.toEqual([TRACE, TRACE]);
  });

  test("is started by the gateway if the client has none, once for all services", async () => {
    const [first, second] = await traceOf({});
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
  });
});
