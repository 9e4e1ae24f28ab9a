import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestServices, type TestServices } from "../../../test/harness/test-services.ts";
import { until } from "../../../test/harness/until.ts";
import { announcementsService } from "../../announcements/announcements.service.ts";
import { calendarEventsService } from "../../calendar-events/calendar-events.service.ts";
import { createAnnouncement } from "../../contracts/announcements.contract.ts";
import { createEvent } from "../../contracts/calendar-events.contract.ts";
import { listUpcomingPosts, previewPost } from "../../contracts/dispatch.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { guildSettingsService } from "../../guild-settings/guild-settings.service.ts";
import { encodeMessage } from "../sinks/message-body.ts";
import { dispatchService } from "../dispatch.service.ts";
import { newRecordingSink } from "../../../test/fixtures/recording-sink.ts";

const guildId = "375357265198317579" as GuildId;
/** The settings of this guild take longer than the timeout at the due instant. */
const slowGuildId = "375357265198317580" as GuildId;
const SLOW_MS = 1_500;

async function delaySettings({ params }: { readonly params: { readonly guildId: GuildId } }): Promise<void> {
  if (params.guildId === slowGuildId) await pause(SLOW_MS);
}

describe("the preview of an announcement", () => {
  const sink = newRecordingSink();
  let services: TestServices;

  beforeAll(async () => {
    services = await startTestServices((mongoUrl) => [
      Object.assign(guildSettingsService({ mongoUrl }), { hooks: { before: { get: delaySettings } } }),
      calendarEventsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks: [sink], graceMs: 900_000 }),
    ]);
  });
  afterAll(() => services.stop());

  const upcoming = () => services.call(listUpcomingPosts, { guildId, amount: -1 });

  test("is the message that is posted later, and posts nothing itself", async () => {
    const startsAt = Date.now() + 1_500;
    const times = { startsAt, endsAt: startsAt + 60_000, name: "raid", location: "here" };
    const { eventId } = await services.call(createEvent, { guildId, calendarNumber: 1, ...times });
    const about = { type: "UNIVERSAL", hours: 0, minutes: 0, info: "bring food" } as const;
    const subscribersRole = ["everyone", "5"];
    const { id } = await services.call(createAnnouncement, { guildId, channel: "77", ...about, subscribersRole });
    const preview = await services.call(previewPost, { guildId, id });
    expect(preview).toMatchObject({ eventId, startsAt, channel: "77" });
    expect(sink.received).toEqual([]);
    await until(() => sink.received.length > 0, "the post");
    expect(preview.messages).toEqual(sink.received.map(({ message }) => encodeMessage(message)));
    // Until its outcome is stored the post is upcoming, in doubt.
    await until(async () => (await upcoming()).posts.length === 0, "the outcome");
  });

  test("waits for slow owners, as every read does", async () => {
    const times = { startsAt: Date.now() + 3_600_000, endsAt: Date.now() + 3_600_000 };
    await services.call(createEvent, { guildId: slowGuildId, calendarNumber: 1, ...times });
    const about = { channel: "77", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" } as const;
    const { id } = await services.call(createAnnouncement, { guildId: slowGuildId, ...about });
    await expect(services.call(previewPost, { guildId: slowGuildId, id })).resolves.toMatchObject({ channel: "77" });
  });

  test("plans nothing, and is refused if there is nothing to show", async () => {
    const about = { type: "COLOR", eventColor: "RED", hours: 0, minutes: 0, info: "" } as const;
    const { id } = await services.call(createAnnouncement, { guildId, channel: "77", ...about });
    await expect(services.call(previewPost, { guildId, id })).rejects.toMatchObject({ type: "EVENT_NOT_FOUND" });
    await expect(services.call(previewPost, { guildId, id: "x" })).rejects.toMatchObject({
      type: "ANNOUNCEMENT_NOT_FOUND",
    });
    await expect(upcoming()).resolves.toEqual({ posts: [] });
  });
});
