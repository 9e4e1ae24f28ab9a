import type { Guard } from "./guard.ts";

const follower = {
  file: "services/dispatch/protocol/follower.ts",
  testFile: "services/dispatch/protocol/follower.unit.test.ts",
};

/** What the reading of changes keeps to; what protects posts is in the simulator's mutants. */
export const DISPATCH_GUARDS: readonly Guard[] = [
  {
    ...follower,
    guard: "the next reading of a feed goes on from where a long one began",
    text: "notAfter(readAt, position)",
    without: "position",
    test: "finds a write that became visible behind them eight seconds after it got its time",
  },
  {
    ...follower,
    guard: "a feed rests after a page",
    text: "if (more) await rest(beganAt, askedAt);",
    without: "",
    test: "leaves others four times as long as each page took",
  },
  {
    ...follower,
    guard: "a feed comes to the end of changes that go on",
    text: "if (now - beganAt < feedEveryMs) ",
    without: "",
    test: "takes no rest any more once the next reading would be due",
  },
];
