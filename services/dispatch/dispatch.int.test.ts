import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { ServiceSchema } from "moleculer";
import { startTestServices, type TestServices } from "../../test/real-parts/test-services.ts";
import { until } from "../../test/real-parts/until.ts";
import { announcementsService } from "../announcements/announcements.service.ts";
import { calendarEventsService } from "../calendar-events/calendar-events.service.ts";
import {
  createAnnouncement,
  type CreateAnnouncementParams,
  removeAnnouncement,
  updateAnnouncement,
} from "../contracts/announcements.contract.ts";
import {
  createEvent,
  type CreateEventParams,
  removeEvent,
  updateEvent,
  type UpdateEventParams,
} from "../contracts/calendar-events.contract.ts";
import {
  ANNOUNCEMENT_POSTED,
  listPostHistory,
  listUpcomingPosts,
  type PostOutcome,
  type SettledPost,
  type UpcomingPost,
} from "../contracts/dispatch.contract.ts";
import { healthOf } from "../contracts/health.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import { updateGuildSettings } from "../contracts/guild-settings.contract.ts";
import { guildSettingsService } from "../guild-settings/guild-settings.service.ts";
import { dispatchService } from "./dispatch.service.ts";
import { newRecordingSink, type RecordingSink } from "./recording-sink.ts";

const HOUR = 3_600_000;
let guilds = 100;

/** The services with dispatch, and what a test says to them about one guild. */
class Guild {
  readonly id = String((guilds += 1)) as GuildId;
  readonly services: TestServices;
  readonly sink: RecordingSink;

  constructor(services: TestServices, sink: RecordingSink) {
    this.services = services;
    this.sink = sink;
  }

  async event(startsIn: number, more: Partial<CreateEventParams> = {}): Promise<string> {
    const startsAt = Date.now() + startsIn;
    const fields = { guildId: this.id, calendarNumber: 1, startsAt, endsAt: startsAt + HOUR, name: "raid", ...more };
    return (await this.services.call(createEvent, fields)).eventId;
  }

  change(eventId: string, changes: Partial<UpdateEventParams>): Promise<void> {
    return this.services.call(updateEvent, { guildId: this.id, calendarNumber: 1, eventId, ...changes } as never);
  }

  remove(eventId: string): Promise<void> {
    return this.services.call(removeEvent, { guildId: this.id, calendarNumber: 1, eventId: eventId as never });
  }

  async announcement(minutes: number, more: Partial<CreateAnnouncementParams> = {}): Promise<string> {
    const fields = {
      guildId: this.id,
      channel: "77",
      type: "UNIVERSAL",
      hours: 0,
      minutes,
      info: "",
      ...more,
    } as const;
    return (await this.services.call(createAnnouncement, fields)).id;
  }

  upcoming(): Promise<UpcomingPost[]> {
    return this.services.call(listUpcomingPosts, { guildId: this.id, amount: -1 });
  }

  history(): Promise<SettledPost[]> {
    return this.services.call(listPostHistory, { guildId: this.id, amount: -1 });
  }

  received(): RecordingSink["received"] {
    return this.sink.received.filter(({ guildId }) => guildId === this.id);
  }

  async plannedFor(...starts: number[]): Promise<void> {
    const planned = async () => (await this.upcoming()).map(({ startsAt }) => startsAt).join();
    await until(async () => (await planned()) === starts.join(), `planned for ${starts.join()}`);
  }

  async settled(count: number): Promise<SettledPost[]> {
    await until(async () => (await this.history()).length >= count, `${count} settled`);
    return this.history();
  }
}

