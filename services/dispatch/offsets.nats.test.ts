import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose from "mongoose";
import { newRecordingSink } from "../../test/fixtures/recording-sink.ts";
import { startPostingServices } from "../../test/harness/posting-services.ts";
import { TestGuild } from "../../test/harness/test-guild.ts";
import type { TestServices } from "../../test/harness/test-services.ts";
import { until } from "../../test/harness/until.ts";
import { getAnnouncement, updateAnnouncement } from "../contracts/announcements.contract.ts";
import { listUpcomingPostsPage, previewPost } from "../contracts/dispatch.contract.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("an announcement with offsets (D54)", () => {
  const sink = newRecordingSink();
  let services: TestServices;

  beforeAll(async () => {
    services = await startPostingServices(sink);
  });
  afterAll(() => services.stop());

  test("is posted at the creation, the start and the end of an event, each once and not early", async () => {
    const guild = new TestGuild(services, sink);
    const offsets = (["END", "START", "CREATED"] as const).map((anchor) => ({ anchor, minutes: 0 }));
    await guild.announcement(0, { offsets });
    const startsAt = Date.now() + 2_000;
    const endsAt = startsAt + 1_500;
    const eventId = await guild.event(0, { startsAt, endsAt });
    await guild.settled(1);
    await guild.change(eventId, { name: "renamed" });
    const posts = (await guild.settled(3)).toSorted((one, other) => one.dueAt - other.dueAt);
    expect(posts).toMatchObject([
      { anchor: "CREATED", offsetMinutes: 0, state: "sent", eventId },
      { anchor: "START", offsetMinutes: 0, state: "sent", dueAt: startsAt },
      { anchor: "END", offsetMinutes: 0, state: "sent", dueAt: endsAt },
    ]);
    for (const { dueAt, messageId } of posts) {
      expect(sink.received.find((_, at) => messageId === `m${at + 1}`)?.at).toBeGreaterThanOrEqual(dueAt);
    }
    expect(new Set(guild.received().map(({ nonce }) => nonce)).size).toBe(3);
  });

  test("is posted when an event got another start, and not when it got another name or was just created (D69)", async () => {
    const guild = new TestGuild(services, sink);
    await guild.announcement(0, { offsets: [{ anchor: "CHANGED", minutes: 0 }] });
    const startsAt = Date.now() + HOUR;
    const eventId = await guild.event(0, { startsAt, endsAt: startsAt + HOUR });
    await guild.change(eventId, { startsAt: startsAt + 1, endsAt: startsAt + HOUR });
    const database = await mongoose.createConnection(services.mongoUrl).asPromise();
    const createdAt = new Date(Date.now() - DAY);
    await database
      .collection("calendar_events")
      .updateOne({ _id: eventId as never }, { $set: { createdAt, scheduledAt: createdAt }, $unset: { endSetAt: 1 } });
    await database.close();
    await guild.change(eventId, { name: "renamed" });
    await guild.change(eventId, { startsAt: startsAt + 2 * HOUR, endsAt: startsAt + 3 * HOUR });
    const [post] = await guild.settled(1);
    expect(post).toMatchObject({ anchor: "CHANGED", offsetMinutes: 0, state: "sent", startsAt: startsAt + 2 * HOUR });
    expect(guild.received()).toHaveLength(1);
    expect(post?.dueAt).toBeGreaterThan(createdAt.getTime() + DAY);
  });

  test("has its posts ahead, also for an event that is over, and they follow the changes of event and offsets", async () => {
    const guild = new TestGuild(services, sink);
    const startsAt = Date.now() - 400 * DAY;
    const endsAt = Date.now() - HOUR;
    const minutes = 120;
    const id = await guild.announcement(0, { offsets: [{ anchor: "END", minutes }] });
    const eventId = await guild.event(0, { startsAt, endsAt });
    const dues = async () =>
      (await guild.upcoming()).map(({ anchor, offsetMinutes, dueAt }) => [anchor, offsetMinutes, dueAt]);
    const planned = (...expected: unknown[]) =>
      until(async () => JSON.stringify(await dues()) === JSON.stringify(expected), JSON.stringify(expected));
    await planned();
    await guild.change(eventId, { endsAt: endsAt + 2 * HOUR });
    await planned(["END", minutes, endsAt + 4 * HOUR]);
    const start = Date.now() + 5 * HOUR;
    await guild.change(eventId, { startsAt: start, endsAt: start + HOUR });
    const offsets = [
      { anchor: "END", minutes: -60 },
      { anchor: "START", minutes: 0 },
    ] as const;
    await services.call(updateAnnouncement, { guildId: guild.id, id, offsets });
    await planned(["END", -60, start], ["START", 0, start]);
    const { entries, next = "" } = await services.call(listUpcomingPostsPage, { guildId: guild.id, limit: 1 });
    const rest = await services.call(listUpcomingPostsPage, { guildId: guild.id, limit: 5, cursor: next });
    expect([...entries, ...rest.entries].map(({ anchor }) => anchor)).toEqual(["END", "START"]);
    await expect(services.call(previewPost, { guildId: guild.id, id })).resolves.toMatchObject({
      offsets: [
        { anchor: "END", minutes: -60, dueAt: start },
        { anchor: "START", minutes: 0, dueAt: start },
      ],
    });
    await services.call(updateAnnouncement, { guildId: guild.id, id, minutes: 30 });
    await planned([undefined, undefined, start - 30 * 60_000]);
    const stored = await services.call(getAnnouncement, { guildId: guild.id, id });
    expect(stored).toMatchObject({ hours: 0, minutes: 30 });
    expect(stored).not.toHaveProperty("offsets");
  });
});
