import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { startTestServices, type TestServices } from "../../test/harness/test-services.ts";
import { calendarEventsService } from "../calendar-events/calendar-events.service.ts";
import {
  announcementChanged,
  type AnnouncementChanged,
  announcementsChangesSince,
  createAnnouncement,
  type CreateAnnouncementParams,
  getAnnouncement,
  listAnnouncements,
} from "../contracts/announcements.contract.ts";
import {
  createEvent,
  type CreateEventParams,
  removeEvent,
  updateEvent,
} from "../contracts/calendar-events.contract.ts";
import type { Caller } from "../contracts/contract.ts";
import type { AnnouncementId, EventId, GuildId, OccurrenceId } from "../contracts/ids.ts";
import { announcementsService } from "./announcements.service.ts";

const noon = Date.UTC(2026, 11, 1, 12);
const times = { startsAt: noon, endsAt: noon + 3_600_000 };
const series = { ...times, recurs: true, recurrence: { frequency: "DAILY" } } as const;
const caller: Caller = { keyId: "k", kind: "service", access: "write", guilds: [] };

describe("announcements and their events (D42)", () => {
  let services: TestServices;
  let guildId: GuildId;
  let guilds = 0;
  const received: AnnouncementChanged[] = [];

  beforeAll(async () => {
    const listener = {
      name: "listener",
      events: {
        [announcementChanged.name]: ({ params }: { params: AnnouncementChanged }) => void received.push(params),
      },
    };
    services = await startTestServices(
      (mongoUrl) => [announcementsService({ mongoUrl }), calendarEventsService({ mongoUrl })],
      [listener],
    );
  });
  afterAll(() => services.stop());
  beforeEach(() => void (guildId = String((guilds += 1)) as GuildId));

  const newEvent = async (fields: Partial<CreateEventParams> = {}) =>
    (await services.call(createEvent, { guildId, calendarNumber: 1, ...times, ...fields })).eventId;
  const announce = async (fields: Partial<CreateAnnouncementParams>) => {
    const rule = { channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" } as const;
    return (await services.call(createAnnouncement, { guildId, ...rule, ...fields })).id;
  };
  const remove = (eventId: EventId | OccurrenceId, announcements?: "delete") =>
    services.call(
      removeEvent,
      { guildId, calendarNumber: 1, eventId, ...(announcements === undefined ? {} : { announcements }) },
      { caller },
    );
  const list = () => services.call(listAnnouncements, { guildId, amount: -1 }, { caller });
  const dangling = async () => (await list()).filter((each) => each.dangling === true).map(({ id }) => id);
  const ids = async () => (await list()).map(({ id }) => id);
  const second = (eventId: EventId) => `${eventId}_20261202T120000Z` as OccurrenceId;

  test("an announcement whose event is deleted stays, and get and list mark it; the others are not marked", async () => {
    const eventId = await newEvent();
    const removed = await announce({ type: "SPECIFIC", eventId });
    const other = await announce({ type: "SPECIFIC", eventId: await newEvent() });
    await announce({});
    await announce({ type: "COLOR", eventColor: "RED" });
    await expect(dangling()).resolves.toEqual([]);
    await remove(eventId);
    await expect(dangling()).resolves.toEqual([removed]);
    await expect(services.call(getAnnouncement, { guildId, id: removed }, { caller })).resolves.toMatchObject({
      id: removed,
      dangling: true,
    });
    const got = await services.call(getAnnouncement, { guildId, id: other }, { caller });
    expect(got).not.toHaveProperty("dangling");
  });

  test("an announcement of an occurrence is marked when the occurrence is cancelled, or is no longer in the series", async () => {
    const eventId = await newEvent(series);
    const cancelled = await announce({ type: "SPECIFIC", eventId: second(eventId) });
    const left = await announce({ type: "SPECIFIC", eventId: `${eventId}_20261203T120000Z` });
    const recur = await announce({ type: "RECUR", eventId });
    await remove(second(eventId));
    await expect(dangling()).resolves.toEqual([cancelled]);
    const recurrence = { frequency: "DAILY", interval: 7 } as const;
    await services.call(updateEvent, { guildId, calendarNumber: 1, eventId, recurs: true, recurrence });
    await expect(dangling()).resolves.toEqual([cancelled, left]);
    await remove(eventId);
    await expect(dangling()).resolves.toEqual([cancelled, left, recur]);
  });

  test("SPECIFIC on a series is marked when the first occurrence is cancelled; RECUR is not", async () => {
    const eventId = await newEvent(series);
    const specific = await announce({ type: "SPECIFIC", eventId });
    await announce({ type: "RECUR", eventId });
    await remove(second(eventId));
    await expect(dangling()).resolves.toEqual([]);
    await remove(`${eventId}_20261201T120000Z` as OccurrenceId);
    await expect(dangling()).resolves.toEqual([specific]);
  });

  test("the deletion of a series removes its announcements and those of its occurrences if the request says so", async () => {
    const eventId = await newEvent(series);
    const otherId = await newEvent(series);
    const removed = [
      await announce({ type: "SPECIFIC", eventId }),
      await announce({ type: "SPECIFIC", eventId: second(eventId) }),
      await announce({ type: "RECUR", eventId }),
    ];
    const remaining = [
      await announce({}),
      await announce({ type: "COLOR", eventColor: "NONE" }),
      await announce({ type: "RECUR", eventId: otherId }),
      await announce({ type: "SPECIFIC", eventId: second(otherId) }),
    ];
    received.length = 0;
    await remove(eventId, "delete");
    await expect(ids()).resolves.toEqual(remaining);
    expect(new Set(received.map(({ id }) => id))).toEqual(new Set(removed));
    const { changes } = await services.call(announcementsChangesSince, { mark: { at: 0, id: "" }, limit: 1000 });
    const tombstones = changes.filter((change) => change.guildId === guildId && change.deleted);
    expect(Object.fromEntries(tombstones.map(({ id, revision }) => [id, revision]))).toEqual(
      Object.fromEntries(removed.map((id) => [id, 2])),
    );
  });

  test("the deletion of one occurrence removes only the announcements of that occurrence", async () => {
    const eventId = await newEvent(series);
    await announce({ type: "SPECIFIC", eventId: second(eventId) });
    const remaining = [
      await announce({ type: "SPECIFIC", eventId: `${eventId}_20261203T120000Z` }),
      await announce({ type: "RECUR", eventId }),
    ];
    await remove(second(eventId), "delete");
    await expect(ids()).resolves.toEqual(remaining);
  });

  test("the deletion of an unknown event removes no announcement", async () => {
    const eventId = await newEvent();
    const id = await announce({ type: "SPECIFIC", eventId });
    const reference = { guildId, calendarNumber: 1, eventId, announcements: "delete", ifRevision: ["7"] } as const;
    await expect(services.call(removeEvent, reference, { caller })).rejects.toMatchObject({
      type: "REVISION_MISMATCH",
    });
    await expect(ids()).resolves.toEqual([id]);
    await remove(eventId);
    await expect(remove(eventId, "delete")).rejects.toMatchObject({ type: "EVENT_NOT_FOUND" });
    await expect(dangling()).resolves.toEqual([id]);
  });

  test("the removed announcements no longer count for the limit of the guild", async () => {
    const eventId = await newEvent();
    await Promise.all(Array.from({ length: 30 }, () => announce({ type: "SPECIFIC", eventId })));
    await remove(eventId, "delete");
    await expect(list()).resolves.toEqual([]);
    await announce({});
  });
});

describe("announcements without the owner of their events (D42)", () => {
  const guildId = "1" as GuildId;
  /**
   * All services; and on the same database the announcements without the calendar events service, and the calendar
   * events without the announcements service.
   */
  let services: TestServices;
  let withoutEvents: TestServices;
  let withoutAnnouncements: TestServices;

  beforeAll(async () => {
    services = await startTestServices((mongoUrl) => [
      announcementsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
    ]);
    const { mongoUrl } = services;
    withoutEvents = await startTestServices(() => [announcementsService({ mongoUrl })]);
    withoutAnnouncements = await startTestServices(() => [calendarEventsService({ mongoUrl })]);
  });
  afterAll(async () => {
    for (const each of [services, withoutEvents, withoutAnnouncements]) await each.stop();
  });

  async function eventWithAnnouncement(): Promise<{ eventId: EventId; id: AnnouncementId }> {
    const { eventId } = await services.call(createEvent, { guildId, calendarNumber: 1, ...times });
    const params = { guildId, channel: "1", hours: 0, minutes: 0, info: "", type: "SPECIFIC", eventId } as const;
    return { eventId, id: (await services.call(createAnnouncement, params)).id };
  }

  test("are returned, and none is marked as dangling", async () => {
    const { eventId, id } = await eventWithAnnouncement();
    await services.call(removeEvent, { guildId, calendarNumber: 1, eventId });
    const listed = await withoutEvents.call(listAnnouncements, { guildId, amount: -1 }, { caller });
    expect(listed).toMatchObject([{ id }]);
    expect(listed[0]).not.toHaveProperty("dangling");
  });

  test("the deletion of an event while the announcements service is down leaves announcements that are marked later, and its response says so", async () => {
    const { eventId, id } = await eventWithAnnouncement();
    const params = { guildId, calendarNumber: 1, eventId, announcements: "delete" } as const;
    const response = withoutAnnouncements.call(removeEvent, params, { caller });
    await expect(response).rejects.toMatchObject({
      type: "OUTCOME_UNKNOWN",
      message: expect.stringContaining("event is deleted"),
    });
    const listed = await services.call(listAnnouncements, { guildId, amount: -1 }, { caller });
    expect(listed.find((each) => each.id === id)).toMatchObject({ dangling: true });
  });
});
