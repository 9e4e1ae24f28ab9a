import { afterEach, expect, jest, test } from "@jest/globals";
import { OperationTimeout } from "../../mixins/async/timeout.ts";
import type { EventId, GuildId } from "../contracts/ids.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";
import { calendarWindows } from "./calendar-windows.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import { type Calendar, unwrittenCalendar } from "./domain/calendar/calendar.ts";
import type { StoredEvent } from "./domain/event/event.ts";
import type { EventReads } from "./store/event-reads.store.ts";

const DAY = 86_400_000;
const guildId = "1" as GuildId;
const series: StoredEvent = {
  id: "e" as EventId,
  guildId,
  calendarNumber: 1,
  revision: 1,
  startsAt: 0,
  endsAt: 1,
  color: "NONE",
  scheduledAt: 0,
  coloredAt: 0,
  recurring: {
    recurrence: { frequency: "DAILY", interval: 1, count: -1 },
    anchor: { timezone: "UTC", version: 0 },
    hasOverrides: false,
  },
};

afterEach(() => void jest.restoreAllMocks());

/** Windows of a guild with one series; the database takes the given time for each window. */
function slowWindows(msPerWindow: number, event = series, calendars: readonly Calendar[] = []) {
  let now = 0;
  jest.spyOn(performance, "now").mockImplementation(() => now);
  const reads: Partial<EventReads> = {
    singleEventsStarting: async () => [],
    async *allDayStarting() {},
    async *seriesOverlapping() {
      now += msPerWindow;
      yield { events: [event], moved: [] };
    },
  };
  const store: Partial<CalendarEventsStore> = {
    calendarsInSnapshot: async () => ({ numbers: [1], reads: reads as EventReads }),
  };
  return calendarWindows(
    store as CalendarEventsStore,
    { list: async () => [...calendars] } as Partial<CalendarsStore> as CalendarsStore,
  );
}

test("a search for starting occurrences ends after the five seconds that its callers wait, for all its windows", async () => {
  const windows = [0, 10, 20].map((day) => ({ from: day * DAY, until: (day + 1) * DAY }));
  const found = (msPerWindow: number) =>
    slowWindows(msPerWindow).listStarting({ guildId, windows, limit: 10 }, async () => true);
  await expect(found(1_600)).resolves.toMatchObject({ occurrences: [{}, {}, {}], truncated: false });
  await expect(found(1_700)).rejects.toThrow(OperationTimeout);
});

test("a search for the soonest occurrences reads times of day that a clock change of its new zone moves past each other", async () => {
  const recurrence = { frequency: "DAILY", interval: 1, count: -1, byHour: [2, 3], byMinute: [5, 40, 50] } as const;
  const event = { ...series, startsAt: 125 * 60_000, recurring: { ...series.recurring!, recurrence } };
  const zoneChanges = [{ version: 1, timezone: "America/New_York", since: Date.UTC(2024, 0, 1) }];
  const calendar = { ...unwrittenCalendar(guildId, 1), zoneChanges };
  // 02:05, 02:40 and 02:50 move to the hour of 03:05, which is 07:05 in UTC.
  const from = Date.parse("2024-03-10T07:00Z");
  const windows = [{ from, until: from + DAY }];
  const found = await slowWindows(0, event, [calendar]).listStarting({ guildId, windows, limit: 2 }, async () => true);
  const first = Date.parse("2024-03-10T07:05Z");
  expect(found.occurrences.map(({ startsAt }) => startsAt)).toEqual([first, first]);
});
