import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyByRuleSeries } from "../../../../test/calendar/any-rule.ts";
import { anySeries } from "../../../../test/calendar/any-series.ts";
import { LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import { DAY_MS } from "./civil-days.ts";
import { occurrenceNumber } from "./occurrence-number.ts";
import { occurrencesStarting, type Series } from "./occurrences.ts";
import { UTC } from "../calendar/zone.ts";
import { fullRecurrence } from "./parse-recurrence.ts";

const FOR_ALL_TIME = { from: 0, until: LAST_EPOCH_MS + 1 };

function firstOf(series: Series, limit: number) {
  return occurrencesStarting(series, FOR_ALL_TIME, limit);
}

function daily(more: Partial<Series["recurrence"]> = {}): Series {
  const startsAt = Date.UTC(2026, 0, 1, 12);
  const recurrence = { ...fullRecurrence({ frequency: "DAILY" }), ...more };
  return { startsAt, endsAt: startsAt, recurrence, clock: [{ zone: UTC, since: 0 }] };
}

describe("the number of an occurrence in its series (D61)", () => {
  test("counts the occurrences of any rule in order, whatever was counted before", () => {
    fc.assert(
      fc.property(fc.oneof(anySeries, anyByRuleSeries), fc.array(fc.nat(30)), ({ series }, order) => {
        const { exDates: _, ...recurrence } = series.recurrence;
        const whole = { ...series, recurrence };
        const occurrences = firstOf(whole, 31);
        const places = [...order, ...occurrences.keys()].filter((at) => at < occurrences.length);
        expect(places.map((at) => occurrenceNumber(whole, occurrences[at]!))).toEqual(places.map((at) => at + 1));
      }),
    );
  });

  test("counts cancelled dates and additions, and an addition at a date of the rule once", () => {
    const { startsAt } = daily();
    const dates = { exDates: [startsAt + DAY_MS], rDates: [startsAt + DAY_MS / 2, startsAt + 2 * DAY_MS] };
    const series = daily(dates);
    expect(
      firstOf(series, 4).map((each) => [(each.original - startsAt) / DAY_MS, occurrenceNumber(series, each)]),
    ).toEqual([
      [0, 1],
      [0.5, 2],
      [2, 4],
      [3, 5],
    ]);
  });

  test("is absent from the 10 001st on, so that no read counts longer", () => {
    const series = daily();
    const at = (number: number) => {
      const { startsAt } = series;
      const from = startsAt + (number - 1) * DAY_MS;
      return occurrencesStarting(series, { from, until: from + 1 }, 1)[0]!;
    };
    for (const number of [10_000, 1, 10_000]) expect(occurrenceNumber(series, at(number))).toBe(number);
    for (const number of [10_001, 900_000, 10_002]) expect(occurrenceNumber(series, at(number))).toBeUndefined();
    expect(occurrenceNumber(series, at(9_999))).toBe(9_999);
  });
});
