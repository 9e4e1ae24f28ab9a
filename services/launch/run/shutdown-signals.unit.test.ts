import { expect, test } from "@jest/globals";
import { isSecondInterrupt } from "./shutdown-signals.ts";

test("one press of Ctrl-C, which npm hands on a moment later, is not taken for two", () => {
  expect([0, 1, 50, 500].map((later) => isSecondInterrupt(1_000, 1_000 + later))).toEqual([false, false, false, false]);
});

test("a second press of Ctrl-C ends the process without waiting for what is under way", () => {
  expect([501, 1_000, 60_000].map((later) => isSecondInterrupt(1_000, 1_000 + later))).toEqual([true, true, true]);
});
