import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TestGuild } from "../../../test/harness/test-guild.ts";
import { startTestServices, type TestServices } from "../../../test/harness/test-services.ts";
import { announcementsService } from "../../announcements/announcements.service.ts";
import { calendarEventsService } from "../../calendar-events/calendar-events.service.ts";
import { guildSettingsService } from "../../guild-settings/guild-settings.service.ts";
import { dispatchService } from "../dispatch.service.ts";
import { newRecordingSink } from "../../../test/fixtures/recording-sink.ts";
import type { Sink } from "./sink.ts";

describe("a sink that is enabled", () => {
  let services: TestServices;

  beforeAll(async () => {
    services = await startTestServices((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
    ]);
  });
  afterAll(() => services.stop());

  async function dispatch(sinks: readonly Sink[]): Promise<{ stop(): Promise<void> }> {
    const schema = dispatchService({ mongoUrl: services.mongoUrl, sinks, graceMs: 900_000 });
    const service = services.broker.createService(schema);
    await services.broker.waitForServices("dispatch", 60_000, 20);
    return { stop: () => services.broker.destroyService(service) };
  }

  test("posts what is due from then on, and skips earlier posts with the reason", async () => {
    const log = newRecordingSink();
    const received: string[] = [];
    const webhook: Sink = {
      name: "webhook",
      send({ postId }) {
        received.push(postId);
        return Promise.resolve({ kind: "sent", messageId: "m" });
      },
      close: () => Promise.resolve(),
    };
    const before = await dispatch([log]);
    const guild = new TestGuild(services, log);
    await guild.announcement(0);
    const past = await guild.event(2_000);
    await guild.settled(1);
    await before.stop();
    await dispatch([log, webhook]);
    const ahead = await guild.event(2_000);
    const settled = await guild.settled(4);
    expect(settled.filter(({ eventId }) => eventId === past)).toMatchObject([
      { state: "skipped", reason: "the sink webhook was switched on after it was due" },
      { state: "sent" },
    ]);
    expect(settled.filter(({ eventId }) => eventId === ahead)).toMatchObject([{ state: "sent" }, { state: "sent" }]);
    expect(received).toHaveLength(1);
  });
});
