import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import {
  createAnnouncement,
  removeAnnouncement,
  removeAnnouncementsOfEvent,
  updateAnnouncement,
} from "../../services/contracts/announcements.contract.ts";
import { createEvent, removeEvent, updateEvent } from "../../services/contracts/calendar-events.contract.ts";
import { updateCalendar } from "../../services/contracts/calendars.contract.ts";
import type { ActionContract } from "../../services/contracts/contract.ts";
import { updateGuildSettings } from "../../services/contracts/guild-settings.contract.ts";
import type { AnnouncementId, EventId, GuildId } from "../../services/contracts/ids.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { type Command, type MongoProxy, startMongoProxy } from "../real-parts/mongo-proxy.ts";
import { emptyDatabase, startTestServices, type TestServices } from "../real-parts/test-services.ts";
import { until } from "../real-parts/until.ts";

const noon = Date.UTC(2026, 11, 1, 12);
const times = { startsAt: noon, endsAt: noon + 3_600_000 };
const series = { ...times, recurs: true, recurrence: { frequency: "DAILY" } } as const;
const rule = { channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" } as const;

/** What is there before each late write. */
interface Stored {
  readonly guildId: GuildId;
  readonly calendarNumber: 1;
  readonly eventId: EventId;
  /** A series with a changed occurrence. */
  readonly seriesId: EventId;
  readonly id: AnnouncementId;
}

/** One write of a request, and its params. */
function write<Params>(
  name: string,
  contract: ActionContract<Params, unknown>,
  params: (stored: Stored) => NoInfer<Params>,
) {
  return [
    name,
    (services: TestServices, stored: Stored, writeUntil: number) =>
      services.call(contract, params(stored), { writeUntil }),
  ] as const;
}

const WRITES = [
  write("the create of an event", createEvent, ({ guildId }) => ({ guildId, calendarNumber: 1, ...times })),
  write("the create of a series", createEvent, ({ guildId }) => ({ guildId, calendarNumber: 1, ...series })),
  write("a change of an event", updateEvent, ({ id: _, seriesId: __, ...named }) => ({ ...named, name: "late" })),
  write("the removal of an event", removeEvent, ({ id: _, seriesId: __, ...named }) => named),
  write("a change of one occurrence", updateEvent, ({ guildId, seriesId }) => ({
    guildId,
    calendarNumber: 1,
    eventId: `${seriesId}_20261203T120000Z` as EventId,
    name: "late",
  })),
  write("a new rule of a series with a changed occurrence", updateEvent, ({ guildId, seriesId: eventId }) => ({
    guildId,
    calendarNumber: 1,
    eventId,
    recurs: true,
    recurrence: { frequency: "DAILY" as const, interval: 3 },
  })),
  write("the removal of a series with a changed occurrence", removeEvent, ({ guildId, seriesId: eventId }) => ({
    guildId,
    calendarNumber: 1,
    eventId,
  })),
  write("the first change of a calendar", updateCalendar, ({ guildId }) => ({
    guildId,
    calendarNumber: 1,
    name: "late",
  })),
  write("the first change of a guild's settings", updateGuildSettings, ({ guildId }) => ({ guildId, prefix: "late" })),
  write("the create of an announcement", createAnnouncement, ({ guildId }) => ({ guildId, ...rule })),
  write("a change of an announcement", updateAnnouncement, ({ guildId, id }) => ({ guildId, id, info: "late" })),
  write("the removal of an event's announcements", removeAnnouncementsOfEvent, ({ guildId, eventId }) => ({
    guildId,
    eventId,
  })),
  write("the removal of an announcement", removeAnnouncement, ({ guildId, id }) => ({ guildId, id })),
];

/** What a request writes is an update for the database, with or without an upsert. */
const isWrite = (command: Command) => command["update"] !== undefined;

describe("a write that the database reads after its deadline", () => {
  let proxy: MongoProxy;
  let database: Connection;
  let services: TestServices;
  let stored: Stored;
  let guilds = 0;

  beforeAll(async () => {
    const url = emptyDatabase();
    const { port } = new URL(url);
    proxy = await startMongoProxy(Number(port));
    database = await mongoose.createConnection(url).asPromise();
    const mongoUrl = url.replace(`:${port}/`, `:${proxy.port}/`);
    services = await startTestServices(() => [
      announcementsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      guildSettingsService({ mongoUrl }),
    ]);
  });
  afterAll(async () => {
    await services.stop();
    await database.close();
    await proxy.stop();
  });

  beforeEach(async () => {
    const guildId = String((guilds += 1)) as GuildId;
    const named = { guildId, calendarNumber: 1 } as const;
    const { eventId } = await services.call(createEvent, { ...named, ...times });
    const { eventId: seriesId } = await services.call(createEvent, { ...named, ...series });
    const occurrence = `${seriesId}_20261202T120000Z` as EventId;
    await services.call(updateEvent, { ...named, eventId: occurrence, name: "changed" });
    const { id } = await services.call(createAnnouncement, { guildId, ...rule });
    await services.call(createAnnouncement, { guildId, ...rule, type: "SPECIFIC", eventId });
    stored = { ...named, eventId, seriesId, id };
  });

  async function everything(): Promise<object> {
    const names = ["calendar_events", "calendars", "announcements", "guild_settings"];
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await database.collection(name).find().toArray()] as const)),
    );
  }

  test.each(WRITES)("%s changes nothing, and is answered UNAVAILABLE", async (_name, call) => {
    const before = await everything();
    const release = proxy.hold(isWrite);
    const writeUntil = Date.now() + 300;
    const answer = call(services, stored, writeUntil).catch((error: unknown) => error);
    await until(() => proxy.held > 0 && Date.now() > writeUntil, "the write is held back beyond its deadline");
    release();
    await expect(answer).resolves.toMatchObject({ type: "UNAVAILABLE", code: 503 });
    expect(await everything()).toEqual(before);
  });

  test.each(WRITES)("%s is made when it is read in time", async (_name, call) => {
    const before = await everything();
    await call(services, stored, Date.now() + 10_000);
    expect(await everything()).not.toEqual(before);
  });
});
