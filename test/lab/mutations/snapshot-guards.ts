import type { TestedGuard } from "./guard.ts";

const SNAPSHOTS = {
  file: "mixins/mongo/snapshot-reads.ts",
  testFile: "test/integration/sharded-snapshots.mongo.test.ts",
  needsServers: true,
} as const;

/** Guards of reads in a snapshot, with shards. */
export const SNAPSHOT_GUARDS: readonly TestedGuard[] = [
  {
    ...SNAPSHOTS,
    guard: "mongos does not choose the time of a snapshot",
    in: "isBehindMongos",
    code: '$_ === "isdbgrid"',
    without: "false",
    test: "needs no write of the shard that is read, as one would whose time mongos chooses",
  },
  {
    ...SNAPSHOTS,
    guard: "rows that others follow are read at the time of the snapshot",
    in: "findRowsInSnapshot",
    code: "$CURSOR.id === 0 && $_ && $_($_.firstBatch)",
    without: "$CURSOR.id === 0",
    test: "is read once if its first rows need no others, and at its time otherwise",
  },
];
