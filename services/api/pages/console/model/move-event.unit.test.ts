import { describe, expect, test } from "@jest/globals";
import { distance, movedTimes, stepOfKey, timeFields } from "./move-event.js";
import type { CalendarEvent } from "./types.ts";
import { wallTime } from "./zoned-time.js";

const BERLIN = "Europe/Berlin";
const EVENT: CalendarEvent = {
  event_id: "e",
  epoch_start: Date.parse("2026-10-24T18:00:30Z"),
  epoch_end: Date.parse("2026-10-24T20:00:00Z"),
  is_parent: false,
  color: "NONE",
  recur: false,
};
const ALL_DAY: CalendarEvent = {
  ...EVENT,
  all_day: true,
  epoch_start: Date.parse("2026-10-23T22:00:00Z"),
  epoch_end: Date.parse("2026-10-25T23:00:00Z"),
  start_date: "2026-10-24",
  end_date: "2026-10-26",
};

describe("a move of an event", () => {
  test("over a clock change keeps the time of day and the duration", () => {
    const moved = movedTimes(EVENT, { days: 2, minutes: 0 }, BERLIN);
    expect(wallTime(moved.epoch_start, BERLIN)).toEqual({ date: "2026-10-26", minutes: 1200 });
    expect(new Date(moved.epoch_start).toISOString()).toBe("2026-10-26T19:00:30.000Z");
    expect(moved.epoch_end - moved.epoch_start).toBe(EVENT.epoch_end - EVENT.epoch_start);
  });

  test("by minutes changes the time of day, also to the next day", () => {
    const moved = movedTimes(EVENT, { days: 0, minutes: 300 }, BERLIN);
    expect(wallTime(moved.epoch_start, BERLIN)).toEqual({ date: "2026-10-25", minutes: 60 });
  });

  test("by nothing changes no instant, also in the hour that comes twice", () => {
    const second = { ...EVENT, epoch_start: Date.parse("2026-10-25T01:30:00Z") };
    expect(movedTimes(second, { days: 0, minutes: 0 }, BERLIN).epoch_start).toBe(second.epoch_start);
  });

  test("of an all-day event changes its dates by whole days", () => {
    const moved = movedTimes(ALL_DAY, { days: -3, minutes: 90 }, BERLIN);
    expect(timeFields(moved)).toEqual({ all_day: true, start_date: "2026-10-21", end_date: "2026-10-23" });
  });

  test("by a pointer snaps to a quarter of an hour", () => {
    const by = distance({ date: "2026-10-31", minutes: 600 }, { date: "2026-11-02", minutes: 652 });
    expect(by).toEqual({ days: 2, minutes: 45 });
  });

  test("by an arrow key is a day or a week in the month, and a day or a step of minutes in the week", () => {
    expect(stepOfKey("ArrowDown", "month")).toEqual({ days: 7, minutes: 0 });
    expect(stepOfKey("ArrowUp", "week")).toEqual({ days: 0, minutes: -15 });
    expect(stepOfKey("ArrowLeft", "agenda")).toEqual({ days: -1, minutes: 0 });
    expect([stepOfKey("Tab", "month"), stepOfKey("toString", "month")]).toEqual([undefined, undefined]);
  });
});
