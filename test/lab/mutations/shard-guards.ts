import type { TestedGuard } from "./guard.ts";

/** Guards of queries by the shard key, which is the guild. */
export const SHARD_GUARDS: readonly TestedGuard[] = [
  {
    guard: "a read by id asks only the shards of its guilds",
    file: "mixins/mongo/batched-find.ts",
    in: "batchedFind",
    property: "guildId: $_",
    without: "",
    testFile: "test/integration/one-shard.mongo.test.ts",
    test: "writes and reads of settings, calendars and announcements ask one shard",
    needsServers: true,
  },
  {
    guard: "a read by id returns no row of another guild",
    file: "mixins/mongo/batched-find.ts",
    in: "textOf",
    code: "`${$_}/${$_}`",
    without: "arguments[0]._id",
    testFile: "mixins/mongo/batched-find.mongo.test.ts",
    test: "of a document of another guild get none",
    needsServers: true,
  },
];
