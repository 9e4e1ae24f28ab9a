import { expect, test } from "@jest/globals";
import type { EventId, OccurrenceId } from "../../../contracts/ids.ts";
import { HOUR, MINUTE, NOON, sampleOccurrence } from "../../../../test/fixtures/dispatch-samples.ts";
import { onePlanned, plan, planned } from "../../../../test/fixtures/plan-samples.ts";

test("a post without a row is not planned if it was due before a restore, since it may have been sent", () => {
  const restore = { cause: "RESTORED", from: NOON - HOUR, until: NOON } as const;
  const due = { occurrences: [sampleOccurrence({ startsAt: NOON - MINUTE })] };
  const skipped = { state: "skipped", reason: expect.stringMatching(/^the data were restored from a backup/) };
  expect(plan({ ...due, restore }).inserts).toMatchObject([skipped]);
  expect(plan(due).inserts).toMatchObject([{ state: "planned" }]);
  // The plan changes neither this row nor one that is open or settled since, and the post of an event ahead is planned.
  const nothing = { inserts: [], updates: [], removes: [] };
  expect(plan({ ...due, restore, existing: planned({ ...due, restore }) })).toEqual(nothing);
  for (const state of ["planned", "sending", "sent", "unknown", "missed"] as const) {
    expect(plan({ ...due, restore, existing: [{ ...onePlanned(due), state }] })).toEqual(nothing);
  }
  expect(plan({ restore }).inserts).toMatchObject([{ state: "planned" }]);
});

test("an occurrence that was announced before its series was split is not announced again under its new id (D51)", () => {
  const startsAt = NOON + HOUR;
  const before = { eventId: "e1" as EventId, occurrenceId: "e1_1" as OccurrenceId, recurs: true, startsAt };
  const after = { eventId: "e2" as EventId, occurrenceId: "e2_1" as OccurrenceId, follows: ["e1" as EventId] };
  const row = onePlanned({ occurrences: [sampleOccurrence(before)] });
  const afterSplit = (existing: Partial<typeof row>, more: Partial<Parameters<typeof sampleOccurrence>[0]> = {}) =>
    plan({
      occurrences: [sampleOccurrence({ ...before, ...after, ...more })],
      existing: [{ ...row, ...existing }],
    });
  for (const state of ["sending", "sent", "unknown"] as const) {
    const { inserts, updates } = afterSplit({ state });
    expect(inserts).toMatchObject([{ state: "skipped", reason: "the event had been announced already" }]);
    expect(updates).toEqual([]);
  }
  // A post that was not sent is planned under the new id, and cancelled under the old one.
  expect(afterSplit({})).toMatchObject({
    inserts: [{ occurrenceId: "e2_1", state: "planned" }],
    updates: [{ id: row.id, to: { state: "cancelled", reason: expect.stringMatching(/^the event is in the series/) } }],
  });
  expect(afterSplit({ state: "cancelled" }).inserts).toMatchObject([{ occurrenceId: "e2_1", state: "planned" }]);
  expect(afterSplit({ state: "sent" }, { follows: [] }).inserts).toMatchObject([{ state: "planned" }]);
});
