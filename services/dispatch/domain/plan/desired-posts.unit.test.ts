import { expect, test } from "@jest/globals";
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
