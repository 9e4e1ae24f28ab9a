import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { apiService } from "../../services/api/api.service.ts";
import { NO_LIMITS } from "../../services/api/rates/gateway-rates.ts";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import {
  createAnnouncement,
  removeAnnouncement,
  removeAnnouncementsOfEvent,
  updateAnnouncement,
} from "../../services/contracts/announcements.contract.ts";
import { createKey, revokeKey, rotateKey } from "../../services/contracts/api-keys.contract.ts";
import { createEvent, removeEvent, updateEvent } from "../../services/contracts/calendar-events.contract.ts";
import { updateCalendar } from "../../services/contracts/calendars.contract.ts";
import type { ActionContract } from "../../services/contracts/contract.ts";
import { updateGuildSettings } from "../../services/contracts/guild-settings.contract.ts";
import type { AnnouncementId, EventId, GuildId } from "../../services/contracts/ids.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { type Command, type MongoProxy, startMongoProxy, writtenCollection } from "../harness/mongo-proxy.ts";
import { KEY_HASHING } from "../harness/test-gateway.ts";
import { emptyDatabase, startTestServices, type TestServices } from "../harness/test-services.ts";
import { until } from "../harness/until.ts";

const noon = Date.UTC(2026, 11, 1, 12);
const times = { startsAt: noon, endsAt: noon + 3_600_000 };
const series = { ...times, recurs: true, recurrence: { frequency: "DAILY" } } as const;
const rule = { channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" } as const;

/** The records before each late write. */
interface Stored {
  readonly guildId: GuildId;
  readonly calendarNumber: 1;
  readonly eventId: EventId;
  /** A series with a changed occurrence. */
  readonly seriesId: EventId;
  readonly id: AnnouncementId;
  readonly keyId: string;
}

/** A write of a request, with its params. */
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

const key = { kind: "service", access: "write", label: "late" } as const;

/** Writes that change several records in a transaction. */
const TRANSACTIONS = [
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
  write("the create of an API key", createKey, () => key),
  write("the rotation of an API key", rotateKey, ({ keyId: id }) => ({ id })),
  write("the revocation of an API key", revokeKey, ({ keyId: id }) => ({ id })),
];

const WRITES = [
  ...TRANSACTIONS,
  write("the create of an event", createEvent, ({ guildId }) => ({ guildId, calendarNumber: 1, ...times })),
  write("the create of a series", createEvent, ({ guildId }) => ({ guildId, calendarNumber: 1, ...series })),
  write("a change of an event", updateEvent, ({ guildId, eventId }) => ({
    guildId,
    calendarNumber: 1,
    eventId,
    name: "late",
  })),
  write("the removal of an event", removeEvent, ({ guildId, eventId }) => ({ guildId, calendarNumber: 1, eventId })),
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

const isWrite = (command: Command) => writtenCollection(command) !== undefined;
/** The last write of a transaction is the one with a revision. */
const isLastOfTransaction = ({ autocommit, updates }: Command) =>
  autocommit === false &&
  (updates as readonly { readonly q: object }[] | undefined)?.some(({ q }) => "revision" in q) === true;

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
    const listener = { port: 0, host: "127.0.0.1", hashing: KEY_HASHING, rates: NO_LIMITS, apiKey: "configured" };
    services = await startTestServices(() => [
      apiService({ mongoUrl, ...listener }),
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
    const { id: keyId } = await services.call(createKey, key);
    stored = { ...named, eventId, seriesId, id, keyId };
  });

  async function everything(): Promise<object> {
    const names = ["calendar_events", "calendars", "announcements", "guild_settings", "api_keys", "api_key_changes"];
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await database.collection(name).find().toArray()] as const)),
    );
  }

  test.each(WRITES)("%s changes nothing, and gets UNAVAILABLE", async (_name, call) => {
    const before = await everything();
    const release = proxy.hold(isWrite);
    const writeUntil = Date.now() + 300;
    const response = call(services, stored, writeUntil).catch((error: unknown) => error);
    await until(() => proxy.held > 0 && Date.now() > writeUntil, "the write is delayed beyond its deadline");
    await release();
    await expect(response).resolves.toMatchObject({ type: "UNAVAILABLE", code: 503 });
    expect(await everything()).toEqual(before);
  });

  test.each(WRITES)("%s is stored if the database reads it in time", async (_name, call) => {
    const before = await everything();
    await call(services, stored, Date.now() + 10_000);
    expect(await everything()).not.toEqual(before);
  });

  test.each(TRANSACTIONS)("%s is not committed after its deadline", async (_name, call) => {
    const before = await everything();
    const release = proxy.holdResponses(isLastOfTransaction);
    const writeUntil = Date.now() + 500;
    const response = call(services, stored, writeUntil).catch((error: unknown) => error);
    await until(
      () => proxy.held > 0 && Date.now() > writeUntil,
      "the response to its last write is delayed beyond its deadline",
    );
    await release();
    await expect(response).resolves.toMatchObject({ type: "UNAVAILABLE", code: 503 });
    expect(await everything()).toEqual(before);
  });

  test.each(TRANSACTIONS)("%s is not stored if MongoDB reads its commit after the deadline", async (_name, call) => {
    const before = await everything();
    const sessions: unknown[] = [];
    const release = proxy.hold(({ commitTransaction, lsid }) => {
      if (commitTransaction !== undefined) sessions.push((lsid as { readonly id: unknown }).id);
      return commitTransaction !== undefined;
    });
    const response = call(services, stored, Date.now() + 500).catch((error: unknown) => error);
    await expect(response).resolves.toMatchObject({ type: "OUTCOME_UNKNOWN", code: 503 });
    expect(sessions).not.toEqual([]);
    await until(async () => !(await isTransactionOpen(sessions[0])), "MongoDB has read the abort");
    await release();
    expect(await everything()).toEqual(before);
  });

  async function isTransactionOpen(session: unknown): Promise<boolean> {
    const operations = database
      .getClient()
      .db("admin")
      .aggregate([
        { $currentOp: { allUsers: true, idleSessions: true } },
        { $match: { "lsid.id": session, transaction: { $exists: true } } },
      ]);
    return operations.hasNext();
  }
});
