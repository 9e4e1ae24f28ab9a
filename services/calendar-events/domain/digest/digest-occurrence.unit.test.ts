import { describe, expect, test } from "@jest/globals";
import type { DigestRule } from "../../../contracts/announcement-digests.ts";
import type { AnnouncementId, GuildId } from "../../../contracts/ids.ts";
import type { Calendar } from "../calendar/calendar.ts";
import { digestOn, digestsStarting } from "./digest-occurrence.ts";

const DAILY: DigestRule["digest"] = { calendarNumber: 1, frequency: "DAILY", time: "02:30", days: 1 };

function ruleOf(digest: Partial<DigestRule["digest"]> = {}): DigestRule {
  return { announcementId: "a1" as AnnouncementId, digest: { ...DAILY, ...digest } };
}

/** A calendar that has had time zones since some instants. */
function calendarIn(...zones: readonly (readonly [since: string, timezone: string])[]): Calendar {
  const zoneChanges = zones.map(([since, timezone], at) => ({ version: at + 1, timezone, since: Date.parse(since) }));
  return { guildId: "1" as GuildId, calendarNumber: 1, revision: 1, zoneChanges };
}

function digestsIn(calendar: Calendar, from: string, until: string, digest: Partial<DigestRule["digest"]> = {}) {
  const window = { from: Date.parse(from), until: Date.parse(until) };
  return [...digestsStarting(ruleOf(digest), window, calendar, false)];
}

const iso = (at: number) => new Date(at).toISOString();

describe("the digests of a calendar (D65)", () => {
  test("are due at the wall-clock time of the calendar, from the begin of a window up to its end", () => {
    const berlin = calendarIn(["2000-01-01T00:00:00Z", "Europe/Berlin"]);
    const found = digestsIn(berlin, "2030-01-07T01:30:00Z", "2030-01-09T01:30:00Z");
    expect(found.map(({ startsAt }) => iso(startsAt))).toEqual([
      "2030-01-07T01:30:00.000Z",
      "2030-01-08T01:30:00.000Z",
    ]);
    expect(found[0]).toMatchObject({ occurrenceId: "da1_20300107", timezone: "Europe/Berlin", color: "NONE" });
  });

  test("have the pause of the calendar, also after it was ended (D63)", () => {
    const [from, until] = ["2030-01-07T00:00:00Z", "2030-01-08T00:00:00Z"];
    const running = calendarIn();
    expect(digestsIn(running, from, until)[0]).not.toHaveProperty("calendarPausedUntil");
    expect(digestsIn({ ...running, pausedUntil: 9 }, from, until)).toMatchObject([{ calendarPausedUntil: 9 }]);
    expect(digestsIn({ ...running, pauseEndedAt: 8 }, from, until)).toMatchObject([{ calendarPausedUntil: 8 }]);
  });

  test("are weekly on their weekday, and end with the days that they list", () => {
    const found = digestsIn(calendarIn(), "2030-01-01T00:00:00Z", "2030-01-31T00:00:00Z", {
      frequency: "WEEKLY",
      weekday: "SU",
      days: 7,
    });
    expect(found.map(({ startsAt }) => iso(startsAt).slice(0, 10))).toEqual([
      "2030-01-06",
      "2030-01-13",
      "2030-01-20",
      "2030-01-27",
    ]);
    expect(iso(found[0]!.endsAt)).toBe("2030-01-13T02:30:00.000Z");
  });

  test("move forward by the gap if their time does not exist, and are due once at a time that occurs twice (D16)", () => {
    const berlin = calendarIn(["2000-01-01T00:00:00Z", "Europe/Berlin"]);
    const spring = digestsIn(berlin, "2030-03-31T00:00:00Z", "2030-03-31T12:00:00Z");
    expect(spring.map(({ startsAt }) => iso(startsAt))).toEqual(["2030-03-31T01:30:00.000Z"]);
    const autumn = digestsIn(berlin, "2030-10-26T23:00:00Z", "2030-10-27T12:00:00Z");
    expect(autumn.map(({ startsAt }) => iso(startsAt))).toEqual(["2030-10-27T00:30:00.000Z"]);
  });

  test("are one if the zone skipped a day, whose times are those of the next day (D46)", () => {
    const apia = calendarIn(["2000-01-01T00:00:00Z", "Pacific/Apia"]);
    const found = digestsIn(apia, "2011-12-28T00:00:00Z", "2012-01-02T00:00:00Z");
    const instants = found.map(({ startsAt }) => startsAt);
    expect(new Set(instants).size).toBe(instants.length);
    expect(found.map(({ occurrenceId }) => occurrenceId)).not.toContain("da1_20111230");
  });

  test("move with a new time zone of the calendar if they were not due yet (D41)", () => {
    const calendar = calendarIn(
      ["2000-01-01T00:00:00Z", "Europe/Berlin"],
      ["2030-01-08T12:00:00Z", "America/New_York"],
    );
    const found = digestsIn(calendar, "2030-01-07T00:00:00Z", "2030-01-10T00:00:00Z");
    expect(found.map(({ startsAt }) => iso(startsAt))).toEqual([
      "2030-01-07T01:30:00.000Z",
      "2030-01-08T01:30:00.000Z",
      "2030-01-09T07:30:00.000Z",
    ]);
    expect(found.map(({ scheduledAt }) => iso(scheduledAt).slice(0, 4))).toEqual(["2000", "2000", "2030"]);
  });

  test("exist only on the dates of their rule", () => {
    const weekly = ruleOf({ frequency: "WEEKLY", weekday: "MO" });
    expect(digestOn(weekly, "2030-01-07", calendarIn(), true)).toMatchObject({ calendarName: "Main calendar" });
    expect(digestOn(weekly, "2030-01-08", calendarIn(), true)).toBeUndefined();
  });
});
