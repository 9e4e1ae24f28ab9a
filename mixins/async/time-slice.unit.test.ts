import { expect, test } from "@jest/globals";
import { setTimeout as pause } from "node:timers/promises";
import { TimeSlice } from "./time-slice.ts";

/** Computes for a time without a rest. */
function compute(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

test("a time slice counts the computation, and not the time that it waited", async () => {
  const slices = new TimeSlice();
  await pause(5);
  expect(slices.isOver).toBe(true);
  // The machine may suspend the process at that moment, but not a hundred times.
  const begun = Array.from({ length: 100 }, () => (slices.begin(), slices.isOver));
  expect(begun).toContain(false);
  compute(3);
  expect(slices.isOver).toBe(true);
});

test("the rests of computations follow each other, so that other work runs between any two slices", async () => {
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  const long = async () => {
    const slices = new TimeSlice();
    for (let at = 0; at < 10; at += 1) {
      compute(3);
      if (slices.isOver) await slices.rest();
    }
  };
  await Promise.all([long(), long(), long()]);
  clearInterval(counting);
  expect(turns).toBeGreaterThanOrEqual(10);
});
