import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  type CalendarUnderTest,
  DAY,
  HOUR,
  noon,
  allowCalendars,
  startCalendar,
} from "../../test/harness/calendar-under-test.ts";
import { until } from "../../test/harness/until.ts";
import { calendarEventsChangesSince } from "../contracts/calendar-events.contract.ts";
import { getOccurrence } from "../contracts/occurrences.contract.ts";
import { getCalendar, listCalendars, updateCalendar } from "../contracts/calendars.contract.ts";
import { updateGuildSettings } from "../contracts/guild-settings.contract.ts";
import type { GuildId, OccurrenceId } from "../contracts/ids.ts";

describe("calendars (D22)", () => {
  let calendar: CalendarUnderTest;
  beforeAll(async () => {
    calendar = await startCalendar();
  });
  afterAll(() => calendar.services.stop());

  const get = (guildId: GuildId, calendarNumber = 1) =>
    calendar.services.call(getCalendar, { guildId, calendarNumber });
  const change = (guildId: GuildId, changes: object, calendarNumber = 1) =>
    calendar.services.call(updateCalendar, { guildId, calendarNumber, ...changes });
  const starts = async (guildId: GuildId, from: number, end: number) =>
    (await calendar.list(guildId, from, end)).map(({ startsAt }) => new Date(startsAt).toISOString().slice(0, 16));

  test("exist without being created, on UTC and with a name", async () => {
    const guildId = calendar.newGuild();
    await expect(get(guildId)).resolves.toEqual({
      calendarNumber: 1,
      name: "Main calendar",
      timezone: "UTC",
      revision: 0,
    });
    await expect(calendar.services.call(listCalendars, { guildId })).resolves.toHaveLength(1);
  });

  test("store a name and a zone, whose name is canonical; a cleared name is the default one", async () => {
    const guildId = calendar.newGuild();
    await change(guildId, { name: "$name", timezone: "europe/berlin" });
    await expect(get(guildId)).resolves.toEqual({
      calendarNumber: 1,
      name: "$name",
      timezone: "Europe/Berlin",
      revision: 1,
    });
    await change(guildId, { name: null });
    await expect(get(guildId)).resolves.toMatchObject({ name: "Main calendar", timezone: "Europe/Berlin" });
  });

  test.each(["Mars/Olympus", "+02:00", "", "$$NOW"])("%p is refused as a zone", async (timezone) => {
    await expect(change(calendar.newGuild(), { timezone })).rejects.toMatchObject({
      type: "INVALID_REQUEST",
      data: { problems: [{ field: "timezone" }] },
    });
  });

  test("a new series runs on the wall clock of the calendar's zone", async () => {
    const guildId = calendar.newGuild();
    await change(guildId, { timezone: "America/New_York" });
    const startsAt = Date.parse("2024-11-01T00:00Z");
    const recurrence = { frequency: "DAILY", count: 4 } as const;
    await calendar.create(guildId, { startsAt, endsAt: startsAt + HOUR, recurs: true, recurrence });
    await expect(starts(guildId, startsAt, startsAt + 9 * DAY)).resolves.toEqual([
      "2024-11-01T00:00",
      "2024-11-02T00:00",
      "2024-11-03T00:00",
      "2024-11-04T01:00",
    ]);
    const [first] = await calendar.starting(guildId, startsAt, startsAt + 1);
    expect(first).toMatchObject({ timezone: "America/New_York" });
  });

  test("a new zone moves future occurrences to the same wall time; started ones stay, and ids stay", async () => {
    const guildId = calendar.newGuild();
    const today = Math.floor(Date.now() / DAY) * DAY;
    const startsAt = today - 2 * DAY;
    const { eventId } = await calendar.create(guildId, {
      startsAt,
      endsAt: startsAt,
      recurs: true,
      recurrence: { frequency: "DAILY" },
    });
    const single = await calendar.create(guildId, { startsAt: today + 3 * DAY + 1, endsAt: today + 3 * DAY + 1 });
    const window = [today - 3 * DAY, today + 5 * DAY] as const;
    const before = await calendar.list(guildId, ...window);
    await change(guildId, { timezone: "Asia/Kolkata" });
    const after = await calendar.list(guildId, ...window);
    const shift = new Map(after.map((event) => [event.eventId, event.startsAt]));
    const shifts = before.map(({ eventId: id, startsAt: was }) => (was - (shift.get(id) ?? 0)) / HOUR);
    expect(shifts).toEqual([0, 0, 0, 5.5, 5.5, 5.5, 0, 5.5]);
    expect(before[6]?.eventId).toBe(single.eventId);
    await expect(calendar.get(guildId, eventId)).resolves.toMatchObject({ startsAt });
    const moved = before[3]?.eventId as OccurrenceId;
    const afterChange = await calendar.services.call(getOccurrence, { guildId, occurrenceId: moved });
    const stayed = before[2]?.eventId as OccurrenceId;
    const old = await calendar.services.call(getOccurrence, { guildId, occurrenceId: stayed });
    expect(afterChange?.scheduledAt).toBeGreaterThan(old?.scheduledAt ?? 0);
  });

  test("a future series starts at the same wall time in a new zone, and a new count or duration moves nothing", async () => {
    const guildId = calendar.newGuild();
    const startsAt = Math.floor(Date.now() / DAY) * DAY + 10 * DAY;
    const recurrence = { frequency: "DAILY", count: 5 } as const;
    const { eventId } = await calendar.create(guildId, { startsAt, endsAt: startsAt, recurs: true, recurrence });
    await change(guildId, { timezone: "Asia/Kolkata" });
    const moved = startsAt - 5.5 * HOUR;
    await expect(calendar.get(guildId, eventId)).resolves.toMatchObject({ startsAt: moved });
    const listed = async () =>
      (await calendar.list(guildId, startsAt - DAY, startsAt + 9 * DAY)).map((event) => [event.startsAt, event.endsAt]);
    await calendar.update(guildId, eventId, { recurs: true, recurrence: { frequency: "DAILY", count: 2 } });
    await expect(listed()).resolves.toEqual([moved, moved + DAY].map((start) => [start, start]));
    await calendar.update(guildId, eventId, { startsAt: moved, endsAt: moved + HOUR });
    await expect(listed()).resolves.toEqual([moved, moved + DAY].map((start) => [start, start + HOUR]));
    await calendar.update(guildId, eventId, { recurs: false });
    await expect(calendar.get(guildId, eventId)).resolves.toMatchObject({ startsAt: moved, isParent: false });
  });

  test("a moved occurrence follows a new zone as its series does", async () => {
    const guildId = calendar.newGuild();
    const startsAt = Math.floor(Date.now() / DAY) * DAY + 10 * DAY;
    const recurrence = { frequency: "WEEKLY" } as const;
    await calendar.create(guildId, { startsAt, endsAt: startsAt, recurs: true, recurrence });
    const [first] = await calendar.list(guildId, startsAt, startsAt + 1);
    const id = first?.eventId ?? "";
    await calendar.update(guildId, id, { startsAt: startsAt + HOUR, endsAt: startsAt + HOUR });
    await change(guildId, { timezone: "Pacific/Kiritimati" });
    const now = startsAt + HOUR - 14 * HOUR;
    await expect(calendar.get(guildId, id)).resolves.toMatchObject({ startsAt: now });
    await expect(calendar.list(guildId, now, now + 1)).resolves.toMatchObject([{ eventId: id }]);
  });

  test("a list right after a change of the zone finds the occurrences that only the new zone has in the window", async () => {
    const guildId = calendar.newGuild();
    const startsAt = Math.floor(Date.now() / DAY) * DAY + 2 * DAY;
    const weekly = { recurs: true, recurrence: { frequency: "WEEKLY" } } as const;
    await calendar.create(guildId, { startsAt, endsAt: startsAt + HOUR, ...weekly });
    const midnight = startsAt + 7 * DAY;
    await expect(starts(guildId, midnight, midnight + HOUR)).resolves.toHaveLength(1);
    for (const [timezone, hours] of [
      ["Asia/Tokyo", 9],
      ["Etc/GMT+10", -10],
    ] as const) {
      await change(guildId, { timezone });
      const from = midnight - hours * HOUR;
      await expect(starts(guildId, from, from + HOUR)).resolves.toEqual([new Date(from).toISOString().slice(0, 16)]);
    }
  });

  test("after sixty changes of the zone the last one applies, and future occurrences are found", async () => {
    const guildId = calendar.newGuild();
    const startsAt = Math.floor(Date.now() / DAY) * DAY + 10 * DAY;
    const recurrence = { frequency: "YEARLY" } as const;
    const { eventId } = await calendar.create(guildId, { startsAt, endsAt: startsAt, recurs: true, recurrence });
    for (let at = 0; at < 60; at += 1) {
      await change(guildId, { timezone: at % 2 === 0 ? "Pacific/Honolulu" : "Asia/Tokyo" });
    }
    await expect(get(guildId)).resolves.toMatchObject({ timezone: "Asia/Tokyo" });
    const inTokyo = startsAt - 9 * HOUR;
    await expect(calendar.get(guildId, eventId)).resolves.toMatchObject({ startsAt: inTokyo });
    await expect(calendar.list(guildId, inTokyo, inTokyo + 1)).resolves.toMatchObject([{ startsAt: inTokyo }]);
  });

  test("a change of a calendar is in the change feed of the events, in order with them", async () => {
    const guildId = calendar.newGuild();
    await calendar.create(guildId);
    await change(guildId, { name: "x" });
    const read = async (limit: number) => {
      const ids: string[] = [];
      let mark = { at: 0, id: "" };
      for (let more = true; more;) {
        const page = await calendar.services.call(calendarEventsChangesSince, { mark, limit });
        ids.push(...page.changes.map(({ id }) => id));
        ({ mark, more } = page);
      }
      return ids;
    };
    const all = await read(1000);
    expect(all.at(-1)).toBe(`${guildId}/1`);
    await expect(read(1)).resolves.toEqual(all);
  });

  test("a lower limit hides a calendar and its events; a raised limit shows them again (D20)", async () => {
    const guildId = calendar.newGuild();
    await allowCalendars(calendar, guildId, 2);
    await change(guildId, { name: "second" }, 2);
    const { eventId } = await calendar.create(guildId, { calendarNumber: 2 });
    await calendar.services.call(updateGuildSettings, { guildId, maxCalendars: 1 });
    const hidden = () =>
      get(guildId, 2).then(
        () => false,
        () => true,
      );
    await until(hidden, "calendar 2 is hidden");
    await expect(calendar.get(guildId, eventId, 2)).rejects.toMatchObject({ type: "CALENDAR_NOT_FOUND" });
    await expect(calendar.starting(guildId, noon, noon + 1)).resolves.toEqual([]);
    await allowCalendars(calendar, guildId, 2);
    await expect(get(guildId, 2)).resolves.toMatchObject({ name: "second" });
    await expect(calendar.starting(guildId, noon, noon + 1)).resolves.toMatchObject([{ occurrenceId: eventId }]);
    await expect(calendar.services.call(listCalendars, { guildId })).resolves.toMatchObject([
      { calendarNumber: 1 },
      { calendarNumber: 2, name: "second" },
    ]);
  });
});
