import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { PROJECT } from "../../../test/harness/guildcal-process.ts";
import { type MongoShards, type ShardKeys, startMongoShards } from "../../../test/harness/mongo-shards.ts";
import { removeFolder } from "../../../test/harness/remove-folder.ts";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import { until } from "../../../test/harness/until.ts";
import { SCHEMA_VERSION } from "../run/schema-version.ts";
import { restoreBackup } from "./restore-backup.ts";
import { openSnapshot } from "./snapshot.ts";
import { ALL_COLLECTIONS, writeBackup } from "./write-backup.ts";

type Row = { readonly _id: string; readonly guildId: string; readonly n: number };

const OPTIONS = { autoIndex: false, autoCreate: false, writeConcern: { w: "majority" } } as const;
/** More documents than a batch of a cursor has. */
const ROWS = 3_000;
/** Rows of each transaction. Each row has a guild of its own, so that they are on both shards. */
const GROUP = 6;
const COLLECTIONS = ["calendar_events", "posts"] as const;

describe("a backup of a sharded cluster", () => {
  let directory: string;
  let shards: MongoShards;
  let sharded: Connection;
  let other: Connection;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-backup-shards-"));
    const keys = readFileSync(join(PROJECT, "k8s/components/sharded-mongodb/shard-keys.json"), "utf8");
    shards = await startMongoShards(directory, JSON.parse(keys) as ShardKeys);
    sharded = await mongoose.createConnection(shards.url, OPTIONS).asPromise();
    other = await mongoose.createConnection(emptyDatabase(), OPTIONS).asPromise();
  }, 180_000);
  afterAll(async () => {
    await other.dropDatabase();
    await Promise.all([sharded.close(), other.close()]);
    await shards.stop();
    await removeFolder(directory);
  });

  const rows = (of: Connection, name: string) => of.collection<Row>(name);
  const all = (of: Connection, name: string) => rows(of, name).find().sort({ _id: 1 }).toArray();

  /** Adds 1 to a group of rows of both collections in one transaction, group by group. */
  async function write(signal: AbortSignal, onWrite: () => void): Promise<void> {
    for (let first = 0; !signal.aborted; first = (first + GROUP) % ROWS) {
      const ids = Array.from({ length: GROUP }, (_, at) => `r${first + at}`);
      const session = await sharded.startSession();
      await session.withTransaction(async () => {
        for (const name of COLLECTIONS) {
          await rows(sharded, name).updateMany({ _id: { $in: ids } }, { $inc: { n: 1 } }, { session });
        }
      });
      await session.endSession();
      onWrite();
    }
  }

  test("has one moment of all shards, and is restored without shards and into them", async () => {
    for (const name of COLLECTIONS) {
      await rows(sharded, name).insertMany(
        Array.from({ length: ROWS }, (_, at) => ({ _id: `r${at}`, guildId: `g${at}`, n: 0 })),
      );
    }
    const versions = { newest: SCHEMA_VERSION, oldest: SCHEMA_VERSION };
    await sharded.collection<{ _id: string }>("dispatch_schema").insertOne({ _id: "schema", ...versions });
    const writer = new AbortController();
    let writes = 0;
    const writing = write(writer.signal, () => (writes += 1));
    await until(() => writes > 5, "first writes");
    const before = writes;
    const { path } = await writeBackup(join(directory, "backups"), await openSnapshot(sharded));
    expect(writes).toBeGreaterThan(before);
    writer.abort();
    await writing;

    await restoreBackup(other, path, async () => undefined);
    const [events, posts] = [await all(other, "calendar_events"), await all(other, "posts")];
    expect(events).toHaveLength(ROWS);
    expect(posts).toEqual(events);
    const byGroup = Map.groupBy(events, ({ _id }) => Math.floor(Number(_id.slice(1)) / GROUP));
    expect([...byGroup.values()].filter((group) => new Set(group.map(({ n }) => n)).size > 1)).toEqual([]);

    for (const name of ALL_COLLECTIONS) await sharded.collection(name).deleteMany({});
    await restoreBackup(sharded, path, async () => undefined);
    await expect(all(sharded, "posts")).resolves.toEqual(posts);
    await expect(all(sharded, "calendar_events")).resolves.toEqual(events);
  }, 180_000);
});
