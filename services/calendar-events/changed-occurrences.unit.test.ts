import { expect, test } from "@jest/globals";
import type { EventId, GuildId } from "../contracts/ids.ts";
import { changedOccurrences } from "./changed-occurrences.ts";
import { unwrittenCalendar } from "./domain/calendar/calendar.ts";
import type { StoredEvent } from "./domain/event/event.ts";
import { occurrenceId } from "./domain/event/occurrence-id.ts";
import type { Override } from "./domain/event/override.ts";

const DAY = 86_400_000;
const CREATED = Date.UTC(2024, 0, 1);
const CHANGED = CREATED + DAY;
const guildId = "1" as GuildId;
const calendar = unwrittenCalendar(guildId, 1);

const single: StoredEvent = {
  id: "e0" as EventId,
  guildId,
  calendarNumber: 1,
  revision: 1,
  startsAt: CREATED,
  endsAt: CREATED + 1,
  color: "NONE",
  createdAt: CREATED,
  scheduledAt: CHANGED,
  coloredAt: CREATED,
};
const series: StoredEvent = {
  ...single,
  id: "s" as EventId,
  scheduledAt: CREATED,
  recurring: {
    recurrence: { frequency: "DAILY", interval: 1, count: -1 },
    anchor: { timezone: "UTC", version: 0 },
    hasOverrides: true,
  },
};

/** Searches a calendar with a page of the event for each instant, and moved occurrences of the series; the requests are recorded. */
async function search(limit: number, eventChanges: readonly number[], moveTimes: readonly number[]) {
  const events = eventChanges.map((scheduledAt, at) => ({ ...single, id: `e${at}` as EventId, scheduledAt }));
  const overrides = moveTimes.map((scheduledAt, at): Override => {
    const original = CREATED + at * DAY;
    const moved = { startsAt: original + 1, endsAt: original + 2, anchor: { timezone: "UTC", version: 0 } };
    return { eventId: series.id, original, cancelled: false, texts: {}, moved, scheduledAt };
  });
  const requested = { pages: 0, eventIds: [] as EventId[], overrideIds: [] as string[] };
  const reads: Parameters<typeof changedOccurrences>[0] = {
    async *changedIn() {
      for (const event of events) {
        requested.pages += 1;
        yield [event];
      }
    },
    async *overriddenSince() {
      yield [series];
    },
    async *movedSince() {
      yield overrides;
    },
    async *eventsWithIds(_guildId, ids) {
      requested.eventIds.push(...ids);
      yield [...events, series].filter(({ id }) => ids.includes(id));
    },
    async overridesWithIds(_guildId, ids) {
      requested.overrideIds.push(...ids);
      return overrides.filter(({ eventId, original }) => ids.includes(occurrenceId(eventId, original)));
    },
  };
  const options = {
    guildId,
    calendars: [calendar],
    limit,
    texts: true,
    calendarOf: () => calendar,
    checkDeadline() {},
  };
  const found: string[] = [];
  for await (const occurrences of changedOccurrences(reads, options, { from: CHANGED, until: CHANGED + DAY })) {
    for (const { event, override } of occurrences) {
      found.push(override === undefined ? event.id : occurrenceId(event.id, override.original));
    }
  }
  return { found, requested };
}

test("a search for changes reads the events and overrides of the soonest ones, and one that shows that there are more", async () => {
  const { found, requested } = await search(
    2,
    [0, 2, 4, 6].map((at) => CHANGED + at),
    [5, 1, 3].map((at) => CHANGED + at),
  );
  const moved = occurrenceId(series.id, CREATED + DAY);
  expect(found).toEqual(["e0", "e1", moved]);
  expect(requested).toEqual({ pages: 3, eventIds: ["e0", series.id, "e1"], overrideIds: [moved] });
});

test("a search for changes leaves out those before and after its window, and those of the creation", async () => {
  const { found } = await search(9, [CREATED + 1, CHANGED], [CHANGED - 1, CHANGED, CHANGED + DAY, CHANGED + DAY - 1]);
  const moved = [1, 3].map((day) => occurrenceId(series.id, CREATED + day * DAY));
  expect(found).toEqual(["e1", ...moved]);
});
