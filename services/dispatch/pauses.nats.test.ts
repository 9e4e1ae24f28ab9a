import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newRecordingSink } from "../../test/fixtures/recording-sink.ts";
import { startPostingServices } from "../../test/harness/posting-services.ts";
import { TestGuild } from "../../test/harness/test-guild.ts";
import type { TestServices } from "../../test/harness/test-services.ts";
import { until } from "../../test/harness/until.ts";
import { getAnnouncement, updateAnnouncement } from "../contracts/announcements.contract.ts";
import { listEvents, updateEvent } from "../contracts/calendar-events.contract.ts";
import { getCalendar, updateCalendar } from "../contracts/calendars.contract.ts";
import {
  listUpcomingPostsPage,
  previewPost,
  type UpcomingPost,
  type UpcomingPostsPage,
} from "../contracts/dispatch.contract.ts";
import { getGuildSettings, updateGuildSettings } from "../contracts/guild-settings.contract.ts";
import type { EpochMs, OccurrenceId } from "../contracts/ids.ts";
import { getOccurrence } from "../contracts/occurrences.contract.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("a pause (D62)", () => {
  const sink = newRecordingSink();
  let services: TestServices;

  beforeAll(async () => {
    services = await startPostingServices(sink);
  });
  afterAll(() => services.stop());

  /** A guild with an announcement an hour before its event, which starts in two hours. */
  async function guildWithPost() {
    const guild = new TestGuild(services, sink);
    const id = await guild.announcement(60);
    const eventId = await guild.event(2 * HOUR);
    const main = { guildId: guild.id, calendarNumber: 1 };
    const pause = {
      guild: (pausedUntil: EpochMs | null) => services.call(updateGuildSettings, { guildId: guild.id, pausedUntil }),
      calendar: (pausedUntil: EpochMs | null) => services.call(updateCalendar, { ...main, pausedUntil }),
      event: (pausedUntil: EpochMs | null) => guild.change(eventId, { pausedUntil }),
      announcement: (pausedUntil: EpochMs | null) =>
        services.call(updateAnnouncement, { guildId: guild.id, id, pausedUntil }),
    };
    return { guild, id, eventId, pause };
  }

  test.each(["guild", "calendar", "event", "announcement"] as const)(
    "of the %s skips the posts that are due before its end, also after it was ended, and no later one",
    async (of) => {
      const { guild, id, eventId, pause } = await guildWithPost();
      const pausedUntil = Date.now() + 3 * HOUR;
      const skipReason = `paused until ${new Date(pausedUntil).toISOString().replace(".000Z", "Z")} (${of})`;
      await pause[of](pausedUntil);
      const upcoming = async () => (await guild.upcoming()).map((post) => [post.skipCode, post.skipReason]);
      await until(async () => (await upcoming()).join() === `PAUSED,${skipReason}`, "the skip is foreseen");
      await expect(services.call(previewPost, { guildId: guild.id, id })).resolves.toMatchObject({ skipReason });
      // A post of an event that is moved after its post would have been due is due at once.
      const soon = { startsAt: Date.now() + HOUR / 2, endsAt: Date.now() + HOUR };
      await guild.change(eventId, soon);
      await until(async () => (await guild.history()).some(({ state }) => state === "skipped"), "the post is skipped");
      const outcome = (await guild.history()).find(({ state }) => state === "skipped");
      expect(outcome).toMatchObject({ eventId, state: "skipped", reason: skipReason, reasonCode: "PAUSED" });
      await pause[of](null);
      await guild.change(eventId, { name: "again" });
      const other = await guild.event(0, soon);
      const settled = async () => (await guild.history()).filter(({ state }) => state !== "cancelled");
      await until(async () => (await settled()).length > 1, "the post of the other event is settled");
      const outcomes = new Map((await settled()).map((post) => [post.eventId as string, post.state]));
      expect(outcomes).toEqual(
        new Map([
          [other, "sent"],
          [eventId, "skipped"],
        ]),
      );
      expect(guild.received()).toHaveLength(1);
    },
  );

  test("is in the records until it is removed, and how far it has reached stays in them", async () => {
    const { guild, id, eventId, pause } = await guildWithPost();
    const { id: guildId } = guild;
    const main = { guildId, calendarNumber: 1 };
    const pausedUntil = Date.now() + DAY;
    const before = Date.now();
    for (const of of Object.values(pause)) await of(pausedUntil);
    const records = async () => [
      await services.call(getGuildSettings, { guildId }),
      await services.call(getCalendar, main),
      await services.call(getAnnouncement, { guildId, id }),
      (await services.call(listEvents, { ...main, from: before, until: before + DAY }))[0],
    ];
    const occurrence = () => services.call(getOccurrence, { guildId, occurrenceId: eventId as OccurrenceId });
    for (const record of await records()) expect(record).toMatchObject({ pausedUntil });
    await expect(occurrence()).resolves.toMatchObject({
      eventPausedUntil: pausedUntil,
      calendarPausedUntil: pausedUntil,
    });
    for (const of of Object.values(pause)) await of(null);
    for (const record of await records()) expect(record).not.toHaveProperty("pausedUntil");
    const { eventPausedUntil = 0, calendarPausedUntil = 0 } = (await occurrence()) ?? {};
    const { pauseEndedAt: ofGuild = 0 } = await services.call(getGuildSettings, { guildId });
    const { pauseEndedAt: ofAnnouncement = 0 } = await services.call(getAnnouncement, { guildId, id });
    for (const ended of [eventPausedUntil, calendarPausedUntil, ofGuild, ofAnnouncement]) {
      expect(ended).toBeGreaterThanOrEqual(before);
      expect(ended).toBeLessThan(pausedUntil);
    }
    // A pause in the past stays where it was.
    await pause.announcement(before - HOUR);
    await pause.announcement(null);
    expect((await services.call(getAnnouncement, { guildId, id })).pauseEndedAt).toBe(ofAnnouncement);
  });

  test("of a series is divided by a split, is refused for one occurrence, and is in computed posts", async () => {
    const { guild } = await guildWithPost();
    const startsAt = Date.now() + 10 * DAY;
    const recurrence = { frequency: "DAILY", count: 4 } as const;
    const pausedUntil = startsAt + 10 * DAY;
    const eventId = await guild.event(0, { startsAt, endsAt: startsAt, recurs: true, recurrence, pausedUntil });
    const listed = async () => {
      const posts: UpcomingPost[] = [];
      let next: { readonly cursor?: string } | undefined = {};
      while (next !== undefined) {
        const params = { guildId: guild.id, dueFrom: startsAt - DAY, dueUntil: startsAt + 5 * DAY, ...next };
        const page: UpcomingPostsPage = await services.call(listUpcomingPostsPage, params);
        posts.push(...page.entries);
        next = page.next === undefined ? undefined : { cursor: page.next };
      }
      return posts.map(({ skipCode, ...post }) => [(post.startsAt - startsAt) / DAY, skipCode]);
    };
    const paused = (day: number) => [day, "PAUSED"];
    await expect(listed()).resolves.toEqual([0, 1, 2, 3].map(paused));
    const window = { guildId: guild.id, calendarNumber: 1, from: startsAt, until: startsAt + 5 * DAY };
    const third = (await services.call(listEvents, window))[2]?.eventId as string;
    const change = { guildId: guild.id, calendarNumber: 1, eventId: third as never, pausedUntil: null };
    await expect(services.call(updateEvent, { ...change, scope: "this" })).rejects.toMatchObject({
      type: "INVALID_REQUEST",
      data: { problems: [{ field: "pausedUntil", code: "NOT_ALLOWED" }] },
    });
    await services.call(updateEvent, { ...change, scope: "following" });
    await expect(listed()).resolves.toEqual([paused(0), paused(1), [2, undefined], [3, undefined]]);
    // What was due in the part that follows, until the split, stays unsent under its new ids.
    const following = (await services.call(listEvents, window))[2]?.eventId as OccurrenceId;
    const occurrence = await services.call(getOccurrence, { guildId: guild.id, occurrenceId: following });
    expect(occurrence?.eventPausedUntil).toBeGreaterThan(startsAt - 11 * DAY);
    expect(occurrence?.eventPausedUntil).toBeLessThan(startsAt);
    await guild.change(eventId, { name: "renamed" });
    await expect(listed()).resolves.toEqual([paused(0), paused(1), [2, undefined], [3, undefined]]);
  });
});
