import { expect, test } from "@jest/globals";
import { isSecondInterrupt } from "./shutdown-signals.ts";

test("one Ctrl-C, which npm forwards a moment later, does not count twice", () => {
  expect([0, 1, 50, 500].map((later) => isSecondInterrupt(1_000, 1_000 + later))).toEqual([false, false, false, false]);
});

test("a second Ctrl-C ends the process without draining", () => {
  expect([501, 1_000, 60_000].map((later) => isSecondInterrupt(1_000, 1_000 + later))).toEqual([true, true, true]);
});
