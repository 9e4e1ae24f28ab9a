import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { callInTurn } from "../../test/harness/call-in-turn.ts";
import { newRecordingSink } from "../../test/fixtures/recording-sink.ts";
import { startPostingServices } from "../../test/harness/posting-services.ts";
import { TestGuild } from "../../test/harness/test-guild.ts";
import type { TestServices } from "../../test/harness/test-services.ts";
import { until } from "../../test/harness/until.ts";
import { getAnnouncement, updateAnnouncement } from "../contracts/announcements.contract.ts";
import { updateCalendar } from "../contracts/calendars.contract.ts";
import { previewPost } from "../contracts/dispatch.contract.ts";
import { getGuildSettings, updateGuildSettings } from "../contracts/guild-settings.contract.ts";
import { diffPlan, previewDrafts } from "../contracts/plan-diff.contract.ts";

const HOUR = 3_600_000;

describe("an announcement with a template (D61)", () => {
  const sink = newRecordingSink();
  let services: TestServices;

  beforeAll(async () => {
    services = await startPostingServices(sink);
  });
  afterAll(() => services.stop());

  test("is posted, previewed and compared with the texts of its template or of the guild's, and posted once", async () => {
    const guild = new TestGuild(services, sink);
    const guildId = guild.id;
    const id = await guild.announcement(0, { template: { title: "{name} #{occurrence_number} in {calendar}" } });
    const startsAt = Date.now() + HOUR;
    const recurrence = { frequency: "DAILY", count: 3 } as const;
    const eventId = await guild.event(0, { startsAt, endsAt: startsAt, recurs: true, recurrence, name: "$Raid" });
    await services.call(updateCalendar, { guildId, calendarNumber: 1, name: "Raids" });
    const preview = async () => {
      const { messages } = await services.call(previewPost, { guildId, id });
      return messages[0]?.embeds?.[0];
    };
    await expect(preview()).resolves.toMatchObject({
      title: "$Raid #1 in Raids",
      footer: { text: expect.any(String) },
    });

    const template = { body: "$name {{{name}}} {offset}", fields: [] };
    const change = { action: "UPDATE_ANNOUNCEMENT", id, template } as const;
    const drafted = await callInTurn(services, previewDrafts, { guildId, changes: [change], limit: 3 });
    expect(drafted.map(({ messages }) => messages[0]?.embeds)).toEqual(
      Array.from({ length: 3 }, () => [
        { title: "$Raid", description: "$name {$Raid} 0 minutes", color: expect.any(Number) },
      ]),
    );
    const settings = { action: "UPDATE_SETTINGS", template } as const;
    await expect(callInTurn(services, diffPlan, { guildId, changes: [change] })).resolves.toMatchObject({
      change: 3,
      appear: 0,
    });
    await expect(callInTurn(services, diffPlan, { guildId, changes: [settings] })).resolves.toMatchObject({
      change: 0,
    });
    const cleared = { ...change, template: null };
    const { posts } = await callInTurn(services, diffPlan, { guildId, changes: [settings, cleared], limit: 1 });
    expect(posts).toMatchObject([{ effect: "CHANGES", text: "$Raid\n$name {$Raid} 0 minutes" }]);

    await services.call(updateGuildSettings, { guildId, template });
    expect((await services.call(getGuildSettings, { guildId })).template).toEqual(template);
    await expect(preview()).resolves.toMatchObject({ title: "$Raid #1 in Raids" });
    await services.call(updateAnnouncement, { guildId, id, template: {} });
    await expect(services.call(getAnnouncement, { guildId, id })).resolves.toHaveProperty("template", {});
    await expect(preview()).resolves.toMatchObject({ title: "$Raid", footer: { text: expect.any(String) } });
    await services.call(updateAnnouncement, { guildId, id, template: null });
    await expect(services.call(getAnnouncement, { guildId, id })).resolves.not.toHaveProperty("template");

    const soon = Date.now() + 1_500;
    await guild.change(eventId, { startsAt: soon, endsAt: soon });
    const sent = async () => (await guild.history()).filter(({ state }) => state === "sent");
    await until(async () => (await sent()).length > 0, "the post is sent");
    await services.call(updateAnnouncement, { guildId, id, template: { title: "again" } });
    await services.call(updateGuildSettings, { guildId, template: null });
    await expect(services.call(getGuildSettings, { guildId })).resolves.not.toHaveProperty("template");
    expect(guild.received().map(({ message }) => message.embeds[0])).toEqual([
      { title: "$Raid", description: "$name {$Raid} 0 minutes", color: expect.any(Number), fields: [] },
    ]);
    // The plan for this event is also the plan after the changed template.
    const later = Date.now() + HOUR;
    await guild.event(HOUR, { startsAt: later, endsAt: later });
    await until(async () => (await guild.upcoming()).some((post) => post.startsAt === later), "the event is planned");
    await expect(sent()).resolves.toHaveLength(1);
  });
});
