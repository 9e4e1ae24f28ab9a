import type { TestedGuard } from "./guard.ts";

/** Guards of how guilds are planned. */
export const PLANNING_GUARDS: readonly TestedGuard[] = [
  {
    guard: "the next hour of a guild with many occurrences is planned at once",
    file: "services/dispatch/protocol/planning/plan-guild.ts",
    in: "withNearEnd",
    code: "$_ ? { ...$PLAN, end: $_ } : $PLAN",
    without: "$PLAN",
    testFile: "services/dispatch/protocol/planning/read-occurrences.unit.test.ts",
    test: "has all posts of the next hour, in as many plans as it takes",
  },
  {
    guard: "of a guild with many occurrences what changed lately is read apart",
    file: "services/dispatch/protocol/planning/read-occurrences.ts",
    in: "readByDueTime",
    code: "$FROM <= $_ && $_.until > $FROM",
    without: "false",
    testFile: "services/dispatch/protocol/planning/read-occurrences.unit.test.ts",
    test: "has a post at once for an event that was created after its due instant",
  },
  {
    guard: "what was not read is accounted for once",
    file: "services/dispatch/domain/plan/missed-unread.ts",
    in: "missedUnread",
    code: "$OFF || $_.has(postKey($_))",
    without: "$OFF",
    testFile: "services/dispatch/protocol/planning/read-occurrences.unit.test.ts",
    test: "at one instant has one missed row for each announcement for the occurrences that were not read",
  },
  {
    guard: "the ledger forgets what was called off long ago",
    file: "services/dispatch/protocol/planning/plan-guild.ts",
    code: "await $_.deleteOldCancelled($$$);",
    without: "",
    testFile: "services/dispatch/protocol/planning/bounded-plan.int.test.ts",
    test: "has only its latest cancelled posts in the ledger",
    onRealParts: true,
  },
];
