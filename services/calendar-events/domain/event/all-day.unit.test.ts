import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyWallStart, DAY, zone, ZONES } from "../../../../test/calendar/any-series.ts";
import { sampleCalendar, sampleId } from "../../../../test/fixtures/feed-samples.ts";
import { paramsCheck } from "../../../../mixins/actions/check-params.ts";
import {
  createEvent,
  type CreateEventParams,
  type UpdateEventParams,
} from "../../../contracts/calendar-events.contract.ts";
import { isRefusal, type Refusal } from "../../../contracts/errors.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import type { Calendar } from "../calendar/calendar.ts";
import { dateOfDay, dayOfDate } from "../calendar/days.ts";
import { instantToLocal, localToInstant } from "../calendar/local-to-instant.ts";
import { occurrencesOverlapping, occurrencesStarting } from "../recurrence/occurrences.ts";
import { changeEvent } from "./change-event.ts";
import { changeOccurrence } from "./change-occurrence.ts";
import { newEvent } from "./create-event.ts";
import { effectiveOccurrence, occurrenceView, singleOccurrence } from "./effective-occurrence.ts";
import { eventView, publicRevision, seriesOf, type StoredEvent } from "./event.ts";

const HOUR = 3_600_000;
const ZONES_WITHOUT_SOME_MIDNIGHTS = ["America/Sao_Paulo", "Asia/Beirut", "America/Havana", "Africa/Cairo"];

/** A calendar that has had the zone since 1970. */
function calendarIn(timezone: string, ...later: { readonly timezone: string; readonly since: number }[]): Calendar {
  const zones = [{ timezone, since: 0 }, ...later];
  const zoneChanges = zones.map(({ timezone: name, since }, at) => ({ version: at + 1, timezone: name, since }));
  return { ...sampleCalendar(), zoneChanges };
}

function created(calendar: Calendar, params: Partial<CreateEventParams>): StoredEvent | Refusal {
  const event = newEvent({ guildId: "1" as GuildId, calendarNumber: 1, ...params }, sampleId(1), calendar);
  return isRefusal(event) ? event : { ...event, scheduledAt: 0, coloredAt: 0 };
}

function allDay(calendar: Calendar, startDate: string, more: Partial<CreateEventParams> = {}): StoredEvent {
  return accepted(created(calendar, { allDay: true, startDate, ...more }));
}

function accepted<Value extends object>(value: Value | Refusal): Exclude<Value, Refusal> {
  if (isRefusal(value)) throw new Error(JSON.stringify(value));
  return value as Exclude<Value, Refusal>;
}

function changed(event: StoredEvent, changes: Partial<UpdateEventParams>, calendar: Calendar) {
  const next = changeEvent(event, changes, calendar);
  return isRefusal(next) ? next : { ...next, event: { ...next.event, scheduledAt: 0, coloredAt: 0 } };
}

/** The fields and codes of a refusal. */
function problemsOf(value: object): string[] {
  if (!isRefusal(value)) return [];
  return (value.problems ?? []).map(({ field, code }) => `${field} ${code}`);
}

