import type { TestedGuard } from "./guard.ts";

const PAGES = {
  file: "services/dispatch/protocol/planning/page-planner.ts",
  in: "newPagePlanner",
  testFile: "services/dispatch/protocol/planning/page-planner.unit.test.ts",
} as const;

const SWEEP = {
  file: "services/dispatch/protocol/planning/sweep.ts",
  in: "newSweep",
  testFile: "services/dispatch/protocol/planning/sweep.unit.test.ts",
} as const;

/** Guards of the plans that several replicas share, and of the sweep. */
export const SHARED_PLANNING_GUARDS: readonly TestedGuard[] = [
  {
    ...PAGES,
    guard: "a replica waits for one that is busy",
    code: "$_ && $_.isBusyBefore($_)",
    without: "false",
    test: "is awaited while the first replica tells of others, and not planned by the other one once it is told",
  },
  {
    ...PAGES,
    guard: "a replica does not wait without end for one that is busy",
    code: "$_.now() < $_ && !$LIFECYCLE.isStopping",
    without: "!$LIFECYCLE.isStopping",
    test: "is planned by the other one if the first tells of others for half a minute",
  },
  {
    guard: "a replica does not wait for one that tells nothing",
    file: "services/dispatch/protocol/planning/planning-shares.ts",
    in: "newPlanningShares",
    code: "($_.get($_) ?? -Infinity) >= $_",
    without: "true",
    testFile: "services/dispatch/protocol/planning/page-planner.unit.test.ts",
    test: "is planned by the other one if the first has become silent",
  },
  {
    guard: "a replica that joins is told what the others have planned",
    file: "services/dispatch/protocol/planning/planning-shares.ts",
    in: "replicas",
    code: "if ($$$) $_();",
    without: "",
    testFile: "services/dispatch/protocol/dispatcher.unit.test.ts",
    test: "is told to a replica that joins after it was planned",
  },
  {
    guard: "a plan that begins as early as that of a replica counts for a change before it",
    file: "services/dispatch/protocol/planning/planned-changes.ts",
    in: "isIncluded",
    code: "Math.max($CHANGE.changedAt, $_)",
    without: "$CHANGE.changedAt",
    testFile: "services/dispatch/protocol/planning/page-planner.unit.test.ts",
    test: "is not planned by the other one after an older change, if it was told of as early a plan",
  },
  {
    ...PAGES,
    guard: "a replica that takes over plans only guilds that need a plan",
    code: "return await $_($CHANGES);",
    without: "return $CHANGES.map((each) => each.guildId);",
    test: "that nobody has planned is not planned by the other one if it needs no plan",
  },
  {
    guard: "each step of an iteration of the store has a time limit",
    file: "mixins/async/timeout.ts",
    in: "withStepTimeouts",
    code: "await $_($_, $_, $ITERATOR.next())",
    without: "await $ITERATOR.next()",
    testFile: "mixins/async/timeout.unit.test.ts",
    test: "each step of an iteration has the limit, and the iteration ends with its caller's",
  },
  {
    ...SWEEP,
    guard: "a replica plans its own guilds first",
    code: "$_.rank($_) === 0",
    without: "true",
    test: "is planned after the own guilds, if it was due a sweep before for each rank",
  },
  {
    ...SWEEP,
    guard: "a replica leaves guilds of others that have become due a short time before",
    code: "$_ > 0 && $_ + $_ * $_ <= $_",
    without: "true",
    test: "is left to that one otherwise",
  },
  {
    ...SWEEP,
    guard: "a sweep plans some guilds at a time",
    code: "await $_.wait();",
    without: "",
    test: "a sweep plans every due guild, some at a time",
  },
  {
    ...SWEEP,
    guard: "guilds that are held back keep no others waiting",
    code: "Promise.race([$PLANNED, $_])",
    without: "$PLANNED",
    test: "guilds that are held back keep no others waiting",
  },
];
