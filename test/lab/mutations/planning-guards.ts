import type { Guard } from "./guard.ts";

/** Guards of how guilds are planned. */
export const PLANNING_GUARDS: readonly Guard[] = [
  {
    guard: "the next hour of a guild with many occurrences is planned at once",
    file: "services/dispatch/protocol/plan-guild.ts",
    text: "return plan.cut === undefined && isNear ? { ...plan, cut: startOf(through) } : plan;",
    without: "return isNear ? { ...plan } : plan;",
    testFile: "services/dispatch/protocol/read-occurrences.unit.test.ts",
    test: "has all of the next hour planned, in as many plans as it takes",
  },
  {
    guard: "of a guild with many occurrences what changed lately is read apart",
    file: "services/dispatch/protocol/read-occurrences.ts",
    text: "const mayBeLate = from <= now && reach.until > from;",
    without: "const mayBeLate = from > now && reach.until > from;",
    testFile: "services/dispatch/protocol/read-occurrences.unit.test.ts",
    test: "has an event that was made after its due instant planned at once",
  },
  {
    guard: "what was not read is accounted for once",
    file: "services/dispatch/domain/not-read.ts",
    text: " || rows.has(keyOf(wish))",
    without: "",
    testFile: "services/dispatch/protocol/read-occurrences.unit.test.ts",
    test: "at one instant has a row for each announcement that stands for what was not read, once",
  },
  {
    guard: "the ledger forgets what was called off long ago",
    file: "services/dispatch/protocol/plan-guild.ts",
    text: 'if (updates.some(({ to }) => to.state === "cancelled"))',
    without: "if (updates.length < 0)",
    testFile: "services/dispatch/bounded-plan.int.test.ts",
    test: "the ledger keeps the latest of what people call off",
    onRealParts: true,
  },
];
