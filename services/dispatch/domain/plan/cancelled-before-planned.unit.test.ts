import { describe, expect, test } from "@jest/globals";
import type { AnnouncementId, OccurrenceId } from "../../../contracts/ids.ts";
import { type FormerState, selectCancelled } from "./cancelled-before-planned.ts";
import {
  HOUR,
  MINUTE,
  NOON,
  sampleAnnouncement,
  sampleOccurrence,
  sampleTruth,
} from "../../../../test/fixtures/dispatch-samples.ts";
import { runWithoutPauses } from "./time-slices.ts";
import { onePlanned, plan } from "../../../../test/fixtures/plan-samples.ts";
import type { PlanInput } from "./plan-input.ts";

/** An event in an hour that was made a minute ago, and half a minute ago was not there any more. */
const gone = sampleOccurrence({ scheduledAt: NOON - MINUTE, until: NOON - MINUTE / 2 });
const early = sampleAnnouncement({ hours: 2 });

/** The rows that the plan of a sample guild inserts. */
function inserted(former: Partial<FormerState>, truth: Partial<PlanInput> = {}) {
  const now = sampleTruth({ announcements: [early], occurrences: [], ...truth });
  const cancelled = runWithoutPauses(selectCancelled(now, { rules: [], occurrences: [], ...former }, 100));
  return plan({ ...now, cancelled }).inserts;
}

describe("what was due and called off before any plan saw it", () => {
  test("has a row that says so, for each sink that was on", () => {
    const reason = "the event was deleted or moved out of reach";
    const row = { state: "cancelled", reason, dueAt: NOON - MINUTE, settledAt: NOON, round: 1 };
    expect(inserted({ occurrences: [gone] }, { sinks: ["log", "webhook"] })).toMatchObject([
      { ...row, sink: "log" },
      { ...row, sink: "webhook" },
    ]);
    expect(inserted({ occurrences: [gone] }, { sinksEnabledSince: { log: NOON } })).toEqual([]);
  });

  test("is one whose announcement was called off, too", () => {
    const occurrences = [sampleOccurrence({ scheduledAt: NOON - MINUTE })];
    const rules = [{ ...early, until: NOON - MINUTE / 2 }];
    const reasons = (announcements: PlanInput["announcements"]) =>
      inserted({ rules }, { occurrences, announcements }).map(({ state, reason }) => [state, reason]);
    expect(reasons([])).toEqual([["cancelled", "the announcement was deleted"]]);
    expect(reasons([{ ...early, enabled: false }])).toEqual([["cancelled", "the announcement was disabled"]]);
    expect(inserted({ rules, occurrences: [gone] }, { announcements: [] })).toHaveLength(1);
  });

  test("has no second row: not where it was planned, nor where it is asked for again", () => {
    const existing = [onePlanned({ announcements: [early], occurrences: [gone], now: NOON - MINUTE })];
    expect(inserted({ occurrences: [gone] }, { existing })).toEqual([]);
    const again = sampleOccurrence({ scheduledAt: gone.scheduledAt });
    expect(inserted({ occurrences: [gone] }, { occurrences: [again] })).toMatchObject([{ state: "planned" }]);
    expect(inserted({ occurrences: [gone], rules: [{ ...early, until: NOON }] })).toHaveLength(1);
  });

  test.each([
    ["called off before it was due", { occurrences: [{ ...gone, scheduledAt: 0, startsAt: NOON + 2 * HOUR }] }],
    ["made after its own start", { occurrences: [{ ...gone, startsAt: NOON - 2 * MINUTE }] }],
    ["of another event", { rules: [{ ...early, type: "SPECIFIC" as const, eventId: "e9" as never, until: NOON }] }],
  ])("nothing is owed for what was %s", (_, former) => {
    expect(inserted(former, { announcements: [early] })).toEqual([]);
  });

  test("of more than a guild may have, the soonest are told", () => {
    const occurrences = ["e1", "e2", "e3"].map((id, at) =>
      sampleOccurrence({ occurrenceId: id as OccurrenceId, scheduledAt: NOON - MINUTE - at, until: NOON }),
    );
    const rules = [{ ...early, id: "a2" as AnnouncementId, until: NOON }];
    const truth = sampleTruth({ announcements: [early], occurrences: [] });
    const selected = runWithoutPauses(selectCancelled(truth, { rules, occurrences }, 2));
    expect(selected.map(({ occurrenceId }) => occurrenceId)).toEqual(["e3", "e3"]);
  });
});
