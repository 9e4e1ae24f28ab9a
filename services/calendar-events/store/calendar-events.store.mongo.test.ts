import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import type { EventId, GuildId } from "../../contracts/ids.ts";
import { sampleOccurrence } from "../../../test/fixtures/dispatch-samples.ts";
import { calendarEventsStore, type CalendarEventsStore } from "./calendar-events.store.ts";
import { unwrittenCalendar } from "../domain/calendar/calendar.ts";
import type { CalendarEvent } from "../domain/event/event.ts";
import type { EventReads } from "./event-reads.store.ts";

const guildId = "1" as GuildId;
const DAY = 86_400_000;
const eventId = (digit: number) => `e${String(digit).repeat(25)}` as EventId;

function event(digit: number, revision = 1): CalendarEvent {
  const id = eventId(digit);
  return { id, guildId, calendarNumber: 1, revision, startsAt: 5, endsAt: 9, color: "NONE" };
}

describe("the store of events", () => {
  let connection: Connection;
  let store: CalendarEventsStore;
  beforeAll(async () => {
    connection = await mongoose.createConnection(emptyDatabase(), { autoIndex: false }).asPromise();
    store = calendarEventsStore(connection, 100);
    for (const model of Object.values(connection.models)) await model.createIndexes();
  });
  afterAll(() => connection.close());

  test("snapshot reads see one point in time, and no write in between", async () => {
    await store.insert(event(1));
    const { numbers, reads } = await store.calendarsInSnapshot(guildId);
    const snapshotReads = store.snapshotReads();
    const calendar = unwrittenCalendar(guildId, 1);
    const listed = async (of: EventReads) => {
      const found = await Array.fromAsync(of.eventsOverlapping(guildId, calendar, { from: 0, until: 10 }));
      return found.flatMap(({ events }) => events.map(({ id }) => id));
    };
    await expect(listed(snapshotReads)).resolves.toEqual([eventId(1)]);
    await store.insert(event(2));
    for (const before of [reads, snapshotReads]) {
      await expect(listed(before)).resolves.toEqual([eventId(1)]);
      await expect(before.findAll(guildId, [eventId(1), eventId(2)])).resolves.toHaveLength(1);
    }
    expect(numbers).toEqual([1]);
    await expect(listed(store.snapshotReads())).resolves.toHaveLength(2);
    await expect(store.findAll(guildId, [eventId(2)])).resolves.toHaveLength(1);
  });

  test("returns the former state of events that were moved, recolored or removed, the latest first", async () => {
    const other = "2" as GuildId;
    const one = { ...event(4), guildId: other, name: "one" };
    const stamped = (of: CalendarEvent) => ({ ...of, scheduledAt: 0, coloredAt: 0 });
    const formerEvents = async (after = 0) => {
      const found = await store.formerEvents(other, after);
      return found.map(({ event: of, until }) => ({ startsAt: of?.startsAt, color: of?.color, until }));
    };
    await store.insert(one);
    await expect(formerEvents()).resolves.toEqual([]);
    const moved = { ...one, startsAt: 6, revision: 2 };
    await store.replace({ event: moved, rescheduled: true, recolored: false }, "all");
    const renamed = { ...moved, name: "renamed", revision: 3 };
    await store.replace({ event: renamed, rescheduled: false, recolored: false }, "all");
    await expect(formerEvents()).resolves.toMatchObject([{ startsAt: 5, color: "NONE" }]);
    const red = { ...renamed, color: "RED" as const, revision: 4 };
    await store.replace({ event: red, rescheduled: false, recolored: true }, "all");
    await expect(formerEvents()).resolves.toMatchObject([{ startsAt: 6, color: "NONE" }]);
    await store.remove(stamped(red));
    const [removed] = await formerEvents();
    expect(removed).toMatchObject({ startsAt: 6, color: "RED" });
    await expect(formerEvents(removed?.until)).resolves.toEqual([]);
    await expect(formerEvents((removed?.until ?? 0) - 1)).resolves.toHaveLength(1);
  });

  test("returns the first hundred overrides of the last week and later with the former state of a series", async () => {
    const today = Math.floor(Date.now() / DAY) * DAY;
    const other = "3" as GuildId;
    const recurring = {
      recurrence: { frequency: "DAILY", count: -1, interval: 1 },
      anchor: { timezone: "UTC", version: 0 },
      hasOverrides: true,
    } as const;
    const series = { ...event(5), guildId: other, startsAt: today - 30 * DAY, endsAt: today - 30 * DAY, recurring };
    await store.insert(series);
    const override = (day: number) => ({
      guildId: other,
      eventId: series.id,
      original: today + day * DAY,
      cancelled: true,
    });
    const rows = Array.from({ length: 130 }, (_, at) => ({ _id: `${series.id}_${at}`, ...override(at - 20) }));
    const laterStart = { ...rows[0], color: "RED", startsAt: today, endsAt: today, anchor: recurring.anchor };
    await connection.collection("calendar_events").insertMany([laterStart, ...rows.slice(1)] as never[]);
    await store.remove({ ...series, scheduledAt: 0, coloredAt: 0 });
    const [former] = await store.formerEvents(other, 0);
    const overrides = former?.event === undefined ? [] : former.overrides;
    const days = overrides.map(({ original }) => (original - today) / DAY);
    expect(days).toEqual([-20, ...Array.from({ length: 99 }, (_, at) => at - 6)]);
    expect(overrides[0]).toMatchObject({ color: "RED", moved: { startsAt: today, anchor: recurring.anchor } });
    expect(former).toMatchObject({ missingFrom: today + 93 * DAY });
  });

  test("a write from an old revision stores nothing, and drops no override", async () => {
    const anchor = { timezone: "UTC", version: 0 };
    const recurrence = { frequency: "DAILY", count: -1, interval: 1 } as const;
    const series = (revision: number) =>
      Object.assign(event(3, revision), { recurring: { recurrence, anchor, hasOverrides: true } });
    const override = { eventId: eventId(3), original: 5, cancelled: true, texts: {} };
    const own = { override, rescheduled: false, recolored: false };
    const before = sampleOccurrence({ eventId: eventId(3), startsAt: 5, endsAt: 9 });
    await store.insert(series(1));
    await expect(store.saveOverride(series(3), own, before)).resolves.toBe(false);
    await expect(store.overriddenStarts(guildId, eventId(3))).resolves.toEqual([]);
    await expect(store.saveOverride(series(2), own, before)).resolves.toBe(true);
    const stale = { event: series(2), rescheduled: true, recolored: false };
    await expect(store.replace(stale, [])).resolves.toBe(false);
    await expect(store.overriddenStarts(guildId, eventId(3))).resolves.toEqual([5]);
    await expect(store.formerEvents(guildId, 0)).resolves.toMatchObject([
      { occurrence: { startsAt: 5, recurs: true } },
    ]);
    await expect(store.replace({ ...stale, event: series(3) }, [])).resolves.toBe(true);
    await expect(store.overriddenStarts(guildId, eventId(3))).resolves.toEqual([]);
  });
});
