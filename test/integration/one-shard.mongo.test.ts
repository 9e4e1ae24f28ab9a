import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { announcementsStore } from "../../services/announcements/announcements.store.ts";
import { unwrittenCalendar } from "../../services/calendar-events/domain/calendar/calendar.ts";
import { occurrenceId } from "../../services/calendar-events/domain/event/occurrence-id.ts";
import type { CalendarEvent, StoredEvent } from "../../services/calendar-events/domain/event/event.ts";
import { calendarEventsStore } from "../../services/calendar-events/store/calendar-events.store.ts";
import { calendarsStore } from "../../services/calendar-events/store/calendars.store.ts";
import { feedReads } from "../../services/calendar-events/store/feed-reads.store.ts";
import type { EventId, GuildId } from "../../services/contracts/ids.ts";
import { postsStore } from "../../services/dispatch/store/posts.store.ts";
import { guildSettingsStore } from "../../services/guild-settings/guild-settings.store.ts";
import { defaultSettings } from "../../services/guild-settings/domain/guild-settings.ts";
import { claimOf, emptyPlan, PostStoreFixture } from "../conformance/post-store-fixture.ts";
import { sampleAnnouncement, sampleOccurrence } from "../fixtures/dispatch-samples.ts";
import { PROJECT } from "../harness/guildcal-process.ts";
import { type MongoShards, type ShardKeys, startMongoShards } from "../harness/mongo-shards.ts";
import { type ProfiledShards, profileShards } from "../harness/profiled-shards.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const KEYS_FILE = join(PROJECT, "k8s/components/sharded-mongodb/shard-keys.json");
const KEYS = JSON.parse(readFileSync(KEYS_FILE, "utf8")) as ShardKeys;
const OPTIONS = {
  autoIndex: false,
  writeConcern: { w: "majority" },
  readConcernLevel: "majority",
} as const satisfies mongoose.ConnectOptions;
const START_MS = 600_000;
const DAY = 86_400_000;
const guildId = "1" as GuildId;
const after = { at: 0, id: "", delivered: [] };
const eventId = (digit: number) => `e${String(digit).repeat(25)}` as EventId;
const of = { guildId, calendarNumber: 1 };
const calendar = unwrittenCalendar(guildId, 1);
const window = { from: 0, until: 40 * DAY };
const texts = { texts: true };

function event(digit: number, revision = 1, differs: Partial<CalendarEvent> = {}): CalendarEvent {
  return {
    ...of,
    id: eventId(digit),
    revision,
    startsAt: DAY,
    endsAt: DAY + 9,
    color: "NONE",
    name: "raid",
    ...differs,
  };
}

function series(digit: number, revision = 1, hasOverrides = true): CalendarEvent {
  const recurrence = { frequency: "DAILY", count: -1, interval: 1 } as const;
  return event(digit, revision, { recurring: { recurrence, anchor: { timezone: "UTC", version: 0 }, hasOverrides } });
}

const stored = (of_: CalendarEvent): StoredEvent => ({ ...of_, scheduledAt: 0, coloredAt: 0 });