function text(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

const berlin = calendarIn("Europe/Berlin");

describe("an all-day event (D50)", () => {
  test.each([
    ["2026-11-25", "2026-11-24T23:00", 24],
    ["2026-03-29", "2026-03-28T23:00", 23],
    ["2026-10-25", "2026-10-24T22:00", 25],
  ])("on %s in Berlin starts at %s and has %i hours", (startDate, start, hours) => {
    const { startsAt, endsAt } = singleOccurrence(allDay(berlin, startDate), berlin);
    expect(text(startsAt)).toBe(start);
    expect(endsAt - startsAt).toBe(hours * HOUR);
  });

  test.each([
    ["America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00"],
    ["Asia/Beirut", "2024-03-31", "2024-03-30T22:00"],
  ])(
    "in %s on %s, whose midnight does not exist, starts when the day begins, and has 23 hours",
    (name, date, start) => {
      const calendar = calendarIn(name);
      const { startsAt, endsAt } = singleOccurrence(allDay(calendar, date), calendar);
      expect(text(startsAt)).toBe(start);
      expect(endsAt - startsAt).toBe(23 * HOUR);
      expect(new Date(instantToLocal(startsAt, zone(name))).getUTCHours()).toBe(1);
      const before = singleOccurrence(allDay(calendar, dateOfDay(dayOfDate(date) - 1)), calendar);
      expect(before.endsAt).toBe(startsAt);
    },
  );

  test("shows its dates beside the instants, with an end that is not included", () => {
    const view = eventView(allDay(berlin, "2026-11-25", { endDate: "2026-11-28" }), berlin);
    expect(view).toMatchObject({ allDay: true, startDate: "2026-11-25", endDate: "2026-11-28" });
    expect(view.endsAt - view.startsAt).toBe(3 * DAY);
    const timed = accepted(created(berlin, { startsAt: 0, endsAt: DAY }));
    expect(Object.keys(eventView(timed, berlin))).toEqual([
      "eventId",
      "startsAt",
      "endsAt",
      "isParent",
      "color",
      "recurs",
    ]);
  });

  test.each([
    ["2026-02-30", 1],
    ["1969-12-31", 1],
    ["2026-13-01", 1],
    ["2026-2-1", 1],
    ["9999-12-31", 0],
    ["2024-02-29", 0],
  ])("has only dates that exist, since 1970: %s has %i problems", (startDate, count) => {
    const params = { guildId: "1", calendarNumber: 1, allDay: true, startDate };
    expect(paramsCheck(createEvent)(params)).toHaveLength(count);
  });

  test("moves to the midnights of a new zone of its calendar unless it has started, with a new revision", () => {
    const since = Date.parse("2026-11-25T12:00Z");
    const later = calendarIn("Europe/Berlin", { timezone: "Asia/Tokyo", since });
    const [started, ahead] = [allDay(berlin, "2026-11-25"), allDay(berlin, "2026-11-27")];
    expect(text(singleOccurrence(started, later).startsAt)).toBe("2026-11-24T23:00");
    expect(text(singleOccurrence(ahead, later).startsAt)).toBe("2026-11-26T15:00");
    expect(text(singleOccurrence(ahead, later).endsAt)).toBe("2026-11-27T15:00");
    expect(singleOccurrence(ahead, later).movedAt).toBe(since);
    expect(eventView(ahead, later)).toMatchObject({ startDate: "2026-11-27" });
    expect(publicRevision(ahead, later)).not.toBe(publicRevision(ahead, berlin));
  });

  test.each([
    [{ allDay: true }, ["startDate REQUIRED"]],
    [{ startDate: "2026-11-25", startsAt: 0, endsAt: 0 }, ["allDay CONFLICTING"]],
    [{ allDay: true, startDate: "2026-11-25", endDate: "2026-11-25" }, ["endDate OUT_OF_RANGE"]],
    [{ startsAt: 0 }, ["endsAt REQUIRED"]],
    [{}, ["startsAt REQUIRED", "endsAt REQUIRED"]],
  ])("is refused by field without a start date, and dates without all_day: %j", (fields, problems) => {
    const found = paramsCheck(createEvent)({ guildId: "1", calendarNumber: 1, ...fields });
    expect(found.map(({ field, code }) => `${field} ${code}`)).toEqual(problems);
  });

  test.each([
    [{ startDate: "2026-11-25", endDate: "2026-11-25" }, ["startDate OUT_OF_RANGE"]],
    [{ startDate: "9999-12-31" }, ["startDate OUT_OF_RANGE"]],
    [{ startDate: "1970-01-01" }, ["startDate OUT_OF_RANGE"]],
    [{ startDate: "2026-11-25", startsAt: 0, endsAt: 1 }, ["startsAt CONFLICTING", "endsAt CONFLICTING"]],
    [{ startDate: "2026-11-25", startsAt: Date.parse("2026-11-24T23:00Z") }, []],
  ])("refuses dates out of range, and instants that are not its midnights: %j", (fields, problems) => {
    expect(problemsOf(created(berlin, { allDay: true, ...fields }))).toEqual(problems);
  });

  test.each<[Partial<UpdateEventParams>, string[]]>([
    [{ startsAt: 5 }, ["startsAt CONFLICTING"]],
    [{ startDate: "2026-11-26" }, ["startDate OUT_OF_RANGE"]],
    [{ endDate: "2026-11-24" }, ["endDate OUT_OF_RANGE"]],
    [{ allDay: true, endDate: "2026-11-27" }, []],
    [{ startsAt: Date.parse("2026-11-24T23:00Z"), name: "sent back" }, []],
    [{ allDay: false, startsAt: 5, endsAt: 4 }, ["startsAt OUT_OF_RANGE"]],
    [{ allDay: false, startsAt: 5 }, []],
  ])("is changed by dates, or by times together with all_day false: %j", (changes, problems) => {
    expect(problemsOf(changed(allDay(berlin, "2026-11-25"), changes, berlin))).toEqual(problems);
  });

  test("becomes an event with times and back; a date of an event with times is refused", () => {
    const event = allDay(berlin, "2026-11-25");
    const timed = accepted(changed(event, { allDay: false, startsAt: 5, endsAt: 9 }, berlin));
    expect(eventView(timed.event, berlin)).toMatchObject({ startsAt: 5, endsAt: 9 });
    expect(eventView(timed.event, berlin)).not.toHaveProperty("allDay");
    expect(timed.rescheduled).toBe(true);
    expect(problemsOf(changed(timed.event, { startDate: "2026-11-25" }, berlin))).toEqual(["startDate CONFLICTING"]);
    expect(problemsOf(changed(timed.event, { allDay: true }, berlin))).toEqual(["startDate REQUIRED"]);
    const back = accepted(changed(timed.event, { allDay: true, startDate: "2026-11-25" }, berlin));
    expect(eventView(back.event, berlin)).toEqual(eventView(event, berlin));
    const kept = accepted(changed(event, { allDay: false }, berlin));
    expect(kept.event).toMatchObject({ startsAt: event.startsAt, endsAt: event.endsAt });
  });

  test("is not rescheduled by another end, or by its own dates", () => {
    const event = allDay(berlin, "2026-11-25");
    expect(changed(event, { endDate: "2026-11-29" }, berlin)).toMatchObject({ rescheduled: false });
    expect(changed(event, { startDate: "2026-11-25" }, berlin)).toMatchObject({ rescheduled: false });
    expect(changed(event, { startDate: "2026-11-24" }, berlin)).toMatchObject({ rescheduled: true });
  });
});

const DAILY = { recurs: true, recurrence: { frequency: "DAILY" } } as const;

describe("a series of all-day events (D50)", () => {
  test("has an occurrence from midnight to midnight on each day, in every zone and across clock changes", () => {
    const anyZone = fc.constantFrom(...ZONES, ...ZONES_WITHOUT_SOME_MIDNIGHTS);
    fc.assert(
      fc.property(anyZone, anyWallStart, fc.integer({ min: 1, max: 4 }), (name, wall, length) => {
        const calendar = calendarIn(name);
        const first = Math.max(2, Math.floor(wall / DAY));
        const dates = { endDate: dateOfDay(first + length) };
        const event = allDay(calendar, dateOfDay(first), { ...DAILY, ...dates });
        const series = seriesOf(event, calendar);
        if (series === undefined) throw new Error("no series");
        const found = occurrencesStarting(series, { from: 0, until: Infinity }, 200);
        for (const [at, { startsAt, endsAt, wall: midnight }] of found.entries()) {
          expect(midnight).toBe((first + at) * DAY);
          expect(startsAt).toBe(localToInstant(midnight, zone(name)));
          expect(endsAt).toBe(localToInstant((first + at + length) * DAY, zone(name)));
        }
        const last = found.at(-1);
        if (last === undefined || last.endsAt === last.startsAt) return;
        const atEnd = { from: last.endsAt - 1, until: last.endsAt };
        expect(occurrencesOverlapping(series, atEnd, 9).map(({ startsAt }) => startsAt)).toContain(last.startsAt);
      }),
      { numRuns: 40, examples: [["America/Sao_Paulo", Date.UTC(2018, 10, 4), 1]] },
    );
  });

  test("has its last occurrence before the year 10000, in zones on both sides of UTC", () => {
    for (const name of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
      const calendar = calendarIn(name);
      const event = allDay(calendar, "9999-12-27", DAILY);
      const views = viewsOf(event, calendar);
      expect(views.every(({ endDate = "" }) => endDate.length === 10)).toBe(true);
      expect(views.at(-1)?.endDate).toBe("9999-12-31");
    }
  });

  test("shows the dates of each occurrence, also of one that a new zone moved", () => {
    const since = Date.parse("2026-11-25T12:00Z");
    const later = calendarIn("Europe/Berlin", { timezone: "America/New_York", since });
    const event = allDay(berlin, "2026-11-25", { recurs: true, recurrence: { frequency: "DAILY", count: 3 } });
    expect(viewsOf(event, later).map(({ startDate, startsAt }) => `${startDate} ${text(startsAt)}`)).toEqual([
      "2026-11-25 2026-11-24T23:00",
      "2026-11-26 2026-11-26T05:00",
      "2026-11-27 2026-11-27T05:00",
    ]);
  });

  test("follows a rule by its date, and refuses additions that are not midnights", () => {
    const monthly = { frequency: "MONTHLY", byDay: ["-1FR"], count: 3 } as const;
    const event = allDay(berlin, "2026-02-27", { recurs: true, recurrence: monthly });
    expect(viewsOf(event, berlin).map(({ startDate }) => startDate)).toEqual([
      "2026-02-27",
      "2026-03-27",
      "2026-04-24",
    ]);
    const added = (at: string) =>
      created(berlin, {
        allDay: true,
        startDate: "2026-02-26",
        recurs: true,
        recurrence: { frequency: "DAILY", count: 2, rDates: [Date.parse(at)] },
      });
    expect(problemsOf(added("2026-03-05T12:00Z"))).toEqual(["recurrence.rDates[0] MALFORMED"]);
    const withAddition = accepted(added("2026-03-29T22:00Z"));
    expect(viewsOf(withAddition, berlin).at(-1)).toMatchObject({ startDate: "2026-03-30", endDate: "2026-03-31" });
    const startsOff = { allDay: true, startDate: "2026-02-26", recurs: true, recurrence: monthly };
    expect(problemsOf(created(berlin, startsOff))).toEqual(["startDate CONFLICTING"]);
  });

  test("has single occurrences that are moved to other dates or to times, and occurrences with times get dates", () => {
    const event = allDay(berlin, "2026-11-25", DAILY);
    const [occurrence] = effectiveOf(event, berlin);
    if (occurrence?.ruleOccurrence === undefined) throw new Error("no occurrence");
    const { original } = occurrence.ruleOccurrence;
    const moves = [
      [
        { startDate: "2026-12-24", endDate: "2026-12-26" },
        { startDate: "2026-12-24", endDate: "2026-12-26" },
      ],
      [
        { allDay: false, startsAt: 5 * DAY, endsAt: 6 * DAY },
        { startsAt: 5 * DAY, endsAt: 6 * DAY },
      ],
    ] as const;
    for (const [changes, shown] of moves) {
      const { override } = accepted(changeOccurrence(occurrence, original, changes, berlin));
      const moved = effectiveOccurrence(event, occurrence.ruleOccurrence, override, berlin);
      if (moved === undefined) throw new Error("no occurrence");
      expect(occurrenceView(moved)).toMatchObject(shown);
      expect("startDate" in occurrenceView(moved)).toBe("startDate" in shown);
    }
    const named = accepted(changeOccurrence(occurrence, original, { name: "own" }, berlin));
    expect(named).toMatchObject({ rescheduled: false, override: { texts: { name: "own" } } });
    expect(named.override).not.toHaveProperty("moved");
    expect(problemsOf(changeOccurrence(occurrence, original, { startsAt: 5 }, berlin))).toEqual([
      "startsAt CONFLICTING",
    ]);
  });
});

function effectiveOf(event: StoredEvent, calendar: Calendar) {
  const series = seriesOf(event, calendar);
  if (series === undefined) throw new Error("no series");
  const found = occurrencesStarting(series, { from: 0, until: Infinity }, 20);
  return found.flatMap((each) => effectiveOccurrence(event, each, undefined, calendar) ?? []);
}

function viewsOf(event: StoredEvent, calendar: Calendar) {
  return effectiveOf(event, calendar).map((each) => occurrenceView(each));
}
