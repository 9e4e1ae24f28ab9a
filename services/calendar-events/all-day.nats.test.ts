import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type CalendarUnderTest, DAY, startCalendar } from "../../test/harness/calendar-under-test.ts";
import type { UpdateEventParams } from "../contracts/calendar-events.contract.ts";
import { updateCalendar } from "../contracts/calendars.contract.ts";
import { listEventsPage, searchEvents } from "../contracts/event-pages.contract.ts";
import { openFeed, readFeedPage } from "../contracts/feeds.contract.ts";
import { listChangedEvents } from "../contracts/guild-changes.contract.ts";
import type { EventId, GuildId } from "../contracts/ids.ts";
import { getOccurrence } from "../contracts/occurrences.contract.ts";

describe("all-day events (D50)", () => {
  let calendar: CalendarUnderTest;
  beforeAll(async () => {
    calendar = await startCalendar();
  });
  afterAll(() => calendar.services.stop());

  const inZone = (guildId: GuildId, timezone: string) =>
    calendar.services.call(updateCalendar, { guildId, calendarNumber: 1, timezone });
  const create = (guildId: GuildId, fields: object) =>
    calendar.create(guildId, { startsAt: undefined, endsAt: undefined, allDay: true, ...fields } as object);
  const change = (guildId: GuildId, eventId: string, fields: Partial<UpdateEventParams>) =>
    calendar.update(guildId, eventId, fields);
  const datesIn = async (guildId: GuildId, from: string, until: string) =>
    (await calendar.list(guildId, Date.parse(from), Date.parse(until))).map(
      ({ startDate, endDate, startsAt }) => `${startDate}/${endDate} ${new Date(startsAt).toISOString().slice(0, 16)}`,
    );

  /** A guild in Berlin with a single event, a long one and a daily series, all next year. */
  async function newGuild() {
    const guildId = calendar.newGuild();
    await inZone(guildId, "Europe/Berlin");
    const single = await create(guildId, { startDate: "2099-05-04", name: "Single" });
    const long = await create(guildId, { startDate: "2099-05-10", endDate: "2099-06-10", name: "Long" });
    const recurrence = { frequency: "DAILY", count: 3 } as const;
    const series = await create(guildId, { startDate: "2099-07-01", recurs: true, recurrence, name: "Series" });
    return { guildId, single: single.eventId, long: long.eventId, series: series.eventId };
  }

  test("are read by get, lists, pages, search, dispatch, the changes and the feed, with dates and instants", async () => {
    const { guildId, single, series } = await newGuild();
    const dates = { allDay: true, startDate: "2099-05-04", endDate: "2099-05-05" };
    const startsAt = Date.parse("2099-05-03T22:00Z");
    const shown = { ...dates, startsAt, endsAt: startsAt + DAY, name: "Single", isParent: false };
    await expect(calendar.get(guildId, single)).resolves.toMatchObject({ ...shown, revision: "1.1" });
    await expect(calendar.list(guildId, startsAt + DAY - 1, startsAt + DAY)).resolves.toMatchObject([shown]);
    await expect(calendar.list(guildId, startsAt + DAY, startsAt + DAY + 1)).resolves.toEqual([]);
    await expect(datesIn(guildId, "2099-06-30T00:00Z", "2099-07-02T00:00Z")).resolves.toEqual([
      "2099-07-01/2099-07-02 2099-06-30T22:00",
      "2099-07-02/2099-07-03 2099-07-01T22:00",
    ]);
    const window = { guildId, calendarNumber: 1, from: startsAt - DAY, until: startsAt + 90 * DAY };
    const page = await calendar.services.call(listEventsPage, { ...window, limit: 2 });
    expect(page.entries).toMatchObject([shown, { name: "Long", startDate: "2099-05-10", endDate: "2099-06-10" }]);
    const found = await calendar.services.call(searchEvents, { ...window, until: startsAt + DAY, text: "single" });
    expect(found.entries).toMatchObject([shown]);
    const starting = await calendar.starting(guildId, startsAt, startsAt + 90 * DAY);
    expect(starting.map(({ startDate }) => startDate)).toEqual([
      "2099-05-04",
      "2099-05-10",
      "2099-07-01",
      "2099-07-02",
      "2099-07-03",
    ]);
    const occurrenceId = starting[0]?.occurrenceId;
    expect(occurrenceId).toBe(single);
    if (occurrenceId === undefined) return;
    await expect(calendar.services.call(getOccurrence, { guildId, occurrenceId })).resolves.toMatchObject(dates);
    const after = { at: 0, id: "", delivered: [] };
    const { changed } = await calendar.services.call(listChangedEvents, { guildId, after, limit: 10 });
    expect(changed.map(({ record }) => record)).toMatchObject([shown, { name: "Long" }, { startDate: "2099-07-01" }]);
    const { cursor = "" } = await calendar.services.call(openFeed, { guildId, calendarNumber: 1 });
    const feed = await calendar.services.call(readFeedPage, { guildId, calendarNumber: 1, cursor });
    expect(feed.text).toContain("DTSTART;VALUE=DATE:20990504\r\nDTEND;VALUE=DATE:20990505\r\n");
    expect(feed.text).toContain(`UID:${series}\r\n`);
  });

  test("that have not started move to the midnights of a new zone, in windows, pages and for dispatch", async () => {
    const { guildId, single } = await newGuild();
    const stale = (await calendar.get(guildId, single)).revision;
    await inZone(guildId, "Pacific/Pago_Pago");
    const moved = Date.parse("2099-05-04T11:00Z");
    await expect(calendar.get(guildId, single)).resolves.toMatchObject({ startsAt: moved, startDate: "2099-05-04" });
    await expect(datesIn(guildId, "2099-05-05T10:59Z", "2099-05-05T11:00Z")).resolves.toEqual([
      "2099-05-04/2099-05-05 2099-05-04T11:00",
    ]);
    await expect(calendar.list(guildId, moved - DAY, moved)).resolves.toEqual([]);
    await expect(calendar.starting(guildId, moved, moved + 1)).resolves.toMatchObject([{ occurrenceId: single }]);
    await expect(calendar.starting(guildId, moved - DAY, moved)).resolves.toEqual([]);
    await expect(datesIn(guildId, "2099-06-10T10:59Z", "2099-06-10T11:00Z")).resolves.toMatchObject([
      expect.stringContaining("2099-05-10/2099-06-10"),
    ]);
    await expect(datesIn(guildId, "2099-07-02T11:00Z", "2099-07-02T11:01Z")).resolves.toMatchObject([
      expect.stringContaining("2099-07-02/2099-07-03"),
    ]);
    await expect(change(guildId, single, { name: "stale", ifRevision: [`${stale}`] })).rejects.toMatchObject({
      type: "REVISION_MISMATCH",
    });
  });

  test("become events with times and back, and single occurrences get dates or times of their own", async () => {
    const { guildId, single, series } = await newGuild();
    const startsAt = Date.parse("2099-05-04T18:00Z");
    await change(guildId, single, { allDay: false, startsAt, endsAt: startsAt + 1 });
    const timed = await calendar.get(guildId, single);
    expect(timed).toMatchObject({ startsAt, revision: "2" });
    expect(timed).not.toHaveProperty("startDate");
    await change(guildId, single, { allDay: true, startDate: "2099-05-06" });
    await expect(datesIn(guildId, "2099-05-05T22:00Z", "2099-05-05T22:01Z")).resolves.toHaveLength(1);
    const second = `${series}_20990701T220000Z` as EventId;
    await change(guildId, second, { startDate: "2099-08-01", endDate: "2099-08-03" });
    await expect(datesIn(guildId, "2099-08-01T22:00Z", "2099-08-01T22:01Z")).resolves.toEqual([
      "2099-08-01/2099-08-03 2099-07-31T22:00",
    ]);
    await inZone(guildId, "UTC");
    await expect(datesIn(guildId, "2099-08-02T23:00Z", "2099-08-03T00:00Z")).resolves.toEqual([
      "2099-08-01/2099-08-03 2099-08-01T00:00",
    ]);
    await change(guildId, second, { allDay: false, startsAt, endsAt: startsAt + 1 });
    await expect(calendar.get(guildId, second)).resolves.toMatchObject({ startsAt, eventId: second });
    await change(guildId, series, { allDay: false });
    await expect(calendar.get(guildId, series)).resolves.toMatchObject({ startsAt: Date.parse("2099-07-01T00:00Z") });
    await expect(calendar.get(guildId, series)).resolves.not.toHaveProperty("startDate");
  });
});