describe("on two shards, the rows of a guild in a collection are on one", () => {
  let directory: string;
  let shards: MongoShards;
  let connection: Connection;
  let profile: ProfiledShards;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-one-shard-"));
    shards = await startMongoShards(directory, KEYS);
    connection = await mongoose.createConnection(shards.url, OPTIONS).asPromise();
    for (const open of [guildSettingsStore, announcementsStore, calendarsStore, postsStore]) open(connection);
    calendarEventsStore(connection, 100);
    for (const model of Object.values(connection.models)) await model.createIndexes();
    profile = await profileShards(shards.shardUrls);
  }, START_MS);
  afterAll(async () => {
    await profile?.close();
    await connection?.close();
    await shards?.stop();
    await removeFolder(directory);
  });

  /** The kinds of statements that some work makes: on one shard, and on both. */
  async function statementsOf(work: () => Promise<unknown>): Promise<{ onOne: string[]; onBoth: string[] }> {
    await profile.forget();
    await work();
    const kinds = (await profile.statements()).map(
      (list) =>
        new Set(
          list.filter(({ collection }) => collection in KEYS).map(({ collection, shape }) => `${collection} ${shape}`),
        ),
    );
    const [first = new Set<string>(), second = new Set<string>()] = kinds;
    return {
      onOne: [...first.symmetricDifference(second)].toSorted(),
      onBoth: [...first.intersection(second)].toSorted(),
    };
  }

  test("writes and reads of settings, calendars and announcements ask one shard", async () => {
    const settings = guildSettingsStore(connection);
    const calendars = calendarsStore(connection);
    const announcements = announcementsStore(connection);
    const { standsSince: _, ...announcement } = sampleAnnouncement({ guildId });
    const { onOne, onBoth } = await statementsOf(async () => {
      await settings.replace({ ...defaultSettings(guildId), revision: 1 });
      await settings.find(guildId);
      await settings.listChanged({ guildId, after, limit: 10 });
      await calendars.replace({ calendar: { ...calendar, revision: 1 } });
      await calendars.find(guildId, 1);
      await calendars.list(guildId);
      await calendars.listChanged({ guildId, after, limit: 10 });
      await announcements.insert(announcement);
      await announcements.find(guildId, announcement.id);
      await announcements.list(guildId, 10);
      await announcements.listIds(guildId);
      await announcements.listRules(guildId);
      await announcements.listFormerRules(guildId, 0);
      await Array.fromAsync(announcements.listByIds(guildId, [announcement.id]));
      await announcements.replace({ ...announcement, revision: 2 }, true);
      await announcements.removeOfEvent(guildId, eventId(1));
      await announcements.remove({ ...announcement, revision: 2, standsSince: 0 });
    });
    expect(onBoth).toEqual([]);
    expect(onOne.length).toBeGreaterThan(12);
  });

  test("writes and reads of events, series and their changed occurrences ask one shard", async () => {
    const store = calendarEventsStore(connection, 100);
    const feed = feedReads(connection);
    const cancelled = { eventId: eventId(2), original: 3 * DAY, cancelled: true, texts: {} };
    const before = sampleOccurrence({ eventId: eventId(2), startsAt: 3 * DAY, endsAt: 3 * DAY + 9 });
    const { onOne, onBoth } = await statementsOf(async () => {
      await expect(store.insert(event(1))).resolves.toBe(true);
      await expect(store.insert(event(1))).resolves.toBe(true);
      await store.replace({ event: event(1, 2, { startsAt: 2 * DAY }), rescheduled: true, recolored: false }, "all");
      await store.insert(series(2));
      const own = { override: cancelled, rescheduled: false, recolored: false };
      await expect(store.saveOverride(series(2, 2), own, before)).resolves.toBe(true);
      await store.find(guildId, eventId(2), occurrenceId(eventId(2), 3 * DAY));
      await expect(store.findAll(guildId, [eventId(1), eventId(2)])).resolves.toHaveLength(2);
      await store.following(guildId, [eventId(2)]);
      await expect(store.overriddenStarts(guildId, eventId(2))).resolves.toEqual([3 * DAY]);
      await store.cancelledStarts(guildId, eventId(2));
      await store.overrides(guildId, [eventId(2)], window);
      await store.movedOverlapping(guildId, [eventId(2)], window);
      await expect(store.textsOf(guildId, [eventId(1)])).resolves.toHaveProperty("size", 1);
      await store.findByUids(guildId, 1, ["uid"]);
      await Array.fromAsync(store.eventsOverlapping(guildId, calendar, window));
      await Array.fromAsync(store.seriesOverlapping(guildId, [calendar], window, texts));
      const chosen = { ...texts, only: { eventIds: [eventId(2)] } };
      await Array.fromAsync(store.seriesOverlapping(guildId, [calendar], window, chosen));
      await Array.fromAsync(store.allDayStarting(guildId, [calendar], window, texts));
      await Array.fromAsync(store.eventsBetween(guildId, [calendar], { from: eventId(1), until: eventId(9) }, texts));
      await store.singleEventsStarting(guildId, [calendar], window, 10, texts);
      await store.inIdOrder(guildId, 1, "", 10);
      await store.earliestStart(guildId, 1);
      await store.countStored(guildId);
      const { reads } = await store.calendarsInSnapshot(guildId);
      await reads.findAll(guildId, [eventId(1)]);
      const { moment } = await feed.lastChange(guildId);
      await feed.calendar(of, moment);
      await Array.fromAsync(feed.events(of, undefined, { changedAt: 0, id: "" }, moment));
      await feed.event(of, eventId(1), moment);
      await feed.overrides({ guildId, id: eventId(2) }, { after: 0, until: 9 * DAY, limit: 10 }, moment);
      await feed.zonesOfSeries(of);
      const following = { event: series(3, 1, false), rescheduled: false, recolored: false };
      const parts = {
        before: series(2, 3, false),
        following,
        stored: stored(series(2, 2)),
        from: 3 * DAY,
        keep: [3 * DAY],
      };
      await expect(store.split(parts)).resolves.toBe(true);
      await expect(store.overriddenStarts(guildId, eventId(3))).resolves.toEqual([3 * DAY]);
      await expect(store.remove(stored(series(3)))).resolves.toBe(true);
      await expect(store.formerEvents(guildId, 0)).resolves.not.toEqual([]);
    });
    expect(onBoth).toEqual([]);
    expect(onOne.length).toBeGreaterThan(20);
  });

  test("the plan, posts and history of a guild ask one shard", async () => {
    const store = postsStore(connection);
    const fixture = new PostStoreFixture(async () => ({ store, stop: async () => undefined }));
    await fixture.start();
    const { onOne, onBoth } = await statementsOf(async () => {
      const [post, other, third] = await fixture.planned(-5, 3);
      if (post === undefined || other === undefined || third === undefined) throw new Error("no posts");
      const guild = post.guildId;
      const source = { id: `${guild}/s`, version: "1", text: "{}", neededUntil: Date.now() + DAY };
      const { id, startsAt, fence, planRevision } = third;
      const to = { state: "cancelled", reason: "gone", settledAt: Date.now() } as const;
      const updates = [{ id, startsAt, fence, planRevision, to }];
      await expect(store.commitPlan({ ...emptyPlan(guild, 1), updates, sources: [source] })).resolves.toBe(2);
      await expect(store.sources(guild, [source.id])).resolves.toEqual([source]);
      await store.sourceVersions(guild, [source.id]);
      const claimed = await store.claim(claimOf(post, { leaseMs: 10_000 }));
      if (claimed === null) throw new Error("not claimed");
      await expect(store.extendLease(claimed, 10_000)).resolves.not.toBeNull();
      await store.takeOver({ ...claimed, state: "sending", owner: "them", attemptId: "two", leaseMs: 1 });
      await expect(store.write(claimed, { state: "sent", settledAt: Date.now() })).resolves.not.toBeNull();
      await expect(store.find(other)).resolves.toMatchObject({ id: other.id });
      await store.editedPosts(guild, Date.now(), 10);
      await store.requestSteps(guild, [claimed.id]);
      await store.postsForPlan(guild, 10);
      await store.postsOfPairs(guild, [post.occurrenceId], [post.announcementId]);
      await expect(store.listUpcoming(guild, -1)).resolves.toHaveLength(1);
      await expect(store.listHistory(guild, 10)).resolves.toHaveLength(2);
      await store.listHistoryBehind(guild, { announcementId: undefined, behind: undefined, limit: 1 });
      await store.listSettled({ guildId: guild, after, limit: 10 });
      await store.requestPlan(guild, 0);
      await store.guildPlan(guild);
      await store.plannedGuilds([guild]);
      await store.deleteOldUnsent(guild, 0);
    });
    expect(onBoth).toEqual([]);
    expect(onOne.length).toBeGreaterThan(12);
  });

  test("only what is for all guilds asks every shard: feeds by time, posts that wake, the sweep", async () => {
    const posts = postsStore(connection);
    const sinceTheBeginning = { mark: { at: 0, id: "" }, limit: 10 };
    const { onBoth } = await statementsOf(async () => {
      await guildSettingsStore(connection).changesSince(sinceTheBeginning);
      await announcementsStore(connection).changesSince(sinceTheBeginning);
      await announcementsStore(connection).listAnnouncing([guildId]);
      await calendarsStore(connection).changesSince(sinceTheBeginning);
      await calendarEventsStore(connection, 100).changesSince(sinceTheBeginning);
      await posts.postsWaking(0, Date.now(), 10);
      await posts.countOpen(Date.now(), 10);
      await Array.fromAsync(posts.guildsToReplan(Date.now(), "longest overdue first"));
      await posts.postsOfGuildsWaking(0, Date.now(), { guilds: 10, postsPerGuild: 10 });
    });
    expect(onBoth).toEqual([
      "announcements distinct enabled former.guildId former.until guildId",
      "announcements find _id changedAt",
      "calendar_events find _id changedAt",
      "calendars find _id changedAt",
      "guild_plans find _id",
      "guild_plans find replanAt",
      "guild_settings find _id changedAt",
      "posts aggregate state wakeAt",
      "posts find state wakeAt",
      "posts find stepDue wakeAt",
    ]);
  });
});
