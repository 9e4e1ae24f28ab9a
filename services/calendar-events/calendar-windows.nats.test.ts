import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { listOngoingEvents } from "../contracts/calendar-events.contract.ts";
import { updateCalendar } from "../contracts/calendars.contract.ts";
import { listOccurrencesStarting, type Occurrence } from "../contracts/occurrences.contract.ts";
import {
  type CalendarUnderTest,
  DAY,
  HOUR,
  noon,
  allowCalendars,
  startCalendar,
} from "../../test/harness/calendar-under-test.ts";

describe("windows of calendars on the bus", () => {
  let calendar: CalendarUnderTest;
  beforeAll(async () => {
    calendar = await startCalendar();
  });
  afterAll(() => calendar.services.stop());

  test("a window lists occurrences with their own ids, and get finds each of them (D12, D18)", async () => {
    const guildId = calendar.newGuild();
    const recurrence = { frequency: "DAILY", count: 3 } as const;
    const { eventId } = await calendar.create(guildId, { recurs: true, recurrence, name: "n" });
    const events = await calendar.list(guildId, noon - DAY, noon + 30 * DAY);
    expect(events.map((event) => event.eventId)).toEqual([
      `${eventId}_20240506T120000Z`,
      `${eventId}_20240507T120000Z`,
      `${eventId}_20240508T120000Z`,
    ]);
    for (const event of events) await expect(calendar.get(guildId, event.eventId)).resolves.toMatchObject(event);
    expect(events[1]).toEqual({
      eventId: `${eventId}_20240507T120000Z`,
      startsAt: noon + DAY,
      endsAt: noon + DAY + HOUR,
      name: "n",
      isParent: false,
      color: "NONE",
      recurs: true,
      recurrence: { frequency: "DAILY", count: 3, interval: 1 },
    });
  });

  test.each([
    ["ends at the window's start", -HOUR, 0, false],
    ["ends a millisecond later", -HOUR, 1, true],
    ["starts at the window's end", DAY, DAY + HOUR, false],
    ["starts a millisecond earlier", DAY - 1, DAY + HOUR, true],
    ["spans the window", -9 * DAY, 9 * DAY, true],
    ["has no length, at the window's start", 0, 0, true],
    ["has no length, in the window", HOUR, HOUR, true],
    ["has no length, at the window's end", DAY, DAY, false],
  ])("an event that %s (D17)", async (_, start, end, collectList) => {
    const guildId = calendar.newGuild();
    const times = { startsAt: noon + start, endsAt: noon + end };
    await calendar.create(guildId, times);
    await calendar.create(guildId, { ...times, recurs: true, recurrence: { frequency: "YEARLY", count: 2 } });
    await expect(calendar.list(guildId, noon, noon + DAY)).resolves.toHaveLength(collectList ? 2 : 0);
  });

  test("the list is ordered by start, then by id, single events and occurrences together (D17)", async () => {
    const guildId = calendar.newGuild();
    await calendar.create(guildId, { startsAt: noon + DAY, endsAt: noon + DAY });
    await calendar.create(guildId, { recurs: true, recurrence: { frequency: "DAILY", count: 2 } });
    await calendar.create(guildId);
    const events = await calendar.list(guildId, noon, noon + 2 * DAY);
    expect(events.map(({ startsAt }) => startsAt)).toEqual([noon, noon, noon + DAY, noon + DAY]);
    const pairs = events.map((event) => `${event.startsAt} ${event.eventId}`);
    expect(pairs).toEqual(pairs.toSorted());
  });

  test("the ongoing list has the events that have started and not ended (D17)", async () => {
    const guildId = calendar.newGuild();
    await calendar.create(guildId, { name: "on" });
    await calendar.create(guildId, { name: "over", startsAt: noon - HOUR, endsAt: noon });
    await calendar.create(guildId, { name: "no length", endsAt: noon });
    await calendar.create(guildId, { name: "ahead", startsAt: noon + 1 });
    await calendar.create(guildId, {
      name: "on again",
      startsAt: noon - 7 * DAY - 1,
      endsAt: noon - 7 * DAY + HOUR,
      recurs: true,
      recurrence: { frequency: "WEEKLY" },
    });
    const ongoing = await calendar.services.call(listOngoingEvents, { guildId, calendarNumber: 1 });
    expect(ongoing.map(({ name }) => name)).toEqual(["on again", "on"]);
  });

  test("a list of more than 10 000 entries is refused, and one of exactly 10 000 is answered (D17)", async () => {
    const guildId = calendar.newGuild();
    const { eventId } = await calendar.create(guildId, {
      recurs: true,
      recurrence: { frequency: "DAILY", count: 10_000 },
    });
    await expect(calendar.list(guildId, 0, noon + 10_000 * DAY)).resolves.toHaveLength(10_000);
    await calendar.create(guildId);
    await expect(calendar.list(guildId, 0, noon + 10_000 * DAY)).rejects.toMatchObject({
      type: "TOO_MANY_ENTRIES",
      code: 400,
      data: { problems: [{ field: "until", code: "TOO_MANY" }] },
    });
    await calendar.remove(guildId, `${eventId}_20240508T120000Z`);
    await expect(calendar.list(guildId, 0, noon + 10_000 * DAY)).resolves.toHaveLength(10_000);
  });

  test("a series of long texts is refused if its occurrences exceed 4 MiB, and listed if they fit (D38)", async () => {
    const guildId = calendar.newGuild();
    const texts = { name: "n".repeat(256), description: "d".repeat(4_000), location: "l".repeat(256) };
    await calendar.create(guildId, { ...texts, recurs: true, recurrence: { frequency: "DAILY" } });
    await expect(calendar.list(guildId, noon, noon + 900 * DAY)).resolves.toHaveLength(900);
    await expect(calendar.list(guildId, noon, noon + 9_000 * DAY)).rejects.toMatchObject({
      type: "TOO_MANY_ENTRIES",
      message: "The response would be larger than 4194304 bytes",
      data: { problems: [{ field: "until", code: "TOO_MANY" }] },
    });
  });

  test("single events of long texts are refused if they exceed 4 MiB, in the ongoing list as well (D38)", async () => {
    const guildId = calendar.newGuild();
    const description = "\u{1F600}".repeat(2_000);
    const length = { startsAt: noon, endsAt: noon + DAY };
    for (let made = 0; made < 530; made += 53) {
      await Promise.all(Array.from({ length: 53 }, () => calendar.create(guildId, { ...length, description })));
    }
    await expect(calendar.list(guildId, noon, noon + HOUR)).rejects.toMatchObject({
      data: { problems: [{ field: "until" }] },
    });
    await expect(calendar.services.call(listOngoingEvents, { guildId, calendarNumber: 1 })).rejects.toMatchObject({
      data: { problems: [{ field: "calendarNumber" }] },
    });
  });

  test("more than 10 000 ongoing events are refused, naming the calendar, and 10 000 are answered (D17)", async () => {
    const guildId = calendar.newGuild();
    const startsAt = noon - 10_000 * DAY;
    const long = { startsAt, endsAt: startsAt + 20_000 * DAY };
    await calendar.create(guildId, { ...long, recurs: true, recurrence: { frequency: "DAILY", count: 10_000 } });
    const ongoing = async () => calendar.services.call(listOngoingEvents, { guildId, calendarNumber: 1 });
    await expect(ongoing()).resolves.toHaveLength(10_000);
    await calendar.create(guildId, long);
    await expect(ongoing()).rejects.toMatchObject({
      type: "TOO_MANY_ENTRIES",
      data: { problems: [{ field: "calendarNumber", code: "TOO_MANY" }] },
    });
  });

  test("dispatch gets the soonest occurrences of all calendars that start in its windows", async () => {
    const guildId = calendar.newGuild();
    await allowCalendars(calendar, guildId, 2);
    const { eventId: series } = await calendar.create(guildId, { recurs: true, recurrence: { frequency: "DAILY" } });
    const { eventId: other } = await calendar.create(guildId, { calendarNumber: 2, color: "RED" });
    await calendar.create(guildId, { startsAt: noon - HOUR, endsAt: noon + 5 * DAY, name: "already on" });
    const windows = [
      { from: noon + 2 * DAY, until: noon + 3 * DAY },
      { from: noon, until: noon + 1 },
    ];
    const ask = (limit: number) => calendar.services.call(listOccurrencesStarting, { guildId, windows, limit });
    const all = await ask(10);
    expect(all.truncated).toBe(false);
    expect(all.occurrences.map(({ occurrenceId }) => occurrenceId).toSorted()).toEqual(
      [`${series}_20240506T120000Z`, `${series}_20240508T120000Z`, other].toSorted(),
    );
    expect(all.occurrences.find(({ eventId }) => eventId === other)).toMatchObject({
      calendarNumber: 2,
      timezone: "UTC",
      color: "RED",
      recurs: false,
      isFirst: true,
    });
    expect(all.occurrences.find(({ startsAt }) => startsAt === noon + 2 * DAY)).toMatchObject({
      recurs: true,
      isFirst: false,
    });
    const soonestOccurrences = await ask(2);
    expect(soonestOccurrences.truncated).toBe(true);
    expect(soonestOccurrences.occurrences).toEqual(all.occurrences.slice(0, 2));
  });

  test("dispatch gets only the occurrences whose start or color changed since an instant, if it requests that", async () => {
    const guildId = calendar.newGuild();
    const recurring = { recurs: true, recurrence: { frequency: "DAILY" } } as const;
    const { eventId: emptyOverride } = await calendar.create(guildId, recurring);
    const { eventId: series } = await calendar.create(guildId, recurring);
    const { eventId: single } = await calendar.create(guildId, {});
    const { eventId: other } = await calendar.create(guildId, {});
    const windows = [{ from: noon, until: noon + 2 * DAY }];
    const ask = async (changedSince?: number) => {
      const params = { guildId, windows, limit: 10, ...(changedSince === undefined ? {} : { changedSince }) };
      const { occurrences } = await calendar.services.call(listOccurrencesStarting, params);
      return occurrences.map(({ occurrenceId }) => occurrenceId as string).toSorted();
    };
    const all = (await ask()).map(String);
    expect(all).toHaveLength(6);
    const { occurrences } = await calendar.services.call(listOccurrencesStarting, { guildId, windows, limit: 10 });
    const since = Math.max(...occurrences.map(({ scheduledAt }) => scheduledAt)) + 1;
    await expect(ask(since)).resolves.toEqual([]);
    await calendar.update(guildId, single, { color: "RED" });
    await calendar.update(guildId, other, { startsAt: noon + HOUR, endsAt: noon + 2 * HOUR });
    await calendar.update(guildId, `${series}_20240507T120000Z`, { color: "RED" });
    await expect(ask(since)).resolves.toEqual([single, other, `${series}_20240507T120000Z`].toSorted());
    expect(all).toContain(`${emptyOverride}_20240506T120000Z`);
  });

  test("a new zone of the calendar counts as a change of the start of the occurrences that it moves", async () => {
    const guildId = calendar.newGuild();
    const startsAt = noon + 10_000 * DAY;
    const times = { startsAt, endsAt: startsAt + HOUR };
    await calendar.create(guildId, { ...times, recurs: true, recurrence: { frequency: "DAILY" } });
    const windows = [{ from: startsAt - DAY, until: startsAt + DAY }];
    const ask = (changedSince = 0) =>
      calendar.services.call(listOccurrencesStarting, { guildId, windows, limit: 10, changedSince });
    const [{ scheduledAt }] = (await ask()).occurrences as [Occurrence];
    await expect(ask(scheduledAt + 1)).resolves.toMatchObject({ occurrences: [] });
    await calendar.services.call(updateCalendar, { guildId, calendarNumber: 1, timezone: "Asia/Tokyo" });
    const moved = await ask(scheduledAt + 1);
    expect(moved.occurrences.map((occurrence) => occurrence.startsAt - startsAt)).toEqual([-9 * HOUR, 15 * HOUR]);
  });
});
