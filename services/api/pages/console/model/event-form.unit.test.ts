import { describe, expect, test } from "@jest/globals";
import { conflictsOf, createFields, eventValues, updateFields } from "./event-form.js";
import type { CalendarEvent } from "./types.ts";

const ZONE = "Europe/Berlin";
const EVENT: CalendarEvent = {
  event_id: "e",
  epoch_start: Date.parse("2026-11-25T18:00:00Z"),
  epoch_end: Date.parse("2026-11-25T20:00:00Z"),
  name: "Raid night",
  is_parent: false,
  color: "RED",
  recur: false,
};
const VALUES = eventValues(EVENT, ZONE);

describe("the form of an event", () => {
  test("shows the wall clock of its zone", () => {
    expect(VALUES).toMatchObject({ startDate: "2026-11-25", startTime: "19:00", endTime: "21:00", frequency: "NONE" });
  });

  test("sends only what was changed, so that it undoes nothing of somebody else", () => {
    expect(updateFields(VALUES, VALUES, ZONE)).toEqual({});
    expect(updateFields(VALUES, { ...VALUES, color: "BLUE" }, ZONE)).toEqual({ color: "BLUE" });
  });

  test("clears an emptied text", () => {
    expect(updateFields(VALUES, { ...VALUES, name: "" }, ZONE)).toEqual({ name: null });
  });

  test("sends the end of a pause in the zone of the form, and null without one (D63)", () => {
    const paused = { ...VALUES, pausedUntil: "2026-12-24T18:00" };
    expect(eventValues({ ...EVENT, paused_until: Date.parse("2026-12-24T17:00:30Z") }, ZONE)).toEqual(paused);
    expect(createFields(paused, ZONE)).toMatchObject({ paused_until: Date.parse("2026-12-24T17:00:00Z") });
    expect(createFields(VALUES, ZONE)).not.toHaveProperty("paused_until");
    expect(updateFields(paused, { ...paused, color: "BLUE" }, ZONE)).toEqual({ color: "BLUE" });
    expect(updateFields(paused, VALUES, ZONE)).toEqual({ paused_until: null });
  });

  test("sends both times when one of them was changed", () => {
    expect(updateFields(VALUES, { ...VALUES, startTime: "19:30" }, ZONE)).toEqual({
      epoch_start: Date.parse("2026-11-25T18:30:00Z"),
      epoch_end: EVENT.epoch_end,
    });
  });

  test("sends the day after the last one of an all-day event, and gives it times again", () => {
    const whole = { ...VALUES, allDay: true, endDate: "2026-11-26" };
    expect(updateFields(VALUES, whole, ZONE)).toEqual({
      all_day: true,
      start_date: "2026-11-25",
      end_date: "2026-11-27",
    });
    expect(updateFields(whole, VALUES, ZONE)).toMatchObject({ all_day: false, epoch_start: EVENT.epoch_start });
    const stored = { ...EVENT, all_day: true, start_date: "2026-11-25", end_date: "2026-11-27" };
    expect(eventValues(stored, ZONE)).toMatchObject({ allDay: true, endDate: "2026-11-26" });
  });

  test("sends a recurrence by its members or by the text of its rule", () => {
    const weekly = { ...VALUES, frequency: "WEEKLY", interval: "2", count: "" };
    expect(createFields(weekly, ZONE)).toMatchObject({
      name: "Raid night",
      color: "RED",
      recur: true,
      recurrence: { frequency: "WEEKLY", interval: 2, count: -1 },
    });
    expect(updateFields(VALUES, { ...VALUES, frequency: "RRULE", rrule: "FREQ=DAILY" }, ZONE)).toEqual({
      recur: true,
      recurrence: { rrule: "FREQ=DAILY" },
    });
    expect(updateFields(weekly, VALUES, ZONE)).toEqual({ recur: false });
    const stored = { ...EVENT, recur: true, recurrence: { frequency: "WEEKLY", interval: 1, count: 5 } };
    expect(eventValues(stored, ZONE)).toMatchObject({ frequency: "WEEKLY", count: "5" });
  });

  test("names what somebody else has changed, with the three states", () => {
    const mine = { ...VALUES, color: "BLUE", name: "Mine" };
    const stored = { ...VALUES, name: "Theirs" };
    expect(conflictsOf(VALUES, stored, mine)).toEqual([
      { name: "name", opened: "Raid night", stored: "Theirs", mine: "Mine" },
    ]);
  });
});
