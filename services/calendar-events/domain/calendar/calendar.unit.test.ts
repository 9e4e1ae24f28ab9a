import { describe, expect, test } from "@jest/globals";
import type { GuildId } from "../../../contracts/ids.ts";
import {
  type Calendar,
  calendarView,
  changeCalendar,
  unknownZones,
  unwrittenCalendar,
  withFurtherZones,
  zonesFrom,
} from "./calendar.ts";

const NAMES = ["UTC", "Europe/Berlin", "Asia/Tokyo", "America/New_York"];
/** Later than every change of the zone. */
const LATER = 1_000;

function calendarWith(...zones: string[]): Calendar {
  const zoneChanges = zones.map((timezone, at) => ({ version: at + 1, timezone, since: at + 1 }));
  return { ...unwrittenCalendar("1" as GuildId, 1), zoneChanges };
}

describe.each([
  ["on UTC", []],
  ["that was on UTC", ["Europe/Berlin"]],
  ["that was in another zone", ["Europe/Berlin", "Asia/Tokyo"]],
])("a calendar %s", (_, zones) => {
  test("gets each zone of an imported series in which its windows do not search yet", () => {
    const calendar = calendarWith(...zones);
    const searched = new Set((zonesFrom(calendar, LATER) ?? []).map(({ name }) => name));
    expect(unknownZones(calendar, NAMES)).toEqual(NAMES.filter((name) => !searched.has(name)));
    const { calendar: next } = withFurtherZones(calendar, unknownZones(calendar, NAMES));
    expect((zonesFrom(next, LATER) ?? []).map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
    expect(unknownZones(next, NAMES)).toEqual([]);
  });
});

test("a calendar is paused, keeps its pause and its zone, and is resumed by null (D62)", () => {
  const paused = changeCalendar(calendarWith("Asia/Tokyo"), { pausedUntil: 5_000 }).calendar;
  expect(calendarView(paused)).toMatchObject({ pausedUntil: 5_000, timezone: "Asia/Tokyo" });
  const renamed = changeCalendar(paused, { name: "Raids" }).calendar;
  expect(calendarView(renamed)).toMatchObject({ pausedUntil: 5_000, name: "Raids" });
  expect(calendarView(changeCalendar(renamed, { pausedUntil: null }).calendar)).not.toHaveProperty("pausedUntil");
});
