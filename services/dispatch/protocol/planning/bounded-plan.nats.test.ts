import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { openCalendar } from "../../../../test/calendar/filled-calendar.ts";
import { TestGuild } from "../../../../test/harness/test-guild.ts";
import { startTestServices, type TestServices } from "../../../../test/harness/test-services.ts";
import { until } from "../../../../test/harness/until.ts";
import { announcementsService } from "../../../announcements/announcements.service.ts";
import { calendarEventsService } from "../../../calendar-events/calendar-events.service.ts";
import { updateAnnouncement } from "../../../contracts/announcements.contract.ts";
import { listUpcomingPosts } from "../../../contracts/dispatch.contract.ts";
import { guildSettingsService } from "../../../guild-settings/guild-settings.service.ts";
import { dispatchService } from "../../dispatch.service.ts";
import type { Timing } from "../timing.ts";
import { newRecordingSink, type RecordingSink } from "../../../../test/fixtures/recording-sink.ts";

const HOUR = 3_600_000;
const BOUND = 4;

interface PlannedGuild {
  readonly guild: TestGuild;
  /** Its announcement. */
  readonly id: string;
  readonly startsAt: number;
}

describe(`a guild with at most ${BOUND} open posts (D39)`, () => {
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

  async function dispatch(graceMs: number, more: Partial<Timing> = {}): Promise<{ stop(): Promise<void> }> {
    const timing = { maxOpenPosts: BOUND, ...more };
    const schema = dispatchService({ mongoUrl: services.mongoUrl, sinks: [sink], graceMs, timing });
    const service = services.broker.createService(schema);
    await services.broker.waitForServices("dispatch", 60_000, 20);
    return { stop: () => services.broker.destroyService(service) };
  }

  /** A guild with more posts at one instant than the bound, all of which were counted before the instant. */
  async function guildWithPlannedPosts(posts: number, leadMs = 6_000): Promise<PlannedGuild> {
    const guild = new TestGuild(services, sink);
    const id = await guild.announcement(0);
    const startsAt = Date.now() + leadMs;
    await Promise.all(Array.from({ length: posts }, () => guild.event(0, { startsAt, endsAt: startsAt })));
    const isPlanned = async () => (await upcoming(guild)).notPlanned !== undefined || Date.now() > startsAt;
    await until(isPlanned, "the posts are planned or due");
    // A busy machine may need longer for the events than until they start.
    return Date.now() > startsAt - leadMs / 4 ? guildWithPlannedPosts(posts, 2 * leadMs) : { guild, id, startsAt };
  }

  const upcoming = (guild: TestGuild) => services.call(listUpcomingPosts, { guildId: guild.id, amount: -1 });

  test("has its soonest posts in upcoming, with a notice from when on and why later ones are missing", async () => {
    await dispatch(900_000);
    const guild = new TestGuild(services, sink);
    await guild.announcement(0);
    const starts = Array.from({ length: 6 }, (_, at) => Date.now() + HOUR * (6 - at));
    for (const startsAt of starts) await guild.event(0, { startsAt, endsAt: startsAt });
    const soonest = starts.toReversed();
    await guild.plannedFor(...soonest.slice(0, BOUND));
    await expect(upcoming(guild)).resolves.toMatchObject({
      notPlanned: { code: "TOO_MANY_POSTS", dueFrom: soonest[BOUND], message: expect.stringContaining("more than") },
    });
    // Sooner posts took the places of later ones, whose rows were removed.
    expect(await guild.history()).toEqual([]);
  });

  test("has no notice in upcoming if there is room for all posts", async () => {
    await dispatch(900_000);
    const guild = new TestGuild(services, sink);
    await guild.announcement(0);
    await guild.event(HOUR);
    await until(async () => (await guild.upcoming()).length === 1, "planned");
    expect(Object.keys(await upcoming(guild))).toEqual(["posts"]);
  });

  test("gets more posts than that at one instant, as earlier ones are sent", async () => {
    await dispatch(900_000);
    const guild = new TestGuild(services, sink);
    await guild.announcement(0);
    const startsAt = Date.now() + 2_500;
    for (let at = 0; at < 3 * BOUND; at += 1) await guild.event(0, { startsAt, endsAt: startsAt + HOUR });
    const settled = await guild.settled(3 * BOUND);
    expect(settled.map(({ state }) => state)).toEqual(Array.from({ length: 3 * BOUND }, () => "sent"));
    expect(new Set(guild.received().map(({ postId }) => postId)).size).toBe(3 * BOUND);
    await until(async () => (await upcoming(guild)).notPlanned === undefined, "all is planned");
  });

  test("has one row in the history for posts that expired before there was room, with their number", async () => {
    sink.refuse = { kind: "halted", reason: "no token" };
    await dispatch(1_000);
    const { guild, id, startsAt } = await guildWithPlannedPosts(3 * BOUND);
    // On a busy machine there can be room for some of the later posts just before they expire: each of these has a row.
    const others = ({ reason }: { reason?: string }) =>
      Number(/stands for ([0-9]+) other posts/.exec(reason ?? "")?.[1]);
    const isCounted = async () => {
      const counts = (await guild.history()).map((row) => 1 + (others(row) || 0));
      return counts.reduce((sum, count) => sum + count, 0) === 3 * BOUND;
    };
    await until(isCounted, "every post has a row, or is counted in one");
    const rows = await guild.history();
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["missed"]));
    const passedOver = rows.filter((row) => others(row) > 0);
    expect(passedOver).toMatchObject([{ announcementId: id, startsAt }]);
    expect(passedOver[0]?.reason).toMatch(new RegExp(`^more than ${BOUND} posts.* of the announcement, due until`));
  });

  test("gets an announcement a week ahead on time, however many occurrences start before", async () => {
    await dispatch(900_000);
    const guild = new TestGuild(services, sink);
    const from = Date.now() + HOUR;
    const calendar = await openCalendar(services.mongoUrl);
    const soon = Array.from({ length: 10_100 }, (_, at) => ({
      startsAt: from + at * 45_000,
      endsAt: from + at * 45_000,
    }));
    await calendar.fill(guild.id, soon);
    await calendar.connection.close();
    await guild.announcement(0, { type: "COLOR", eventColor: "RED", hours: 168 });
    const eventId = await guild.event(168 * HOUR + 3_000, { color: "RED" });
    // On a busy machine a plan of ten thousand occurrences may be retried, after up to 64 s.
    await until(async () => (await guild.history()).length === 1, "posted", 150_000);
    await expect(guild.history()).resolves.toMatchObject([{ eventId, state: "sent" }]);
  });

  test("has only its latest cancelled posts in the ledger", async () => {
    await dispatch(900_000, { maxUnsentPosts: 2 });
    const guild = new TestGuild(services, sink);
    const id = await guild.announcement(0);
    for (let at = 1; at <= 3; at += 1) await guild.event(at * HOUR);
    for (let times = 0; times < 3; times += 1) {
      await until(async () => (await guild.upcoming()).length === 3, "planned");
      await services.call(updateAnnouncement, { guildId: guild.id, id, enabled: false });
      await until(async () => (await guild.upcoming()).length === 0, "cancelled");
      await services.call(updateAnnouncement, { guildId: guild.id, id, enabled: true });
    }
    await until(async () => (await guild.upcoming()).length === 3, "planned again");
    // Posts that one plan cancelled have the same time, so all of them stay or all are deleted.
    await until(async () => (await guild.history()).length <= 3, "forgotten");
    expect(guild.received()).toEqual([]);
  });

  test("has a notice in upcoming if it has more occurrences than a plan reads, and sooner posts are planned", async () => {
    await dispatch(900_000);
    const guild = new TestGuild(services, sink);
    const from = Date.now() + HOUR;
    const starts = Array.from({ length: 10_100 }, (_, at) => from + at * 15_000);
    const calendar = await openCalendar(services.mongoUrl);
    await calendar.fill(
      guild.id,
      starts.map((startsAt) => ({ startsAt, endsAt: startsAt })),
    );
    await calendar.connection.close();
    await guild.announcement(0, { type: "COLOR", eventColor: "RED" });
    await guild.event(2 * HOUR, { color: "RED" });
    await until(async () => (await upcoming(guild)).notPlanned !== undefined, "planned", 150_000);
    const { posts, notPlanned } = await upcoming(guild);
    expect([posts.length, notPlanned?.code]).toEqual([1, "TOO_MANY_OCCURRENCES"]);
    expect(notPlanned?.dueFrom).toBeGreaterThan(from + 3 * HOUR);
    expect(notPlanned?.dueFrom).toBeLessThan(starts.at(-1) ?? 0);
  });
});