describe("dispatch follows the truth and posts on time", () => {
  const sink = newRecordingSink();
  const heard: PostOutcome[] = [];
  let services: TestServices;

  beforeAll(async () => {
    const ear = {
      name: "ear",
      events: { [ANNOUNCEMENT_POSTED]: ({ params }: { params: PostOutcome }) => void heard.push(params) },
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

  test("an announcement is posted once, not before it is due, and the ledger, a broadcast and the sink agree", async () => {
    const guild = new Guild(services, sink);
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

  test("an event that moves, is removed, or is recoloured takes its posts along", async () => {
    const guild = new Guild(services, sink);
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
      "cancelled: the announcement no longer covers the event",
      "cancelled: the event was deleted or moved out of reach",
      "cancelled: the event was moved",
      "cancelled: the event was moved",
    ]);
  });

  test("an announcement that is disabled, re-timed or removed takes its posts along", async () => {
    const guild = new Guild(services, sink);
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
    await until(async () => (await guild.upcoming())[0]?.channel === "79", "planned anew");
    await services.call(removeAnnouncement, { guildId: guild.id, id });
    await guild.plannedFor();
    expect(guild.received()).toEqual([]);
  });

  test("an announcement made after it would have been due is skipped, with the reason (D31)", async () => {
    const guild = new Guild(services, sink);
    await guild.event(60_000);
    await guild.announcement(30);
    expect(await guild.settled(1)).toMatchObject([
      { state: "skipped", reason: "the announcement was created, enabled or re-timed after it was due" },
    ]);
  });

  test("an event made after the announcement of it was due is announced at once (D31)", async () => {
    const guild = new Guild(services, sink);
    await guild.announcement(30);
    await guild.event(60_000);
    expect(await guild.settled(1)).toMatchObject([{ state: "sent" }]);
  });

  test("an event made after its own start is not announced, with the reason", async () => {
    const guild = new Guild(services, sink);
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

  test("the message is in the guild's language as it is at the due instant", async () => {
    const guild = new Guild(services, sink);
    await guild.announcement(0, { info: "bring food" });
    await guild.event(1_200);
    await services.call(updateGuildSettings, { guildId: guild.id, lang: "SPANISH", simpleAnnouncements: true });
    await guild.settled(1);
    const [embed] = guild.received()[0]?.message.embeds ?? [];
    expect(embed).toMatchObject({ title: "raid" });
    expect(embed?.footer).toBeUndefined();
  });

  test("every occurrence of a series has its post", async () => {
    const guild = new Guild(services, sink);
    await guild.announcement(5);
    const startsAt = Date.now() + HOUR;
    const recurrence = { frequency: "DAILY", count: 5 } as const;
    await guild.event(0, { startsAt, endsAt: startsAt, recurs: true, recurrence });
    await guild.plannedFor(startsAt, startsAt + 24 * HOUR);
    await expect(guild.upcoming()).resolves.toMatchObject([{ dueAt: startsAt - 300_000 }, {}]);
  });

  test("it says whether its database answers", async () => {
    await expect(services.call(healthOf("dispatch"), {})).resolves.toEqual({ database: true });
  });
});

describe("dispatch in trouble", () => {
  let services: TestServices;
  let sink: RecordingSink;

  beforeEach(async () => {
    sink = newRecordingSink();
    services = await startTestServices((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
    ]);
  });
  afterEach(() => services.stop());

  async function dispatch(graceMs: number, more: Partial<ServiceSchema> = {}): Promise<{ stop(): Promise<void> }> {
    const schema = { ...dispatchService({ mongoUrl: services.mongoUrl, sinks: [sink], graceMs }), ...more };
    const service = services.broker.createService(schema);
    await services.broker.waitForServices("dispatch", 10_000, 20);
    return { stop: () => services.broker.destroyService(service) };
  }

  test("every change is seen without any broadcast, by the owners' feeds", async () => {
    await dispatch(900_000, { events: {} });
    const guild = new Guild(services, sink);
    const id = await guild.announcement(10);
    const startsAt = Date.now() + HOUR;
    const eventId = await guild.event(0, { startsAt, endsAt: startsAt });
    await guild.plannedFor(startsAt);
    await guild.change(eventId, { startsAt: startsAt + HOUR, endsAt: startsAt + HOUR });
    await guild.plannedFor(startsAt + HOUR);
    await services.call(updateAnnouncement, { guildId: guild.id, id, enabled: false });
    await guild.plannedFor();
    await expect(guild.history()).resolves.toHaveLength(2);
  });

  test("after a restart what is due and unposted is posted within the grace time, once", async () => {
    const before = await dispatch(900_000);
    const guild = new Guild(services, sink);
    await guild.announcement(0);
    const startsAt = Date.now() + 1_000;
    await guild.event(0, { startsAt, endsAt: startsAt });
    await guild.plannedFor(startsAt);
    await before.stop();
    await until(() => Date.now() > startsAt + 200, "the due instant is past");
    expect(guild.received()).toEqual([]);
    await dispatch(900_000);
    const [post] = await guild.settled(1);
    expect(post).toMatchObject({ state: "sent", startsAt });
    expect(post?.lateMs).toBeGreaterThan(200);
    expect(guild.received()).toHaveLength(1);
  });

  test("what fell due while dispatch was down for longer than the grace time is missed, planned before or not", async () => {
    const before = await dispatch(300);
    const guild = new Guild(services, sink);
    await guild.announcement(0);
    const startsAt = Date.now() + 1_000;
    await guild.event(0, { startsAt, endsAt: startsAt });
    await guild.plannedFor(startsAt);
    await before.stop();
    const unplanned = Date.now() + 1_000;
    await guild.event(0, { startsAt: unplanned, endsAt: unplanned });
    await until(() => Date.now() > unplanned + 600, "the grace time is past");
    await dispatch(300);
    const missed = { state: "missed", reason: "nothing could post it before its deadline" };
    expect(await guild.settled(2)).toMatchObject([missed, missed]);
    expect(guild.received()).toEqual([]);
  });

  test("a channel that refuses for good suspends its announcement, and an update lifts it", async () => {
    sink.refuse = { kind: "rejected", scope: "channel", reason: "Unknown Channel" };
    await dispatch(900_000);
    const guild = new Guild(services, sink);
    const id = await guild.announcement(30);
    await guild.event(60_000);
    const startsAt = Date.now() + 2 * HOUR;
    await guild.event(0, { startsAt, endsAt: startsAt });
    const outcomes = await guild.settled(2);
    expect(outcomes.map(({ state, reason }) => `${state}: ${reason}`).toSorted()).toEqual([
      "failed: Unknown Channel",
      "skipped: the announcement is suspended until it is updated: Unknown Channel",
    ]);
    // What is suspended is not ahead: it stands in the history, with the reason.
    expect(await guild.upcoming()).toEqual([]);
    await services.call(updateAnnouncement, { guildId: guild.id, id, info: "here again" });
    await guild.plannedFor(startsAt);
    expect(await guild.history()).toHaveLength(2);
  });

  test("two replicas post each announcement once between them", async () => {
    await dispatch(900_000);
    await dispatch(900_000, { name: "dispatch-second" });
    const guild = new Guild(services, sink);
    for (let at = 0; at < 5; at += 1) await guild.announcement(0, { channel: String(80 + at) });
    await guild.event(1_000);
    await guild.event(1_500);
    await guild.settled(10);
    expect(guild.received().map(({ postId }) => postId)).toHaveLength(10);
    expect(new Set(guild.received().map(({ nonce }) => nonce)).size).toBe(10);
  });
});
