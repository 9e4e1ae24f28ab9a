import { describe, expect, test } from "@jest/globals";
import type { AnnouncementId, OccurrenceId } from "../../../contracts/ids.ts";
import { type FormerState, selectCancelled } from "./cancelled-before-planned.ts";
import {
  HOUR,
  MINUTE,
  NOON,
  sampleAnnouncement,
  sampleOccurrence,
  samplePlanInput,
} from "../../../../test/fixtures/dispatch-samples.ts";
import { runWithoutPauses } from "./time-slices.ts";
import { onePlanned, plan } from "../../../../test/fixtures/plan-samples.ts";
import type { PlanInput } from "./plan-input.ts";

/** An event in an hour that was created a minute ago and removed half a minute ago. */
const removedEvent = sampleOccurrence({ scheduledAt: NOON - MINUTE, until: NOON - MINUTE / 2 });
const early = sampleAnnouncement({ hours: 2 });

/** The rows that the plan of a sample guild inserts. */
function inserted(former: Partial<FormerState>, input: Partial<PlanInput> = {}) {
  const now = samplePlanInput({ announcements: [early], occurrences: [], ...input });
  const cancelled = runWithoutPauses(selectCancelled(now, { rules: [], occurrences: [], ...former }, 100));
  return plan({ ...now, cancelled }).inserts;
}

describe("a post that was due and cancelled before any plan", () => {
  test("has a cancelled row for each sink that was enabled", () => {
    const reason = "the event was deleted or moved out of reach";
    const row = { state: "cancelled", reason, dueAt: NOON - MINUTE, settledAt: NOON, round: 1 };
    expect(inserted({ occurrences: [removedEvent] }, { sinks: ["log", "webhook"] })).toMatchObject([
      { ...row, sink: "log" },
      { ...row, sink: "webhook" },
    ]);
    expect(inserted({ occurrences: [removedEvent] }, { sinksEnabledSince: { log: NOON } })).toEqual([]);
  });

  test("has a row if its announcement was removed or disabled", () => {
    const occurrences = [sampleOccurrence({ scheduledAt: NOON - MINUTE })];
    const rules = [{ ...early, until: NOON - MINUTE / 2 }];
    const reasons = (announcements: PlanInput["announcements"]) =>
      inserted({ rules }, { occurrences, announcements }).map(({ state, reason }) => [state, reason]);
    expect(reasons([])).toEqual([["cancelled", "the announcement was deleted"]]);
    expect(reasons([{ ...early, enabled: false }])).toEqual([["cancelled", "the announcement was disabled"]]);
    expect(inserted({ rules, occurrences: [removedEvent] }, { announcements: [] })).toHaveLength(1);
  });

  test("has no row by its creation, if the event got its start after the announcement was disabled", () => {
    const offsets = [{ anchor: "CREATED", minutes: 0 }] as const;
    const created = sampleAnnouncement({ offsets, enabled: false });
    const rules = [{ ...created, enabled: true, until: NOON - MINUTE / 2 }];
    const rowsOf = (scheduledAt: number) =>
      inserted(
        { rules },
        { occurrences: [sampleOccurrence({ createdAt: NOON - MINUTE, scheduledAt })], announcements: [created] },
      );
    expect(rowsOf(NOON - MINUTE)).toMatchObject([{ state: "cancelled", dueAt: NOON - MINUTE }]);
    expect(rowsOf(NOON)).toEqual([]);
  });

  test("has no second row if it was planned before or is desired again", () => {
    const existing = [onePlanned({ announcements: [early], occurrences: [removedEvent], now: NOON - MINUTE })];
    expect(inserted({ occurrences: [removedEvent] }, { existing })).toEqual([]);
    const again = sampleOccurrence({ scheduledAt: removedEvent.scheduledAt });
    expect(inserted({ occurrences: [removedEvent] }, { occurrences: [again] })).toMatchObject([{ state: "planned" }]);
    expect(inserted({ occurrences: [removedEvent], rules: [{ ...early, until: NOON }] })).toHaveLength(1);
  });

  test.each([
    ["cancelled before it was due", { occurrences: [{ ...removedEvent, scheduledAt: 0, startsAt: NOON + 2 * HOUR }] }],
    ["created after its own start", { occurrences: [{ ...removedEvent, startsAt: NOON - 2 * MINUTE }] }],
    ["of another event", { rules: [{ ...early, type: "SPECIFIC" as const, eventId: "e9" as never, until: NOON }] }],
  ])("has no row if it was %s", (_, former) => {
    expect(inserted(former, { announcements: [early] })).toEqual([]);
  });

  test("has a row if it is among the soonest up to the limit", () => {
    const occurrences = ["e1", "e2", "e3"].map((id, at) =>
      sampleOccurrence({ occurrenceId: id as OccurrenceId, scheduledAt: NOON - MINUTE - at, until: NOON }),
    );
    const rules = [{ ...early, id: "a2" as AnnouncementId, until: NOON }];
    const input = samplePlanInput({ announcements: [early], occurrences: [] });
    const selected = runWithoutPauses(selectCancelled(input, { rules, occurrences }, 2));
    expect(selected.map(({ occurrenceId }) => occurrenceId)).toEqual(["e3", "e3"]);
  });
});
