import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { emptyDatabase } from "../../test/harness/test-services.ts";
import { type FilledCalendar, openCalendar } from "../../test/calendar/filled-calendar.ts";
import type { EventView } from "../contracts/calendar-events.contract.ts";
import { isRefusal, type Refusal } from "../contracts/errors.ts";
import type { GuildId } from "../contracts/ids.ts";
import type { Page, PageParams } from "../contracts/pages.ts";
import { calendarWindows } from "./calendar-windows.ts";
import { eventSearch } from "./event-search.ts";
import { calendarEventsStore, type CalendarEventsStore } from "./store/calendar-events.store.ts";
import { calendarsStore, type CalendarsStore } from "./store/calendars.store.ts";
import { windowPages } from "./window-pages.ts";

const of = { guildId: "1" as GuildId, calendarNumber: 1 };
const HOUR = 3_600_000;
const noon = Date.UTC(2024, 4, 6, 12);
const window = { from: noon, until: noon + 72 * HOUR };
const EVENTS = 60;

/** All pages of a list. */
async function pagesOf(read: (params: PageParams) => Promise<Page<EventView> | Refusal>): Promise<EventView[][]> {
  const pages: EventView[][] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor === undefined ? {} : { cursor });
    if (isRefusal(page)) throw new Error(JSON.stringify(page));
    pages.push([...page.entries]);
    cursor = page.next;
  } while (cursor !== undefined && pages.length < 1_000);
  return pages;
}

describe("a page that may take little time", () => {
  let filled: FilledCalendar;
  let store: CalendarEventsStore;
  let calendars: CalendarsStore;
  beforeAll(async () => {
    filled = await openCalendar(emptyDatabase());
    store = calendarEventsStore(filled.connection, 100_000);
    calendars = calendarsStore(filled.connection);
    const events = Array.from({ length: EVENTS }, (_, at) => {
      const startsAt = noon + (at % 30) * 3 * HOUR;
      const times = { startsAt, endsAt: startsAt + HOUR, name: at % 20 === 19 ? "raid" : "other" };
      return at % 6 === 0 ? { ...times, recurs: true, recurrence: { frequency: "DAILY", count: 2 } as const } : times;
    });
    await filled.fill(of.guildId, events);
  });
  afterAll(() => filled.connection.close());

  test("of a search ends after its rows, also without an entry, and all pages together find all", async () => {
    const search = eventSearch(store, calendars, { rowsAtOnce: 2, rowsPerPage: 4, pageTimeMs: 60_000 });
    const pages = await pagesOf((params) => search({ ...of, text: "raid", ...params }));
    expect(pages.length).toBeGreaterThanOrEqual(EVENTS / 4);
    expect(pages.filter((page) => page.length === 0).length).toBeGreaterThan(5);
    expect(pages.flat().map(({ name }) => name)).toEqual(["raid", "raid", "raid"]);
  });

  test("of a search ends after its time, and reads something nevertheless", async () => {
    const search = eventSearch(store, calendars, { rowsAtOnce: 7, rowsPerPage: 1_000, pageTimeMs: 0 });
    const pages = await pagesOf((params) => search({ ...of, ...params }));
    expect(pages.map((page) => page.length)).toEqual([7, 7, 7, 7, 7, 7, 7, 7, 4]);
    expect(new Set(pages.flat().map(({ eventId }) => eventId)).size).toBe(EVENTS);
  });

  test("of a window ends after the part during which its time is over, and all pages together are the list", async () => {
    const whole = await calendarWindows(store, calendars).list(of.guildId, of.calendarNumber, window);
    expect(isRefusal(whole) || whole.length).toBeGreaterThan(50);
    const slow = await pagesOf((params) => windowPages(store, calendars, 0).page(of, window, params));
    expect(slow.flat()).toEqual(whole);
    expect(slow.filter((page) => page.length === 0).length).toBeGreaterThan(5);
    const fast = await pagesOf((params) => windowPages(store, calendars).page(of, window, params));
    expect(fast).toEqual([whole]);
  });
});
