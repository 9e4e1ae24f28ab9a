import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyAnnouncement, anyOccurrence } from "../../../../test/conformance/any-plan-input.ts";
import {
  HOUR,
  MINUTE,
  NOON,
  sampleAnnouncement,
  sampleOccurrence,
  samplePlanInput,
} from "../../../../test/fixtures/dispatch-samples.ts";
import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { AnnouncementId, OccurrenceId } from "../../../contracts/ids.ts";
import type { PlanInput } from "./plan-input.ts";
import { firstPositionAt } from "./plan-order.ts";
import { selectSoonest, type Selection } from "./select-soonest.ts";

function padded(prefix: string, at: number): string {
  return `${prefix}${String(at).padStart(4, "0")}`;
}

/** The selection, and the thousands of pairs that were examined for it. */
function select(input: PlanInput, limit: number): { selection: Selection; thousands: number } {
  const selecting = selectSoonest(input, limit);
  for (let thousands = 0; ; thousands += 1) {
    const step = selecting.next();
    if (step.done === true) return { selection: step.value, thousands };
  }
}

const occurrences = Array.from({ length: 2_000 }, (_, at) =>
  sampleOccurrence({
    occurrenceId: padded("o", at) as OccurrenceId,
    startsAt: NOON + 3 * HOUR,
    endsAt: NOON + 4 * HOUR,
  }),
);
function announcements(fields: (at: number) => Partial<Announcement>) {
  return Array.from({ length: 100 }, (_, at) =>
    sampleAnnouncement({ id: padded("a", at) as AnnouncementId, ...fields(at) }),
  );
}

describe("the selection of the soonest posts", () => {
  const limit = 1_000;

  test.each([
    ["announcements in the order of their ids", announcements(() => ({}))],
    ["announcements in the reverse order", announcements(() => ({})).toReversed()],
    ["announcements with longer and longer lead times", announcements((minutes) => ({ minutes }))],
    ["announcements with shorter and shorter lead times", announcements((at) => ({ minutes: 99 - at }))],
  ])("examines a bounded number of pairs at one instant: %s", (_name, rules) => {
    const { selection, thousands } = select(samplePlanInput({ occurrences, announcements: rules }), limit);
    expect(selection.candidates).toHaveLength(limit);
    expect(thousands).toBe((2 * limit) / 1_000);
  });

  test("has the same pairs as without a limit", () => {
    const rules = fc
      .array(anyAnnouncement, { minLength: 1, maxLength: 5 })
      .map((all) => all.map((rule, at) => ({ ...rule, id: padded("a", at) as AnnouncementId })))
      .chain((all) => fc.shuffledSubarray(all, { minLength: all.length }));
    const startsAt = fc.constantFrom(NOON - MINUTE, NOON + HOUR, NOON + 65 * MINUTE);
    const events = fc
      .array(fc.record({ occurrence: anyOccurrence, startsAt }), { maxLength: 12 })
      .map((all) =>
        all.map(({ occurrence, ...times }, at) =>
          sampleOccurrence({
            ...occurrence,
            ...times,
            endsAt: times.startsAt + occurrence.endsAt - occurrence.startsAt,
            occurrenceId: padded("o", at) as OccurrenceId,
          }),
        ),
      )
      .chain((all) => fc.shuffledSubarray(all, { minLength: all.length }));
    const bound = firstPositionAt(NOON + HOUR);
    const bounded = fc.constantFrom(undefined, { end: bound, farthestEnd: bound, recordedThrough: 0 });
    const now = fc.constantFrom(NOON, NOON + 62 * MINUTE);
    const inputs = fc.record({ announcements: rules, occurrences: events, bounded, now });
    fc.assert(
      fc.property(inputs, fc.integer({ min: 1, max: 8 }), (fields, max) => {
        const input = samplePlanInput({ ...fields, start: firstPositionAt(NOON - HOUR) });
        const all = select(input, Infinity).selection.candidates;
        const { candidates, firstOmitted } = select(input, max).selection;
        expect(candidates).toEqual(all.slice(0, max));
        expect(firstOmitted).toEqual(all[max]);
      }),
      { numRuns: 500 },
    );
  });

  test("counts posts that expired at the instant of the limit", () => {
    const startsAt = NOON + HOUR;
    const long = ["o1", "o2", "o3"].map((id) =>
      sampleOccurrence({ occurrenceId: id as OccurrenceId, startsAt, endsAt: startsAt + HOUR }),
    );
    const short = sampleOccurrence({ occurrenceId: "o9" as OccurrenceId, startsAt, endsAt: startsAt + MINUTE });
    const end = firstPositionAt(startsAt);
    const input = samplePlanInput({
      occurrences: [...long, short],
      announcements: [sampleAnnouncement({ minutes: 0, hours: 0 })],
      start: end,
      now: startsAt + 5 * MINUTE,
      bounded: { end, farthestEnd: end, recordedThrough: 0 },
    });
    const { candidates, firstOmitted, expired } = select(input, 1).selection;
    expect([candidates[0]?.occurrenceId, firstOmitted?.occurrenceId]).toEqual(["o1", "o2"]);
    expect(expired.map(({ first, count }) => [first.occurrenceId, count])).toEqual([["o9", 1]]);
  });
});
