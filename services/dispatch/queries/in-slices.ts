import { setImmediate as turn } from "node:timers/promises";
import { TimeSlice } from "../../../mixins/async/time-slice.ts";

/**
 * Runs a generator to its end in slices of time, between which the event loop runs all other work that is ready. Unlike a list,
 * which many clients request, it does not rest: the gateway limits concurrent requests of this kind.
 */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  const slices = new TimeSlice();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (!slices.isOver) continue;
    // Sequential on purpose: the next slice begins after the other work.
    await turn();
    slices.begin();
  }
}
