import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import {
  announcementsChangesSince,
  createAnnouncement,
  listAnnouncements,
  updateAnnouncement,
} from "../../services/contracts/announcements.contract.ts";
import {
  calendarEventsChangesSince,
  createEvent,
  updateEvent,
} from "../../services/contracts/calendar-events.contract.ts";
import { getCalendar, updateCalendar } from "../../services/contracts/calendars.contract.ts";
import type { ChangesSinceResult } from "../../services/contracts/change-feed.contract.ts";
import { getGuildSettings, updateGuildSettings } from "../../services/contracts/guild-settings.contract.ts";
import type { EventId, GuildId, OccurrenceId } from "../../services/contracts/ids.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { callInTurn } from "../harness/call-in-turn.ts";
import { emptyDatabase, startTestServices, type TestServices } from "../harness/test-services.ts";

const noon = Date.UTC(2026, 11, 1, 12);
const times = { startsAt: noon, endsAt: noon + 3_600_000 };
const series = { ...times, recurs: true, recurrence: { frequency: "DAILY" } } as const;
const fifty = Array.from({ length: 50 }, (_, at) => at);

describe.each([1, 2])("with replicas of each service: %d", (count) => {
  let replicas: TestServices[];
  let database: Connection;
  let guilds = 0;
  const newGuild = () => String((guilds += 1)) as GuildId;
  const replica = (at: number) => replicas[at % count] as TestServices;

  beforeAll(async () => {
    const mongoUrl = emptyDatabase();
    database = await mongoose.createConnection(mongoUrl).asPromise();
    const start = () =>
      startTestServices(() => [
        announcementsService({ mongoUrl }),
        calendarEventsService({ mongoUrl }),
        guildSettingsService({ mongoUrl }),
      ]);
    replicas = await Promise.all(Array.from({ length: count }, start));
  });
  afterAll(async () => {
    await Promise.all(replicas.map((each) => each.stop()));
    await database.close();
  });

  const revisionOf = (id: string, { changes }: ChangesSinceResult) =>
    changes.find((change) => change.id === id)?.revision;
  const all = { mark: { at: 0, id: "" }, limit: 1000 };
  const ours = (guildId: GuildId) => ({ guildId, calendarNumber: 1 });

  async function newSeries(guildId: GuildId): Promise<EventId> {
    return (await replica(0).call(createEvent, { ...ours(guildId), ...series })).eventId;
  }

  function announce(guildId: GuildId, at: number) {
    const params = { guildId, channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0, info: String(at) } as const;
    return replica(at).call(createAnnouncement, params);
  }

  test("fifty concurrent changes of one series are all stored", async () => {
    const guildId = newGuild();
    const eventId = await newSeries(guildId);
    await Promise.all(
      fifty.map((at) => callInTurn(replica(at), updateEvent, { ...ours(guildId), eventId, name: `${at}` })),
    );
    expect(revisionOf(eventId, await replica(0).call(calendarEventsChangesSince, all))).toBe(51);
  });

  test("fifty concurrent changes of one series' occurrences are all stored", async () => {
    const guildId = newGuild();
    const eventId = await newSeries(guildId);
    const occurrence = (at: number) =>
      `${eventId}_202612${String(1 + (at % 25)).padStart(2, "0")}T120000Z` as OccurrenceId;
    await Promise.all(
      fifty.map((at) =>
        callInTurn(replica(at), updateEvent, { ...ours(guildId), eventId: occurrence(at), name: `${at}` }),
      ),
    );
    expect(revisionOf(eventId, await replica(0).call(calendarEventsChangesSince, all))).toBe(51);
  });

  test("fifty concurrent changes of one calendar are all stored", async () => {
    const guildId = newGuild();
    await Promise.all(fifty.map((at) => callInTurn(replica(at), updateCalendar, { ...ours(guildId), name: `${at}` })));
    await expect(replica(0).call(getCalendar, ours(guildId))).resolves.toHaveProperty("name");
    const { changes } = await replica(0).call(calendarEventsChangesSince, all);
    expect(changes.filter((change) => change.guildId === guildId)).toMatchObject([{ revision: 50 }]);
  });

  test("fifty concurrent changes of a guild's settings are all stored", async () => {
    const guildId = newGuild();
    await Promise.all(fifty.map((at) => callInTurn(replica(at), updateGuildSettings, { guildId, prefix: `${at}` })));
    await expect(replica(0).call(getGuildSettings, { guildId })).resolves.toMatchObject({ revision: 50 });
  });

  test("fifty concurrent changes of one announcement are all stored", async () => {
    const guildId = newGuild();
    const { id } = await announce(guildId, 0);
    await Promise.all(fifty.map((at) => callInTurn(replica(at), updateAnnouncement, { guildId, id, info: `${at}` })));
    expect(revisionOf(id, await replica(0).call(announcementsChangesSince, all))).toBe(51);
  });

  test("a hundred announcements and a hundred series of one guild that are created concurrently are all stored", async () => {
    const guildId = newGuild();
    const hundred = [...fifty, ...fifty];
    await Promise.all(hundred.map((at) => announce(guildId, at)));
    await expect(replica(0).call(listAnnouncements, { guildId, amount: -1 })).resolves.toHaveLength(100);
    await Promise.all(hundred.map((at) => replica(at).call(createEvent, { ...ours(guildId), ...series })));
    await expect(database.collection("calendar_events").countDocuments({ guildId })).resolves.toBe(100);
  });

  test("ten of a hundred concurrent creates are stored if the guild may have ten more announcements", async () => {
    const guildId = newGuild();
    const before = Array.from({ length: 990 }, (_, at) => {
      const row = { guildId, revision: 1, changedAt: new Date(), standsSince: new Date() };
      return { _id: `${guildId}-${at}`, ...row, sequence: new Date(at), slot: at, info: `before ${at}` } as never;
    });
    await database.collection("announcements").insertMany(before);
    const outcomes = await Promise.allSettled([...fifty, ...fifty].map((at) => announce(guildId, at)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    const refused = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason as object] : []));
    for (const each of refused) expect(each).toMatchObject({ type: "TOO_MANY_ANNOUNCEMENTS", code: 409 });
    const listed = await replica(0).call(listAnnouncements, { guildId, amount: -1 });
    expect(listed.slice(0, 990).map(({ info }) => info)).toEqual(before.map(({ info }) => info));
    expect(listed).toHaveLength(1_000);
  });
});
