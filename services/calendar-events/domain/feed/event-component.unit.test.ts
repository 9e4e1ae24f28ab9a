import { describe, expect, test } from "@jest/globals";
import { sampleCalendar, sampleId } from "../../../../test/fixtures/feed-samples.ts";
import type { Anchor } from "../calendar/calendar.ts";
import { type FeedEvent, seriesEvent, singleEvent } from "./event-component.ts";
import { partsOf, type RecurringEvent } from "./series-parts.ts";

const HOUR = 3_600_000;
const [MARCH, CHANGED_AT] = [Date.UTC(2026, 2, 3, 19), Date.UTC(2026, 0, 1)];
const calendar = sampleCalendar("Europe/Berlin", "UTC", "America/New_York");
const anchor: Anchor = { timezone: "America/New_York", version: 3 };

function eventOf(revision: number, fields: Partial<FeedEvent> = {}): FeedEvent {
  const times = { startsAt: MARCH, endsAt: MARCH + HOUR };
  return { id: sampleId(1), ...times, color: "NONE", revision, changedAt: CHANGED_AT, ...fields };
}

function numberIn(text: string): number {
  return Number(/^SEQUENCE:([0-9]+)\r$/m.exec(text)?.[1]);
}

describe("SEQUENCE", () => {
  test("increases when a series, or an all-day event, becomes an event with times", () => {
    const recurring = {
      recurrence: { frequency: "DAILY", count: -1, interval: 1 },
      anchor,
      hasOverrides: false,
    } as const;
    const series = eventOf(1, { recurring }) as FeedEvent & RecurringEvent;
    const [part] = partsOf(series, calendar);
    const allDay = eventOf(1, { allDay: { startDay: 20_515, endDay: 20_516, anchor } });
    const single = numberIn(singleEvent(eventOf(2), calendar));
    expect(single).toBeGreaterThan(numberIn(seriesEvent(series, part!, calendar)));
    expect(single).toBeGreaterThan(numberIn(singleEvent(allDay, calendar)));
  });

  test("is the sum of the revision and the version of the calendar's zone for every event", () => {
    expect(numberIn(singleEvent(eventOf(4), calendar))).toBe(7);
    expect(numberIn(singleEvent(eventOf(4), sampleCalendar()))).toBe(4);
  });
});
