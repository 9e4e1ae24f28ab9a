import type { TestedGuard } from "./guard.ts";

const ofBatchedFind = {
  testFile: "mixins/mongo/batched-find.unit.test.ts",
  test: "name the guilds, which are the shard key, and get no row of another guild",
} as const;

/** Guards of queries by the shard key, which is the guild. */
export const SHARD_GUARDS: readonly TestedGuard[] = [
  {
    guard: "a read by id asks only the shards of its guilds",
    file: "mixins/mongo/batched-find.ts",
    in: "batchedFind",
    property: "guildId: $_",
    without: "",
    ...ofBatchedFind,
  },
  {
    guard: "a read by id returns no row of another guild",
    file: "mixins/mongo/batched-find.ts",
    in: "textOf",
    code: "`${$_}/${$_}`",
    without: "arguments[0]._id",
    ...ofBatchedFind,
  },
];
