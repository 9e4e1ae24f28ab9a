import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { calendarEventsChangesSince, removeEvent, updateEvent } from "../contracts/calendar-events.contract.ts";
import { findEvent } from "../contracts/event-references.contract.ts";
import { getOccurrence } from "../contracts/occurrences.contract.ts";
import type { EventId, OccurrenceId } from "../contracts/ids.ts";
import { until } from "../../test/harness/until.ts";
import {
  type CalendarUnderTest,
  DAY,
  HOUR,
  noon,
  allowCalendars,
  startCalendar,
} from "../../test/harness/calendar-under-test.ts";

const ghost = `e${"0".repeat(25)}` as EventId;

describe("calendar events on the bus", () => {
  let calendar: CalendarUnderTest;
  beforeAll(async () => {
    calendar = await startCalendar();
  });
  afterAll(() => calendar.services.stop());

  test("a single event is read as it was stored, with defaults and without absent texts (D14, D18)", async () => {
    const guildId = calendar.newGuild();
    const { eventId } = await calendar.create(guildId, { name: "$name", description: "a.b", location: "", image: "" });
    expect(eventId).toMatch(/^e[a-v0-9]{25}$/);
    await expect(calendar.get(guildId, eventId)).resolves.toEqual({
      eventId,
      startsAt: noon,
      endsAt: noon + HOUR,
      name: "$name",
      description: "a.b",
      isParent: false,
      color: "NONE",
      recurs: false,
      revision: "1",
    });
  });

  test("a series is read as the parent, with the defaults of its rule (D15, D18)", async () => {
    const guildId = calendar.newGuild();
    const { eventId } = await calendar.create(guildId, { recurs: true, recurrence: { frequency: "WEEKLY" } });
    await expect(calendar.get(guildId, eventId)).resolves.toMatchObject({
      eventId,
      startsAt: noon,
      isParent: true,
      recurs: true,
      recurrence: { frequency: "WEEKLY", count: -1, interval: 1 },
    });
  });

  test("an update keeps the fields that it does not name, and null or an empty text clears a text (D6)", async () => {
    const guildId = calendar.newGuild();
    const { eventId } = await calendar.create(guildId, { name: "n", description: "d", location: "l", color: "RED" });
    await calendar.update(guildId, eventId, { name: null, description: "" });
    const view = await calendar.get(guildId, eventId);
    expect(view).toMatchObject({ location: "l", color: "RED", startsAt: noon });
    expect(Object.keys(view)).not.toContain("name");
    expect(Object.keys(view)).not.toContain("description");
  });

  test("a time that is given alone is checked against the other stored time, and the error names the given field (D13)", async () => {
    const guildId = calendar.newGuild();
    const { eventId } = await calendar.create(guildId);
    const update = (times: object) => calendar.update(guildId, eventId, { ...times });
    await expect(update({ endsAt: noon - 1 })).rejects.toMatchObject(refused("endsAt"));
    await expect(update({ startsAt: noon + HOUR + 1 })).rejects.toMatchObject(refused("startsAt"));
    await update({ startsAt: noon + HOUR });
    await expect(calendar.get(guildId, eventId)).resolves.toMatchObject({ startsAt: noon + HOUR, endsAt: noon + HOUR });
  });

  test("an update adds or ends a recurrence, and the event keeps its own start (D15)", async () => {
    const guildId = calendar.newGuild();
    const { eventId } = await calendar.create(guildId);
    const recurrence = { frequency: "DAILY" } as const;
    await calendar.update(guildId, eventId, { recurs: true, recurrence });
    await expect(calendar.list(guildId, noon, noon + 3 * DAY)).resolves.toHaveLength(3);
    await calendar.update(guildId, eventId, { recurs: false });
    await expect(calendar.list(guildId, noon, noon + 3 * DAY)).resolves.toMatchObject([
      { eventId, startsAt: noon, recurs: false, isParent: false },
    ]);
  });

  test("the owner refuses bad params, names each field, and stores nothing", async () => {
    const guildId = calendar.newGuild();
    const bad = { startsAt: -1, name: "x".repeat(257), color: "PINK" as never, recurs: true, image: "ftp://x" };
    await expect(calendar.create(guildId, bad)).rejects.toMatchObject({
      type: "INVALID_REQUEST",
      data: { problems: expect.arrayContaining(["startsAt", "name", "color", "recurrence", "image"].map(naming)) },
    });
    await expect(calendar.list(guildId, 0, noon + DAY)).resolves.toEqual([]);
  });

  test("a rule that would never occur again is refused (D13)", async () => {
    const last = 253_402_300_799_999;
    const fields = { startsAt: last, endsAt: last, recurs: true };
    const guildId = calendar.newGuild();
    await expect(calendar.create(guildId, { ...fields, recurrence: { frequency: "DAILY" } })).rejects.toMatchObject({
      type: "INVALID_REQUEST",
      data: { problems: [{ field: "recurrence" }] },
    });
    await expect(
      calendar.create(guildId, { ...fields, recurrence: { frequency: "DAILY", count: 1 } }),
    ).resolves.toBeDefined();
  });

  test("an id that is unknown, malformed, removed, of another guild or not an occurrence gets the same response", async () => {
    const guildId = calendar.newGuild();
    const recurrence = { frequency: "DAILY", count: 2 } as const;
    const { eventId } = await calendar.create(guildId, { recurs: true, recurrence });
    const { eventId: removed } = await calendar.create(guildId);
    await calendar.services.call(removeEvent, { guildId, calendarNumber: 1, eventId: removed });
    const references = ["", "$ne", ghost, removed, `${eventId}_20240508T120000Z`, `${eventId}_20240506T120000000Z`];
    const outcomes = await Promise.allSettled([
      ...references.map((reference) => calendar.get(guildId, reference as EventId)),
      calendar.get(calendar.newGuild(), eventId),
      calendar.services.call(removeEvent, { guildId, calendarNumber: 1, eventId: removed }),
      calendar.services.call(updateEvent, { guildId, calendarNumber: 1, eventId: ghost, name: "x" }),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { type: "EVENT_NOT_FOUND", code: 404 } });
    }
    await expect(calendar.services.call(findEvent, { guildId, eventId: removed })).resolves.toBeNull();
    await expect(
      calendar.services.call(getOccurrence, { guildId, occurrenceId: removed as string as OccurrenceId }),
    ).resolves.toBeNull();
  });

  test("a calendar above the guild's limit is not found, before any event is searched, until the limit is raised (D20)", async () => {
    const guildId = calendar.newGuild();
    const missing = { type: "CALENDAR_NOT_FOUND", code: 404 };
    await expect(calendar.get(guildId, ghost, 2)).rejects.toMatchObject(missing);
    await expect(calendar.create(guildId, { calendarNumber: 2 })).rejects.toMatchObject(missing);
    await allowCalendars(calendar, guildId, 2);
    const { eventId } = await calendar.create(guildId, { calendarNumber: 2 });
    await expect(calendar.get(guildId, eventId, 1)).rejects.toMatchObject({ type: "EVENT_NOT_FOUND" });
    await expect(calendar.get(guildId, eventId, 2)).resolves.toMatchObject({ eventId });
    await expect(calendar.services.call(findEvent, { guildId, eventId })).resolves.toMatchObject({ eventId });
  });

  test("each write is broadcast and in the change feed; a removal as a tombstone", async () => {
    const guildId = calendar.newGuild();
    const { eventId } = await calendar.create(guildId);
    await calendar.update(guildId, eventId, { name: "x" });
    await calendar.services.call(removeEvent, { guildId, calendarNumber: 1, eventId });
    const { changes } = await calendar.services.call(calendarEventsChangesSince, {
      mark: { at: 0, id: "" },
      limit: 1000,
    });
    expect(changes.filter(({ id }) => id === eventId)).toMatchObject([{ guildId, revision: 3, deleted: true }]);
    const revisions = () =>
      calendar.heard.filter((change) => change.eventId === eventId).map(({ revision }) => revision);
    await until(() => revisions().length === 3, "three broadcasts");
    expect(revisions().toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  });

  test("twenty concurrent updates are all stored, and none is lost", async () => {
    const guildId = calendar.newGuild();
    const { eventId } = await calendar.create(guildId);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) => calendar.update(guildId, eventId, { name: `n${at}` })),
    );
    const stored = outcomes.filter(({ status }) => status === "fulfilled").length;
    const { changes } = await calendar.services.call(calendarEventsChangesSince, {
      mark: { at: 0, id: "" },
      limit: 1000,
    });
    expect(stored).toBeGreaterThan(0);
    expect(changes.find(({ id }) => id === eventId)).toMatchObject({ revision: stored + 1 });
  });

  test("an occurrence has the times since which it has its start and its color (D31)", async () => {
    const guildId = calendar.newGuild();
    const { eventId } = await calendar.create(guildId);
    const occurrenceId = eventId as string as OccurrenceId;
    const look = async () => {
      const occurrence = await calendar.services.call(getOccurrence, { guildId, occurrenceId });
      if (occurrence === null) throw new Error("gone");
      return occurrence;
    };
    const update = (fields: object) => calendar.update(guildId, eventId, { ...fields });
    const created = await look();
    await update({ name: "x", color: "NONE", startsAt: noon, endsAt: noon + 2 * HOUR });
    await expect(look()).resolves.toMatchObject({
      scheduledAt: created.scheduledAt,
      coloredAt: created.coloredAt,
    });
    await update({ color: "RED" });
    const red = await look();
    expect(red.coloredAt).toBeGreaterThan(created.coloredAt);
    expect(red.scheduledAt).toBe(created.scheduledAt);
    await update({ startsAt: noon + 1 });
    const moved = await look();
    expect(moved.scheduledAt).toBeGreaterThan(created.scheduledAt);
    expect(moved.coloredAt).toBe(red.coloredAt);
  });
});

function naming(field: string): unknown {
  return expect.objectContaining({ field });
}

function refused(field: string): object {
  return { type: "INVALID_REQUEST", data: { problems: [{ field }] } };
}
