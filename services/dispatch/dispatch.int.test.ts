import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestServices, type TestServices } from "../../test/harness/test-services.ts";
import { TestGuild } from "../../test/harness/test-guild.ts";
import { until } from "../../test/harness/until.ts";
import { announcementsService } from "../announcements/announcements.service.ts";
import { occurrenceId } from "../calendar-events/domain/event/occurrence-id.ts";
import { calendarEventsService } from "../calendar-events/calendar-events.service.ts";
import { createAnnouncement, removeAnnouncement, updateAnnouncement } from "../contracts/announcements.contract.ts";
import { createEvent } from "../contracts/calendar-events.contract.ts";
import { announcementPosted, type PostOutcome } from "../contracts/post-outcomes.contract.ts";
import { healthOf } from "../contracts/health.contract.ts";
import type { EventId } from "../contracts/ids.ts";
import { updateGuildSettings } from "../contracts/guild-settings.contract.ts";
import { guildSettingsService } from "../guild-settings/guild-settings.service.ts";
import { dispatchService } from "./dispatch.service.ts";
import { newRecordingSink } from "../../test/fixtures/recording-sink.ts";

const HOUR = 3_600_000;
const FAR = Date.now() + 48 * HOUR;

describe("dispatch plans every change and posts on time", () => {
  const sink = newRecordingSink();
  const heard: PostOutcome[] = [];
  let services: TestServices;

  beforeAll(async () => {
    const ear = {
      name: "ear",
      events: { [announcementPosted.name]: ({ params }: { params: PostOutcome }) => void heard.push(params) },
    };
    services = await startTestServices(
      (mongoUrl) => [
        guildSettingsService({ mongoUrl }),
        calendarEventsService({ mongoUrl }),
        announcementsService({ mongoUrl }),
        dispatchService({ mongoUrl, sinks: [sink], graceMs: 900_000 }),
      ],
      [ear],
    );
  });
  afterAll(() => services.stop());

  test("an announcement is posted once and not early, and ledger, broadcast and sink have the same post", async () => {
    const guild = new TestGuild(services, sink);
    await guild.announcement(0, { subscribersUser: ["42"] });
    const startsAt = Date.now() + 1_500;
    const eventId = await guild.event(0, { startsAt, endsAt: startsAt });
    await guild.plannedFor(startsAt);
    const [post] = await guild.settled(1);
    expect(post).toMatchObject({ state: "sent", eventId, startsAt, dueAt: startsAt, channel: "77" });
    expect(post?.lateMs).toBeGreaterThanOrEqual(0);
    expect(guild.received()).toMatchObject([{ channel: "77", part: 0, message: { content: "Subscribers: <@42>" } }]);
    expect(guild.received()[0]?.at).toBeGreaterThanOrEqual(startsAt);
    await until(() => heard.some(({ guildId }) => guildId === guild.id), "the broadcast");
    expect(heard.find(({ guildId }) => guildId === guild.id)).toMatchObject({ ...post });
  });

  test("changes without a pause are all planned, also after the deadline of the write that came first", async () => {
    const guild = new TestGuild(services, sink);
    const writeUntil = Date.now() + 1_000;
    const rule = { guildId: guild.id, channel: "77", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" } as const;
    await services.call(createAnnouncement, rule, { writeUntil });
    const event = { guildId: guild.id, calendarNumber: 1, startsAt: FAR, endsAt: FAR, name: "raid" };
    let created = 0;
    const createInTurn = async () => {
      while (Date.now() < writeUntil + 1_000) {
        await services.call(createEvent, event);
        created += 1;
      }
    };
    await Promise.all(Array.from({ length: 4 }, createInTurn));
    await until(async () => (await guild.upcoming()).length >= created, `${created} posts are planned`);
    expect(await guild.upcoming()).toHaveLength(created);
  });

  test("the posts of an event that is moved, removed or recolored are moved or cancelled", async () => {
    const guild = new TestGuild(services, sink);
    await guild.announcement(30);
    await guild.announcement(0, { type: "COLOR", eventColor: "RED", channel: "78" });
    const startsAt = Date.now() + HOUR;
    const eventId = await guild.event(0, { startsAt, endsAt: startsAt + HOUR });
    await guild.plannedFor(startsAt);
    await guild.change(eventId, { color: "RED" });
    await guild.plannedFor(startsAt, startsAt);
    await guild.change(eventId, { startsAt: startsAt + HOUR, endsAt: startsAt + 2 * HOUR, color: "BLUE" });
    await guild.plannedFor(startsAt + HOUR);
    await guild.change(eventId, { startsAt, endsAt: startsAt + HOUR });
    await guild.plannedFor(startsAt);
    await guild.remove(eventId);
    await guild.plannedFor();
    const reasons = (await guild.history()).map(({ state, reason }) => `${state}: ${reason}`);
    expect(reasons.toSorted()).toEqual([
      "cancelled: the event got another color",
      "cancelled: the event was deleted or moved out of reach",
      "cancelled: the event was moved",
      "cancelled: the event was moved",
    ]);
  });

  test("the posts of an announcement that is disabled, re-timed or removed are moved or cancelled", async () => {
    const guild = new TestGuild(services, sink);
    const id = await guild.announcement(10);
    const startsAt = Date.now() + HOUR;
    await guild.event(0, { startsAt, endsAt: startsAt });
    const dueAt = async () => (await guild.upcoming())[0]?.dueAt;
    await until(async () => (await dueAt()) === startsAt - 600_000, "planned");
    await services.call(updateAnnouncement, { guildId: guild.id, id, minutes: 20 });
    await until(async () => (await dueAt()) === startsAt - 1_200_000, "re-timed");
    await services.call(updateAnnouncement, { guildId: guild.id, id, enabled: false });
    await guild.plannedFor();
    await services.call(updateAnnouncement, { guildId: guild.id, id, enabled: true, channel: "79" });
    await until(async () => (await guild.upcoming())[0]?.channel === "79", "replanned");
    await services.call(removeAnnouncement, { guildId: guild.id, id });
    await guild.plannedFor();
    expect(guild.received()).toEqual([]);
  });

  test("an announcement that was created after its due instant is skipped, with the reason (D31)", async () => {
    const guild = new TestGuild(services, sink);
    await guild.event(60_000);
    await guild.announcement(30);
    expect(await guild.settled(1)).toMatchObject([
      { state: "skipped", reason: "the announcement was created, enabled or re-timed after it was due" },
    ]);
  });

  test.each<[string, (guild: TestGuild, eventId: string, id: string) => Promise<unknown>]>([
    ["its event is removed", (guild, eventId) => guild.remove(eventId)],
    ["its event is moved", (guild, eventId) => guild.change(eventId, { startsAt: FAR, endsAt: FAR })],
    [
      "its announcement is disabled",
      ({ id: guildId }, _, id) => services.call(updateAnnouncement, { guildId, id, enabled: false }),
    ],
    ["its announcement is removed", ({ id: guildId }, _, id) => services.call(removeAnnouncement, { guildId, id })],
  ])("a post that was due at once has its row, even if %s immediately", async (_, callOff) => {
    const guild = new TestGuild(services, sink);
    const id = await guild.announcement(30);
    const eventId = await guild.event(60_000);
    await callOff(guild, eventId, id);
    expect((await guild.settled(1))[0]?.state).toMatch(/^(?:sent|cancelled)$/);
  });

  test.each<[string, (guild: TestGuild, id: string) => Promise<unknown>]>([
    ["is cancelled", (guild, id) => guild.remove(id)],
    ["is moved", (guild, id) => guild.change(id, { startsAt: FAR, endsAt: FAR })],
  ])("a post that was due at once has its row, even if one occurrence of a series %s", async (_, callOff) => {
    const guild = new TestGuild(services, sink);
    await guild.announcement(30);
    const startsAt = Date.now() + 60_000;
    const recurrence = { frequency: "DAILY", count: 2, interval: 1 } as const;
    const series = await guild.event(0, { startsAt, endsAt: startsAt, recurs: true, recurrence });
    await callOff(guild, occurrenceId(series as EventId, startsAt));
    expect((await guild.settled(1))[0]?.state).toMatch(/^(?:sent|cancelled)$/);
  });

  test("an event that was created after its due instant is announced at once (D31)", async () => {
    const guild = new TestGuild(services, sink);
    await guild.announcement(30);
    await guild.event(60_000);
    expect(await guild.settled(1)).toMatchObject([{ state: "sent" }]);
  });

  test("an event that was created after its start is not announced, with the reason", async () => {
    const guild = new TestGuild(services, sink);
    await guild.announcement(0);
    const id = await guild.event(HOUR);
    await until(async () => (await guild.upcoming()).length === 1, "planned");
    const startsAt = Date.now() + 5;
    await until(() => Date.now() > startsAt + 5, "the new start is past");
    await guild.change(id, { startsAt, endsAt: startsAt + HOUR });
    const outcomes = (await guild.settled(2)).map(({ state }) => state);
    expect(outcomes.toSorted()).toEqual(["cancelled", "skipped"]);
    expect(guild.received()).toEqual([]);
  });

  test("the message is in the guild's language at the due instant", async () => {
    const guild = new TestGuild(services, sink);
    await guild.announcement(0, { info: "bring food" });
    await guild.event(1_200);
    await services.call(updateGuildSettings, { guildId: guild.id, lang: "SPANISH", simpleAnnouncements: true });
    await guild.settled(1);
    const [embed] = guild.received()[0]?.message.embeds ?? [];
    expect(embed).toMatchObject({ title: "raid" });
    expect(embed?.footer).toBeUndefined();
  });

  test("every occurrence of a series has its post", async () => {
    const guild = new TestGuild(services, sink);
    await guild.announcement(5);
    const startsAt = Date.now() + HOUR;
    const recurrence = { frequency: "DAILY", count: 5 } as const;
    await guild.event(0, { startsAt, endsAt: startsAt, recurs: true, recurrence });
    await guild.plannedFor(startsAt, startsAt + 24 * HOUR);
    await expect(guild.upcoming()).resolves.toMatchObject([{ dueAt: startsAt - 300_000 }, {}]);
  });

  test("the health action reports whether the database responds", async () => {
    await expect(services.call(healthOf("dispatch"), {})).resolves.toEqual({ database: true });
  });
});
