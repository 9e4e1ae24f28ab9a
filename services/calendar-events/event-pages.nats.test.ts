import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { EventView } from "../contracts/calendar-events.contract.ts";
import {
  listEventsPage,
  listOngoingEventsPage,
  searchEvents,
  type SearchEventsParams,
} from "../contracts/event-pages.contract.ts";
import { listCalendarsPage, updateCalendar } from "../contracts/calendars.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import type { Page, PageParams } from "../contracts/pages.ts";
import {
  type CalendarUnderTest,
  DAY,
  HOUR,
  noon,
  allowCalendars,
  startCalendar,
} from "../../test/harness/calendar-under-test.ts";

const LAST_CHANGED_PAGE = 40;
const WINDOW = { from: noon, until: noon + 30 * DAY };

describe("pages of events on the bus", () => {
  let calendar: CalendarUnderTest;
  beforeAll(async () => {
    calendar = await startCalendar();
  });
  afterAll(() => calendar.services.stop());

  const pageOf = (guildId: GuildId, params: PageParams, window = WINDOW) =>
    calendar.services.call(listEventsPage, { guildId, calendarNumber: 1, ...window, ...params });
  const search = (guildId: GuildId, params: Partial<SearchEventsParams>) =>
    calendar.services.call(searchEvents, { guildId, calendarNumber: 1, ...params });

  /** The entries of all pages; `between` runs before each page. */
  async function all(
    read: (params: PageParams) => Promise<Page<EventView>>,
    limits: readonly number[] = [2],
    between: (page: number) => Promise<unknown> = async () => undefined,
  ): Promise<EventView[]> {
    const entries: EventView[] = [];
    let cursor: string | undefined;
    for (let nth = 0; ; nth += 1) {
      await between(nth);
      const limit = limits[nth % limits.length] as number;
      const page = await read(cursor === undefined ? { limit } : { limit, cursor });
      expect(page.entries.length).toBeLessThanOrEqual(limit);
      entries.push(...page.entries);
      if (page.next === undefined) return entries;
      cursor = page.next;
    }
  }

  /** Events of every kind, in a zone with changes of the clock, and a change of the zone. */
  async function fill(guildId: GuildId): Promise<void> {
    await calendar.services.call(updateCalendar, { guildId, calendarNumber: 1, timezone: "America/New_York" });
    await calendar.create(guildId, { name: "long", startsAt: noon - 9 * DAY, endsAt: noon + 9 * DAY });
    await calendar.create(guildId, { name: "no length", endsAt: noon });
    await calendar.create(guildId, { name: "far", startsAt: noon + 28 * DAY, endsAt: noon + 99 * DAY });
    for (const at of [0, 1, 2, 3]) await calendar.create(guildId, { name: `same start ${at}`, location: "here" });
    const daily = { recurs: true, recurrence: { frequency: "DAILY" } } as const;
    const { eventId } = await calendar.create(guildId, {
      ...daily,
      startsAt: noon - 40 * DAY,
      endsAt: noon - 38 * DAY,
    });
    await calendar.create(guildId, { ...daily, name: "short", endsAt: noon });
    const additions = [1, 2, 3, 50, 70].map((hours) => noon + hours * HOUR);
    const recurrence = { frequency: "WEEKLY", count: 3, rDates: additions, exDates: [noon + 7 * DAY] } as const;
    await calendar.create(guildId, { recurs: true, recurrence, name: "additions" });
    const id = (day: number) => `${eventId}_${new Date(noon + day * DAY).toISOString().replaceAll(/[-:]|\.000/g, "")}`;
    await calendar.update(guildId, id(3), { startsAt: noon + 20 * DAY, endsAt: noon + 21 * DAY, name: "moved" });
    await calendar.update(guildId, id(-30), { startsAt: noon + 2 * DAY, endsAt: noon + 2 * DAY + HOUR });
    await calendar.update(guildId, id(5), { description: "changed" });
    await calendar.remove(guildId, id(6));
    await calendar.services.call(updateCalendar, { guildId, calendarNumber: 1, timezone: "Pacific/Auckland" });
  }

  test("together are the list of the window, with any limits (D49)", async () => {
    const guildId = calendar.newGuild();
    await fill(guildId);
    for (const window of [WINDOW, { from: noon - HOUR, until: noon + HOUR }, { from: 0, until: noon + 400 * DAY }]) {
      const listed = await calendar.list(guildId, window.from, window.until);
      expect(listed.length).toBeGreaterThan(5);
      for (const limits of [[1], [3, 1, 7], [1_000]]) {
        await expect(all((params) => pageOf(guildId, params, window), limits)).resolves.toEqual(listed);
      }
    }
  });

  test("of ongoing events together are the list of ongoing events", async () => {
    const guildId = calendar.newGuild();
    await fill(guildId);
    const where = { guildId, calendarNumber: 1 };
    const ongoing = await all((params) => calendar.services.call(listOngoingEventsPage, { ...where, ...params }), [1]);
    const overlapping = await calendar.list(guildId, noon, noon + 1);
    expect(ongoing).toEqual(overlapping.filter(({ startsAt, endsAt }) => startsAt < endsAt));
    expect(ongoing.length).toBeGreaterThan(5);
  });

  test("have every event once that stays, while others are created, deleted, moved and renamed (D49)", async () => {
    const anyStart = fc.integer({ min: -2, max: 30 }).map((half) => noon + half * 12 * HOUR);
    const anyChange = fc.record({
      kind: fc.constantFrom("create", "delete", "move", "rename"),
      which: fc.nat(99),
      startsAt: anyStart,
    });
    const anyRun = fc.record({
      stay: fc.array(fc.record({ startsAt: anyStart, recurs: fc.boolean() }), { minLength: 1, maxLength: 6 }),
      others: fc.array(anyStart, { maxLength: 4 }),
      limits: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
      changes: fc.array(fc.array(anyChange, { maxLength: 3 }), { minLength: 1, maxLength: 8 }),
      searched: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(anyRun, async ({ stay, others, limits, changes, searched }) => {
        const guildId = calendar.newGuild();
        const recurrence = { frequency: "DAILY", interval: 3, count: 4 } as const;
        const fields = (startsAt: number) => ({ startsAt, endsAt: startsAt + 30 * HOUR, name: "one of many" });
        for (const { startsAt, recurs } of stay) {
          const rule = recurs ? { recurs, recurrence } : {};
          await calendar.create(guildId, { ...fields(startsAt), ...rule, location: "stays" });
        }
        const other: string[] = [];
        const create = async (startsAt: number) =>
          void other.push((await calendar.create(guildId, fields(startsAt))).eventId);
        for (const startsAt of others) await create(startsAt);
        const apply = async ({ kind, which, startsAt }: (typeof changes)[number][number]) => {
          const id = other[which % Math.max(1, other.length)];
          if (kind === "create") return create(startsAt);
          if (id === undefined) return undefined;
          if (kind === "rename") return calendar.update(guildId, id, { name: "many more" });
          if (kind === "move") return calendar.update(guildId, id, { startsAt, endsAt: startsAt + HOUR });
          other.splice(other.indexOf(id), 1);
          return calendar.remove(guildId, id);
        };
        const read = (params: PageParams) =>
          searched ? search(guildId, { text: "MANY", ...params }) : pageOf(guildId, params);
        const before = await all(read);
        const entries = await all(read, limits, async (page) => {
          // Without an end of the changes, each page of one entry may be followed by a new one.
          if (page === 0 || page > LAST_CHANGED_PAGE) return;
          for (const change of changes[page % changes.length] ?? []) await apply(change);
        });
        const staying = (list: readonly EventView[]) => list.filter(({ location }) => location === "stays");
        expect(staying(entries)).toEqual(staying(before));
        const ids = entries.map(({ eventId }) => eventId);
        // An event that moves in its window may be in two pages.
        const once = searched ? ids : [];
        expect(new Set(once).size).toBe(once.length);
        const order = entries.map(({ startsAt, eventId }) => (searched ? eventId : `${startsAt} ${eventId}`));
        expect(order).toEqual(order.toSorted());
      }),
      { numRuns: 20 },
    );
  });

  test("end before 4 MiB, and the next one goes on (D38)", async () => {
    const guildId = calendar.newGuild();
    const texts = { name: "n".repeat(256), description: "\u0001".repeat(4_000), location: "l".repeat(256) };
    await calendar.create(guildId, { ...texts, recurs: true, recurrence: { frequency: "DAILY", count: 400 } });
    const window = { from: noon, until: noon + 400 * DAY };
    const first = await pageOf(guildId, { limit: 1_000 }, window);
    expect(first.entries.length).toBeGreaterThan(100);
    expect(first.entries.length).toBeLessThan(200);
    await expect(all((params) => pageOf(guildId, params, window), [1_000])).resolves.toHaveLength(400);
  });

  test("of a window of all time have an endless series, a page at a time", async () => {
    const guildId = calendar.newGuild();
    await calendar.create(guildId, { recurs: true, recurrence: { frequency: "DAILY" } });
    const forever = { from: 0, until: Date.UTC(9999, 11, 31) };
    const first = await pageOf(guildId, { limit: 1_000 }, forever);
    expect(first.entries).toHaveLength(1_000);
    const second = await pageOf(guildId, { limit: 1_000, cursor: first.next as string }, forever);
    expect(second.entries[0]).toMatchObject({ startsAt: noon + 1_000 * DAY });
  });

  test.each(["", "x", "WzEsInNlYXJjaCIsImUiXQ", "w".repeat(401)])("are refused with the cursor %j", async (cursor) => {
    const guildId = calendar.newGuild();
    const refused = { type: "INVALID_REQUEST", data: { problems: [{ field: "cursor" }] } };
    await expect(pageOf(guildId, { cursor })).rejects.toMatchObject(refused);
    await expect(calendar.services.call(listCalendarsPage, { guildId, cursor })).rejects.toMatchObject(refused);
  });

  test("of calendars are in the order of their numbers", async () => {
    const guildId = calendar.newGuild();
    await allowCalendars(calendar, guildId, 5);
    const first = await calendar.services.call(listCalendarsPage, { guildId, limit: 3 });
    expect(first.entries.map(({ calendarNumber }) => calendarNumber)).toEqual([1, 2, 3]);
    const second = await calendar.services.call(listCalendarsPage, { guildId, limit: 3, cursor: first.next as string });
    expect(second).toEqual({
      entries: [expect.objectContaining({ calendarNumber: 4 }), expect.objectContaining({ calendarNumber: 5 })],
    });
  });
});

describe("a search on the bus", () => {
  let calendar: CalendarUnderTest;
  beforeAll(async () => {
    calendar = await startCalendar();
  });
  afterAll(() => calendar.services.stop());

  const search = (guildId: GuildId, params: Partial<SearchEventsParams>) =>
    calendar.services.call(searchEvents, { guildId, calendarNumber: 1, ...params });
  const found = async (guildId: GuildId, params: Partial<SearchEventsParams>) =>
    (await search(guildId, params)).entries.map(({ eventId }) => eventId);

  test("finds single events, series as a whole, and occurrences with texts or a color of their own (D49)", async () => {
    const guildId = calendar.newGuild();
    const raid = await calendar.create(guildId, { name: "Raid", description: "bring potions", color: "RED" });
    const recurrence = { frequency: "DAILY", count: 5 } as const;
    const series = await calendar.create(guildId, { name: "raid evening", recurs: true, recurrence });
    const id = (day: number) => `${series.eventId}_202405${String(6 + day).padStart(2, "0")}T120000Z`;
    await calendar.update(guildId, id(1), { description: "dragon" });
    await calendar.update(guildId, id(2), { color: "RED" });
    await calendar.update(guildId, id(3), { startsAt: noon + 90 * DAY, endsAt: noon + 91 * DAY });
    await calendar.update(guildId, id(4), { name: "dragon" });
    await calendar.remove(guildId, id(4));
    await expect(found(guildId, { text: "RAID" })).resolves.toEqual([raid.eventId, series.eventId, id(1), id(2)]);
    await expect(found(guildId, { text: "dragon evening" })).resolves.toEqual([id(1)]);
    await expect(found(guildId, { text: "potions raid", color: "RED" })).resolves.toEqual([raid.eventId]);
    await expect(found(guildId, { color: "RED" })).resolves.toEqual([raid.eventId, id(2)]);
    await expect(found(guildId, { text: "potion dragon" })).resolves.toEqual([]);
    await expect(found(guildId, {})).resolves.toHaveLength(4);
    const { entries } = await search(guildId, { text: "evening" });
    const { revision: _, ...shown } = await calendar.get(guildId, series.eventId);
    expect(entries[0]).toEqual(shown);
    await expect(calendar.get(guildId, id(1))).resolves.toMatchObject(entries[1] as EventView);
  });

  test("with a window finds what overlaps it: a series by any of its occurrences, as they were changed", async () => {
    const guildId = calendar.newGuild();
    const single = await calendar.create(guildId);
    const recurrence = { frequency: "DAILY", count: 3 } as const;
    const { eventId } = await calendar.create(guildId, { recurs: true, recurrence });
    const id = (day: number) => `${eventId}_2024050${6 + day}T120000Z`;
    await calendar.remove(guildId, id(1));
    await calendar.update(guildId, id(2), { startsAt: noon + 9 * DAY, endsAt: noon + 10 * DAY, name: "moved" });
    const day = (nth: number) => ({ from: noon + nth * DAY, until: noon + nth * DAY + 2 * HOUR });
    await expect(found(guildId, day(0))).resolves.toEqual([single.eventId, eventId]);
    await expect(found(guildId, day(1))).resolves.toEqual([]);
    await expect(found(guildId, day(2))).resolves.toEqual([]);
    await expect(found(guildId, day(9))).resolves.toEqual([eventId, id(2)]);
    await expect(found(guildId, { from: noon + DAY })).resolves.toEqual([eventId, id(2)]);
    await expect(found(guildId, { until: noon })).resolves.toEqual([]);
    await expect(found(guildId, { until: noon + 1 })).resolves.toEqual([single.eventId, eventId]);
  });

  test("finds nothing of other calendars and guilds, nor what is deleted", async () => {
    const guildId = calendar.newGuild();
    await allowCalendars(calendar, guildId, 2);
    await calendar.create(guildId, { calendarNumber: 2, name: "raid" });
    const gone = await calendar.create(guildId, { name: "raid", recurs: true, recurrence: { frequency: "DAILY" } });
    await calendar.update(guildId, `${gone.eventId}_20240507T120000Z`, { name: "raid too" });
    await calendar.remove(guildId, gone.eventId);
    await expect(search(guildId, { text: "raid" })).resolves.toEqual({ entries: [] });
    await expect(search(guildId, { text: "raid", calendarNumber: 3 })).rejects.toMatchObject({
      type: "CALENDAR_NOT_FOUND",
    });
  });

  test.each([
    ["text", { text: "" }],
    ["text", { text: " \u3000" }],
    ["text", { text: "a ".repeat(11) }],
    ["text", { text: "a".repeat(201) }],
    ["color", { color: "PINK" as never }],
    ["limit", { limit: 0 }],
    ["limit", { limit: 1_001 }],
  ])("is refused with a bad %s: %j", async (field, params) => {
    await expect(search(calendar.newGuild(), params)).rejects.toMatchObject({
      type: "INVALID_REQUEST",
      data: { problems: [{ field }] },
    });
  });
});
