import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ServiceSchema } from "moleculer";
import mongoose from "mongoose";
import { startTestServices, type TestServices } from "../../test/harness/test-services.ts";
import { TestGuild } from "../../test/harness/test-guild.ts";
import { until } from "../../test/harness/until.ts";
import { announcementsService } from "../announcements/announcements.service.ts";
import { calendarEventsService } from "../calendar-events/calendar-events.service.ts";
import { updateAnnouncement } from "../contracts/announcements.contract.ts";
import { guildSettingsService } from "../guild-settings/guild-settings.service.ts";
import { dispatchService } from "./dispatch.service.ts";
import type { Timing } from "./protocol/timing.ts";
import { newRecordingSink, type RecordingSink } from "../../test/fixtures/recording-sink.ts";

const HOUR = 3_600_000;
/** A post that is later has a reason (D44). */
const LATE_MS = 5_000;
const DOWN = expect.stringMatching(/^dispatch was not running from \S+Z to \S+Z/) as unknown as string;

describe("dispatch during faults", () => {
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

  async function dispatch(
    graceMs: number,
    more: Partial<ServiceSchema> = {},
    timing: Partial<Timing> = {},
  ): Promise<{ stop(): Promise<void> }> {
    const schema = { ...dispatchService({ mongoUrl: services.mongoUrl, sinks: [sink], graceMs, timing }), ...more };
    const service = services.broker.createService(schema);
    await services.broker.waitForServices("dispatch", 60_000, 20);
    return { stop: () => services.broker.destroyService(service) };
  }

  test("every change is planned without broadcasts, from the owners' change feeds", async () => {
    await dispatch(900_000, { events: {} });
    const guild = new TestGuild(services, sink);
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

  test("a plan that is due again is made again", async () => {
    await dispatch(900_000, {}, { sweepEveryMs: 100 });
    const guild = new TestGuild(services, sink);
    await guild.announcement(10);
    const startsAt = Date.now() + HOUR;
    await guild.event(0, { startsAt, endsAt: startsAt });
    await guild.plannedFor(startsAt);
    const connection = await mongoose.createConnection(services.mongoUrl).asPromise();
    const plans = connection.collection<{ readonly _id: string; readonly replanAt: Date; readonly version: number }>(
      "guild_plans",
    );
    const replanAt = new Date(Date.now() - HOUR);
    await plans.updateOne({ _id: guild.id }, { $set: { replanAt } });
    const isPlanned = async () => ((await plans.findOne({ _id: guild.id }))?.replanAt ?? replanAt) > new Date();
    await until(isPlanned, "the next plan", 30_000);
    const { version } = (await plans.findOne({ _id: guild.id })) ?? { version: 0 };
    await connection.close();
    expect(version).toBeGreaterThan(1);
  });

  test("after a restart overdue posts are sent once within the grace time, with the reason that dispatch was not running", async () => {
    const before = await dispatch(900_000);
    const guild = new TestGuild(services, sink);
    await guild.announcement(0);
    const startsAt = Date.now() + 1_000;
    await guild.event(0, { startsAt, endsAt: startsAt });
    await guild.plannedFor(startsAt);
    await before.stop();
    await until(() => Date.now() > startsAt + LATE_MS, "the due instant is past");
    expect(guild.received()).toEqual([]);
    await dispatch(900_000);
    const [post] = await guild.settled(1);
    expect(post).toMatchObject({ state: "sent", startsAt, reasonCode: "DISPATCH_DOWN", reason: DOWN });
    expect(post?.lateMs).toBeGreaterThan(LATE_MS);
    expect(guild.received()).toHaveLength(1);
  });

  test("posts that were due during a downtime longer than the grace time are missed because of it, even if they had not been planned", async () => {
    const before = await dispatch(300);
    const guild = new TestGuild(services, sink);
    await guild.announcement(0);
    // A busy machine may need seconds until dispatch has stopped.
    const startsAt = Date.now() + 5_000;
    await guild.event(0, { startsAt, endsAt: startsAt });
    await guild.plannedFor(startsAt);
    await before.stop();
    const unplanned = Math.max(startsAt, Date.now()) + 1_000;
    await guild.event(0, { startsAt: unplanned, endsAt: unplanned });
    await until(() => Date.now() > unplanned + 3_000, "the grace time is past");
    await dispatch(300);
    const missed = { state: "missed", reasonCode: "DISPATCH_DOWN", reason: DOWN };
    expect(await guild.settled(2)).toMatchObject([missed, missed]);
    expect(guild.received()).toEqual([]);
  });

  test("a post whose response was lost is listed as in doubt, with its attempts, until it is settled", async () => {
    await dispatch(900_000);
    const guild = new TestGuild(services, sink);
    await guild.announcement(0);
    sink.refuse = { kind: "retry", reason: "timed out", afterMs: 3_000 };
    const startsAt = Date.now() + 1_000;
    await guild.event(0, { startsAt, endsAt: startsAt });
    const inDoubt = async () => (await guild.upcoming()).find(({ nextTryAt }) => nextTryAt !== undefined);
    await until(async () => (await inDoubt()) !== undefined, "in doubt");
    const post = await inDoubt();
    expect(post).toMatchObject({ state: "sending", startsAt, attempts: expect.any(Number), reason: "timed out" });
    expect(post?.inDoubtSince).toBeGreaterThanOrEqual(startsAt);
    expect(post?.nextTryAt).toBeGreaterThan(startsAt);
    delete sink.refuse;
    await expect(guild.settled(1)).resolves.toMatchObject([{ state: "sent" }]);
    await guild.plannedFor();
  });

  test("a permanent refusal by the channel suspends the announcement, and an update ends the suspension", async () => {
    sink.refuse = { kind: "rejected", scope: "channel", reason: "Unknown Channel" };
    await dispatch(900_000);
    const guild = new TestGuild(services, sink);
    const id = await guild.announcement(30);
    await guild.event(60_000);
    const startsAt = Date.now() + 2 * HOUR;
    await guild.event(0, { startsAt, endsAt: startsAt });
    const outcomes = await guild.settled(2);
    expect(outcomes.map(({ state, reason }) => `${state}: ${reason}`).toSorted()).toEqual([
      "failed: Unknown Channel",
      "skipped: the announcement is suspended until it is updated: Unknown Channel",
    ]);
    // A suspended post is in the history with its reason, not among the upcoming ones.
    expect(await guild.upcoming()).toEqual([]);
    await services.call(updateAnnouncement, { guildId: guild.id, id, info: "here again" });
    await guild.plannedFor(startsAt);
    expect(await guild.history()).toHaveLength(2);
  });

  test("two replicas send each post once", async () => {
    await dispatch(900_000);
    await dispatch(900_000, { name: "dispatch-second" });
    const guild = new TestGuild(services, sink);
    for (let at = 0; at < 5; at += 1) await guild.announcement(0, { channel: String(80 + at) });
    await guild.event(1_000);
    await guild.event(1_500);
    await guild.settled(10);
    expect(guild.received().map(({ postId }) => postId)).toHaveLength(10);
    expect(new Set(guild.received().map(({ nonce }) => nonce)).size).toBe(10);
  });
});
