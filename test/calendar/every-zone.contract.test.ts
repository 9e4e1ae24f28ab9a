import { describe, expect, test } from "@jest/globals";
import { zone } from "./any-series.ts";
import {
  instantToLocal,
  localToInstant,
  wallsAround,
} from "../../services/calendar-events/domain/calendar/local-to-instant.ts";
import { timeZones } from "../../mixins/time-zones/time-zones.ts";
import type { ClockChange } from "../../mixins/time-zones/zone-rules.ts";
import type { Zone } from "../../services/calendar-events/domain/calendar/zone.ts";

const DAY = 86_400_000;
const [first, last] = [Date.UTC(1970, 0, 1), Date.UTC(2100, 11, 31)];

/** Number of compared zones whose rules differ between the release in Intl and this project's. */
const MOST_ZONES_OF_A_YEAR = 5;

/** Every change of the zone's clock from 1970 to 2100. */
function changesOf(place: Zone): ClockChange[] {
  const changes = new Map<number, ClockChange>();
  for (let at = first; at <= last; at += 300 * DAY) {
    for (const change of place.spanAround(at).changes) changes.set(change.at, change);
  }
  return [...changes.values()];
}

/** The wall time, from the fields that Intl prints. */
function shownBy(clock: Intl.DateTimeFormat, at: number): number {
  const fields = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = fields;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1000) + 1000) % 1000);
}

describe("the wall times of all zones", () => {
  const zones = Intl.supportedValuesOf("timeZone").map(zone);

  test("are read by D16 at, before, in and after each clock change from 1970 to 2100, in every zone", () => {
    let seen = 0;
    const wrong: string[] = [];
    for (const place of zones) {
      for (const { at, before, after } of changesOf(place)) {
        seen += 1;
        const width = Math.abs(after - before);
        const [earlier, later] = [at + Math.min(before, after), at + Math.max(before, after)];
        const reads = (wall: number) => localToInstant(wall, place);
        // Read with the offset from before the change: moved forward in a gap, or the earlier of two instants.
        const readings = [earlier - 1, earlier, earlier + Math.floor(width / 2), later - 1].map(reads);
        const start = earlier - before;
        const meant = [start - 1, start, start + Math.floor(width / 2), start + width - 1, later - after];
        if ([...readings, reads(later)].join(" ") !== meant.join(" ")) wrong.push(`${place.name} ${at}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(seen).toBeGreaterThan(20_000);
  });

  test("are those of Intl around every change and on every tenth day, except in zones whose rules in Intl are older", () => {
    const wrong = new Set<string>();
    for (const place of zones.filter((_, at) => at % 8 === 0)) {
      const clock = new Intl.DateTimeFormat("en-US", {
        timeZone: place.name,
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
        second: "numeric",
      });
      const instants = changesOf(place).flatMap(({ at }) => [at - 1, at]);
      for (let at = first; at < last; at += 10 * DAY + 7_777_777) instants.push(at);
      for (const at of instants) {
        if (instantToLocal(at, place) !== shownBy(clock, at)) wrong.add(place.name);
      }
    }
    const isSameRelease = process.versions["tz"] === timeZones().version;
    expect(wrong.size).toBeLessThanOrEqual(isSameRelease ? 0 : MOST_ZONES_OF_A_YEAR);
  });

  test("of an instant are read back to an instant with the same wall time, which is between the earliest and the latest one", () => {
    const wrong: string[] = [];
    for (const place of zones.filter((_, at) => at % 8 === 1)) {
      for (let at = first; at < last; at += 9 * DAY + 5_555_555) {
        const wall = instantToLocal(at, place);
        const back = localToInstant(wall, place);
        const { earliest, latest } = wallsAround(at, place);
        const good = back <= at && instantToLocal(back, place) === wall && earliest <= wall && wall <= latest;
        if (!good) wrong.push(`${place.name} ${at}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
