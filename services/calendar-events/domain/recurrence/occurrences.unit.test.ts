import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anySeriesAndWindow, anySeries, DAY, zone, ZONES } from "../../../../test/calendar/any-series.ts";
import { EVENT_OR_OCCURRENCE_ID, type EventId, LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import { instantToLocal, localToInstant } from "../calendar/local-to-instant.ts";
import { occurrenceId, parseEventId } from "../event/occurrence-id.ts";
import {
  ruleOccurrenceAt,
  occurrencesStarting,
  occurrencesOverlapping,
  hasSecondOccurrence,
  seriesEnd,
  type Series,
  type RuleOccurrence,
} from "./occurrences.ts";
import { overlaps } from "../event/window.ts";

const HOUR = 3_600_000;
const LIMIT = 1_000_000;
const eventId = `e${"7".repeat(25)}` as EventId;

function series(zoneName: string, startsAt: string, recurrence: Partial<Series["recurrence"]>): Series {
  const start = Date.parse(startsAt);
  const rule = { frequency: "DAILY", count: -1, interval: 1, ...recurrence } as const;
  return { startsAt: start, endsAt: start + HOUR, recurrence: rule, clock: [{ zone: zone(zoneName), since: 0 }] };
}

/** The occurrence as the second era of the clock moves it, computed separately. */
function movedTo(ruleOccurrence: RuleOccurrence, { clock, endsAt, startsAt }: Series): RuleOccurrence {
  const [{ zone: first }, second] = clock;
  if (second === undefined || ruleOccurrence.original < second.since) return ruleOccurrence;
  const at = localToInstant(instantToLocal(ruleOccurrence.original, first), second.zone);
  return { ...ruleOccurrence, startsAt: at, endsAt: at + endsAt - startsAt, movedAt: second.since };
}

function starts(of: Series, limit = 10): string[] {
  const ruleOccurrences = occurrencesStarting(of, { from: of.startsAt, until: LAST_EPOCH_MS }, limit);
  return ruleOccurrences.map(({ startsAt }) => new Date(startsAt).toISOString().slice(0, 16));
}

describe("occurrences (D16)", () => {
  test("20:00 in New York stays 20:00 across both clock changes", () => {
    const weekly = series("America/New_York", "2024-03-04T01:00Z", { frequency: "WEEKLY" });
    expect(starts(weekly, 3)).toEqual(["2024-03-04T01:00", "2024-03-11T00:00", "2024-03-18T00:00"]);
    const autumn = series("America/New_York", "2024-10-28T00:00Z", { frequency: "WEEKLY" });
    expect(starts(autumn, 3)).toEqual(["2024-10-28T00:00", "2024-11-04T01:00", "2024-11-11T01:00"]);
  });

  test("a time in the gap of a clock change moves forward by the gap, only on that day", () => {
    const daily = series("America/New_York", "2024-03-09T07:30Z", {});
    expect(starts(daily, 3)).toEqual(["2024-03-09T07:30", "2024-03-10T07:30", "2024-03-11T06:30"]);
  });

  test("a time that occurs twice means the earlier instant, except for a start that was given as the later one", () => {
    const daily = series("America/New_York", "2024-11-02T05:30Z", {});
    expect(starts(daily, 3)).toEqual(["2024-11-02T05:30", "2024-11-03T05:30", "2024-11-04T06:30"]);
    const later = series("America/New_York", "2024-11-03T06:30Z", { frequency: "YEARLY" });
    expect(starts(later, 2)).toEqual(["2024-11-03T06:30", "2025-11-03T06:30"]);
  });

  test("the 31st is skipped in months without it, and a skipped date does not count", () => {
    const monthly = series("UTC", "2024-01-31T00:00Z", { frequency: "MONTHLY", count: 4 });
    expect(starts(monthly).map((at) => at.slice(0, 10))).toEqual([
      "2024-01-31",
      "2024-03-31",
      "2024-05-31",
      "2024-07-31",
    ]);
  });

  test("29 February recurs only in leap years, and 2100 is not one", () => {
    const yearly = series("UTC", "2092-02-29T00:00Z", { frequency: "YEARLY", count: 3 });
    expect(starts(yearly).map((at) => at.slice(0, 4))).toEqual(["2092", "2096", "2104"]);
  });

  test("the occurrence of a day that a zone skipped falls on the next day, once", () => {
    const daily = series("Pacific/Apia", "2011-12-29T20:00Z", {});
    const days = starts(daily, 4);
    expect(new Set(days).size).toBe(4);
    expect(days.toSorted()).toEqual(days);
    const counted = series("Pacific/Apia", "2011-12-29T20:00Z", { count: 4 });
    expect(starts(counted)).toEqual(["2011-12-29T20:00", "2011-12-30T20:00", "2011-12-31T20:00"]);
  });

  test("no occurrence ends after the last instant, and a rule without a second occurrence before it does not recur", () => {
    const daily = series("Pacific/Kiritimati", "9999-12-29T22:00Z", {});
    expect(starts(daily)).toEqual(["9999-12-29T22:00", "9999-12-30T22:00", "9999-12-31T22:00"]);
    expect(starts({ ...daily, endsAt: daily.startsAt + 2 * DAY })).toEqual(["9999-12-29T22:00"]);
    expect(hasSecondOccurrence(series("UTC", "9999-12-31T22:00Z", {}))).toBe(false);
    expect(hasSecondOccurrence({ ...daily, endsAt: LAST_EPOCH_MS })).toBe(false);
    expect(hasSecondOccurrence(daily)).toBe(true);
  });

  test("a series with a count ends with its last occurrence, and an endless one has no end", () => {
    fc.assert(
      fc.property(anySeries, ({ series: any }) => {
        const all = any.recurrence.count === -1 ? [] : occurrencesOverlapping(any, { from: 0, until: 4e14 }, LIMIT);
        // Some series would continue beyond the last instant.
        fc.pre((all.at(-1)?.endsAt ?? 0) < Date.UTC(9000, 0, 1));
        expect([seriesEnd(any), all.length]).toEqual([all.at(-1)?.endsAt, Math.max(0, any.recurrence.count)]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("laws of windows", () => {
  test("a window has exactly the occurrences that overlap it, out of all occurrences", () => {
    fc.assert(
      fc.property(anySeriesAndWindow, ({ series: any, window }) => {
        const before = { from: any.startsAt, until: window.until };
        const all = occurrencesStarting(any, before, LIMIT).filter((ruleOccurrence) =>
          overlaps(ruleOccurrence, window),
        );
        expect(occurrencesOverlapping(any, window, LIMIT)).toEqual(all);
      }),
      { numRuns: 1000 },
    );
  });

  test("two adjacent windows have the same starts as the whole, in order, each once", () => {
    fc.assert(
      fc.property(anySeriesAndWindow, fc.double({ min: 0, max: 1, noNaN: true }), ({ series: any, window }, share) => {
        const cut = Math.floor(window.from + (window.until - window.from) * share);
        const whole = occurrencesStarting(any, window, LIMIT);
        const halves = [
          ...occurrencesStarting(any, { ...window, until: cut }, LIMIT),
          ...occurrencesStarting(any, { ...window, from: cut }, LIMIT),
        ];
        expect(halves).toEqual(whole);
        const originals = whole.map(({ original }) => original);
        expect(originals).toEqual([...new Set(originals)].toSorted((a, b) => a - b));
      }),
      { numRuns: 1000 },
    );
  });

  test("each occurrence is found by its original start, and no other instant finds one", () => {
    fc.assert(
      fc.property(anySeriesAndWindow, (look) => {
        const ruleOccurrences = occurrencesOverlapping(look.series, look.window, 50);
        for (const ruleOccurrence of ruleOccurrences) {
          const id = occurrenceId(eventId, ruleOccurrence.original);
          expect(id).toMatch(EVENT_OR_OCCURRENCE_ID);
          expect(parseEventId(id)).toEqual({ eventId, original: ruleOccurrence.original });
          expect(ruleOccurrenceAt(look.series, ruleOccurrence.original)).toEqual(ruleOccurrence);
          expect(ruleOccurrenceAt(look.series, ruleOccurrence.original + 1)).toBeUndefined();
        }
      }),
      { numRuns: 500 },
    );
  });

  test("a change of the zone moves future occurrences to the same wall time, and windows find them there", () => {
    const anyChange = fc.record({ days: fc.integer({ min: -400, max: 3000 }), name: fc.constantFrom(...ZONES) });
    fc.assert(
      fc.property(anySeriesAndWindow, anyChange, ({ series: any, wall, window }, { days, name }) => {
        const since = any.startsAt + days * DAY;
        const moved: Series = { ...any, clock: [any.clock[0], { zone: zone(name), since }] };
        const wide = { from: any.startsAt - 2 * DAY, until: window.until + 2 * DAY };
        const ruleOccurrences = occurrencesStarting(any, wide, LIMIT);
        // This check can read only the clock, which does not show the wall time of the rule in a gap.
        const inGap = ({ original }: RuleOccurrence) =>
          (instantToLocal(original, any.clock[0].zone) - wall) % DAY !== 0;
        fc.pre(!ruleOccurrences.some(inGap));
        const all = ruleOccurrences.map((ruleOccurrence) => movedTo(ruleOccurrence, moved));
        expect(occurrencesOverlapping(moved, window, LIMIT)).toEqual(
          all.filter((ruleOccurrence) => overlaps(ruleOccurrence, window)),
        );
      }),
      { numRuns: 1000 },
    );
  });

  test("a limit is the only reason for which a list is cut", () => {
    const daily = series("UTC", "2024-01-01T00:00Z", {});
    expect(occurrencesOverlapping(daily, { from: daily.startsAt, until: daily.startsAt + 99 * DAY }, 7)).toHaveLength(
      7,
    );
  });
});

describe("ids of occurrences (D12)", () => {
  test("show milliseconds only if they are not 0", () => {
    expect(occurrenceId(eventId, Date.UTC(2024, 1, 29, 20))).toBe(`${eventId}_20240229T200000Z`);
    expect(occurrenceId(eventId, Date.UTC(2024, 1, 29, 20) + 5)).toBe(`${eventId}_20240229T200000005Z`);
  });

  test.each(["", "x", `${eventId}_`, `${eventId}_20240230T200000Z`, `${eventId}_20240229T200000000Z`, `${eventId}0`])(
    "%p is not an id",
    (text) => {
      expect(parseEventId(text)).toBeUndefined();
    },
  );
});
