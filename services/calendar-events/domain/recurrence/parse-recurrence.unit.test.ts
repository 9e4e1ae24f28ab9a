import { describe, expect, test } from "@jest/globals";
import { zone } from "../../../../test/calendar/any-series.ts";
import { isRefusal, type Refusal } from "../../../contracts/errors.ts";
import type { RecurrenceInput } from "../../../contracts/recurrence.ts";
import { parseRecurrence, recurrenceView, sameRecurrence } from "./parse-recurrence.ts";

const newYork = zone("America/New_York");

function given(input: RecurrenceInput) {
  const recurrence = parseRecurrence(input, newYork);
  if (isRefusal(recurrence)) throw new Error(JSON.stringify(recurrence.problems));
  return recurrenceView(recurrence);
}

function problemsOf(input: RecurrenceInput): readonly string[] {
  const { problems = [] } = parseRecurrence(input, newYork) as Refusal;
  return problems.map(({ field, code }) => `${field} ${code}`);
}

describe("a recurrence (D15, D45)", () => {
  test("a simple rule is shown without an RRULE text, in whichever form it was given", () => {
    const simple = { frequency: "WEEKLY", count: 3, interval: 2 };
    expect(JSON.stringify(given({ frequency: "WEEKLY", count: 3, interval: 2 }))).toBe(JSON.stringify(simple));
    expect(given({ rrule: "FREQ=WEEKLY;COUNT=3;INTERVAL=2" })).toEqual(simple);
    expect(given({ frequency: "DAILY", byDay: [], exDates: [] })).toEqual({
      frequency: "DAILY",
      count: -1,
      interval: 1,
    });
  });

  test("any other rule is shown in both forms, with its lists sorted and without duplicates", () => {
    const members = {
      frequency: "MONTHLY",
      byDay: ["WE", "2TU", "MO", "+02TU", "-1FR"],
      byMonthDay: [15, -1, 15],
      byMonth: [12, 1],
      bySetPos: [1, -1],
      weekStart: "SU",
      until: Date.UTC(2030, 5, 30, 21, 59, 59),
      interval: 2,
    } as const;
    const canonical = {
      ...members,
      count: -1,
      byDay: ["-1FR", "MO", "WE", "2TU"],
      byMonthDay: [-1, 15],
      byMonth: [1, 12],
      bySetPos: [-1, 1],
      rrule:
        "FREQ=MONTHLY;INTERVAL=2;UNTIL=20300630T215959Z;BYMONTH=1,12;BYMONTHDAY=-1,15;BYDAY=-1FR,MO,WE,2TU;BYSETPOS=-1,1;WKST=SU",
    };
    expect(given(members)).toEqual(canonical);
    expect(given({ rrule: canonical.rrule })).toEqual(canonical);
    expect(given(canonical)).toEqual(canonical);
    expect(given({ rrule: `rrule:${canonical.rrule.toLowerCase()}` })).toEqual(canonical);
  });

  test("EXDATEs and RDATEs are shown beside the text", () => {
    const dates = { exDates: [20, 10, 10], rDates: [30] };
    expect(given({ rrule: "FREQ=DAILY", ...dates })).toEqual({
      frequency: "DAILY",
      count: -1,
      interval: 1,
      exDates: [10, 20],
      rDates: [30],
      rrule: "FREQ=DAILY",
    });
  });

  test("times of day are sets: twice the same hour counts once towards the 24 times of a day", () => {
    const byMinute = Array.from({ length: 24 }, (_, at) => at);
    expect(given({ frequency: "DAILY", byHour: [9, 9], byMinute: byMinute.toReversed() })).toMatchObject({
      byHour: [9],
      byMinute,
      rrule: `FREQ=DAILY;BYHOUR=9;BYMINUTE=${String(byMinute)}`,
    });
    expect(given({ frequency: "DAILY", byHour: [9, 21], bySetPos: [-1] }).rrule).toBe(
      "FREQ=DAILY;BYHOUR=9,21;BYSETPOS=-1",
    );
  });

  test.each([
    ["20300630T120000Z", Date.UTC(2030, 5, 30, 12)],
    ["20300630T120000", Date.UTC(2030, 5, 30, 16)],
    ["20300630", Date.UTC(2030, 6, 1, 3, 59, 59)],
  ])("UNTIL=%s is an instant, a wall time of the zone, or the last second of a day in it", (until, at) => {
    expect(given({ rrule: `FREQ=DAILY;UNTIL=${until}` }).until).toBe(at);
  });

  test("both forms count UNTIL in seconds: milliseconds of the member are no conflict", () => {
    const until = Date.UTC(2030, 5, 30, 12) + 999;
    expect(given({ rrule: "FREQ=DAILY;UNTIL=20300630T120000Z", until }).until).toBe(until);
  });

  test.each<[RecurrenceInput, string[]]>([
    [{ frequency: "DAILY", count: 2, until: 5 }, ["recurrence.until CONFLICTING"]],
    [{ frequency: "WEEKLY", byMonthDay: [1] }, ["recurrence.byMonthDay NOT_ALLOWED"]],
    [{ frequency: "WEEKLY", byDay: ["MO", "1TU"] }, ["recurrence.byDay[1] NOT_ALLOWED"]],
    [{ frequency: "DAILY", byDay: ["-1MO"] }, ["recurrence.byDay[0] NOT_ALLOWED"]],
    [{ frequency: "MONTHLY", byDay: ["6MO"] }, ["recurrence.byDay[0] OUT_OF_RANGE"]],
    [{ frequency: "YEARLY", byDay: ["-6MO"], byMonth: [1] }, ["recurrence.byDay[0] OUT_OF_RANGE"]],
    [{ frequency: "MONTHLY", bySetPos: [1] }, ["recurrence.bySetPos CONFLICTING"]],
    [{ rrule: "FREQ=DAILY;COUNT=2;UNTIL=20300101" }, ["recurrence.rrule CONFLICTING"]],
    [{ rrule: "FREQ=WEEKLY;BYDAY=1MO" }, ["recurrence.rrule NOT_ALLOWED"]],
    [{ rrule: "FREQ=WEEKLY;BYDAY=MO", byDay: ["TU"] }, ["recurrence.byDay CONFLICTING"]],
    [{ rrule: "FREQ=WEEKLY;COUNT=3", count: -1 }, ["recurrence.count CONFLICTING"]],
    [{ rrule: "FREQ=HOURLY" }, ["recurrence.rrule NOT_ALLOWED"]],
    [{ rrule: "FREQ=YEARLY;BYWEEKNO=20" }, ["recurrence.rrule NOT_ALLOWED"]],
    [{ rrule: "FREQ=YEARLY;BYYEARDAY=1" }, ["recurrence.rrule NOT_ALLOWED"]],
    [{ rrule: "FREQ=DAILY;BYHOUR=24" }, ["recurrence.rrule OUT_OF_RANGE"]],
    [{ rrule: "FREQ=DAILY;BYMINUTE=60" }, ["recurrence.rrule OUT_OF_RANGE"]],
    [{ rrule: "FREQ=DAILY;BYSECOND=60" }, ["recurrence.rrule OUT_OF_RANGE"]],
    [{ rrule: "FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0,5,10,15,20,25,30,35,40,45,50,55,59" }, ["recurrence.rrule TOO_MANY"]],
    [{ frequency: "DAILY", byHour: [1, 2, 3, 4, 5], byMinute: [1, 2, 3, 4, 5] }, ["recurrence.byHour TOO_MANY"]],
    [{ frequency: "DAILY", byMinute: Array.from({ length: 25 }, (_, at) => at) }, ["recurrence.byMinute TOO_MANY"]],
    [{ rrule: "FREQ=DAILY;BYHOUR=9", byHour: [10] }, ["recurrence.byHour CONFLICTING"]],
    [{ rrule: "FREQ=DAILY;X-A=1" }, ["recurrence.rrule MALFORMED"]],
    [{ rrule: "FREQ=DAILY;FREQ=DAILY" }, ["recurrence.rrule CONFLICTING"]],
    [{ rrule: "FREQ=DAILY;" }, ["recurrence.rrule MALFORMED"]],
    [{ rrule: "INTERVAL=1" }, ["recurrence.rrule REQUIRED"]],
    [{ rrule: "" }, ["recurrence.rrule MALFORMED"]],
    [{ rrule: "FREQ" }, ["recurrence.rrule MALFORMED"]],
    [{ rrule: "FREQ=DAILY\nEXDATE:20300101" }, ["recurrence.rrule NOT_ALLOWED"]],
    [{ rrule: "FREQ=DAILY;COUNT=0" }, ["recurrence.rrule OUT_OF_RANGE"]],
    [{ rrule: "FREQ=DAILY;COUNT=-1" }, ["recurrence.rrule OUT_OF_RANGE"]],
    [{ rrule: "FREQ=DAILY;INTERVAL=1001" }, ["recurrence.rrule OUT_OF_RANGE"]],
    [{ rrule: "FREQ=DAILY;INTERVAL=1e1" }, ["recurrence.rrule OUT_OF_RANGE"]],
    [{ rrule: "FREQ=DAILY;BYMONTH=0" }, ["recurrence.rrule OUT_OF_RANGE"]],
    [{ rrule: "FREQ=DAILY;BYMONTH=13,1" }, ["recurrence.rrule OUT_OF_RANGE"]],
    [{ rrule: `FREQ=DAILY;BYMONTH=${"1,".repeat(12)}1` }, ["recurrence.rrule TOO_MANY"]],
    [{ rrule: `FREQ=DAILY;BYDAY=${"MO,".repeat(50)}MO` }, ["recurrence.rrule TOO_MANY"]],
    [{ rrule: "FREQ=MONTHLY;BYMONTHDAY=32" }, ["recurrence.rrule OUT_OF_RANGE"]],
    [{ rrule: "FREQ=MONTHLY;BYDAY=54MO" }, ["recurrence.rrule MALFORMED"]],
    [{ rrule: "FREQ=MONTHLY;BYDAY=" }, ["recurrence.rrule MALFORMED"]],
    [{ rrule: "FREQ=WEEKLY;WKST=XX" }, ["recurrence.rrule NOT_ALLOWED"]],
    [{ rrule: "FREQ=DAILY;UNTIL=20300230" }, ["recurrence.rrule MALFORMED"]],
    [{ rrule: "FREQ=DAILY;UNTIL=19690101" }, ["recurrence.rrule MALFORMED"]],
    [{ rrule: "FREQ=DAILY;UNTIL=20300101T250000Z" }, ["recurrence.rrule MALFORMED"]],
    [{ rrule: "FREQ=DAILY;BYMONTH=0;INTERVAL=0" }, ["recurrence.rrule OUT_OF_RANGE", "recurrence.rrule OUT_OF_RANGE"]],
  ])("%j is refused by name", (input, problems) => {
    expect(problemsOf(input)).toEqual(problems);
  });

  test("two recurrences are the same if each member is", () => {
    const one = given({ frequency: "WEEKLY", byDay: ["MO", "WE"] });
    expect(sameRecurrence(one, given({ rrule: "FREQ=WEEKLY;BYDAY=WE,MO" }))).toBe(true);
    expect(sameRecurrence(one, given({ rrule: "FREQ=WEEKLY;BYDAY=WE" }))).toBe(false);
  });
});
