import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection, type Model, Schema } from "mongoose";
import { findRows } from "../../mixins/mongo/find-command.ts";
import { distinctInSnapshot, findRowsInSnapshot } from "../../mixins/mongo/snapshot-reads.ts";
import { type MongoShards, startMongoShards } from "../harness/mongo-shards.ts";
import { removeFolder } from "../harness/remove-folder.ts";

interface Row {
  readonly _id: string;
  readonly guildId: string;
  readonly version: number;
}

const COLLECTION = "versions";
const SCHEMA = new Schema<Row>({ _id: String, guildId: String, version: Number }, { collection: COLLECTION });
const OPTIONS = { autoIndex: false, writeConcern: { w: "majority" } } as const satisfies mongoose.ConnectOptions;
const START_MS = 600_000;
const WRITES = 60;
/** In the oplog of a shard that had to write before it could read at a time that another shard has reached. */
const FORCED_WRITE = "o.noop write for afterClusterTime read concern";

describe("with two shards, a snapshot", () => {
  let directory: string;
  let shards: MongoShards;
  let connection: Connection;
  let model: Model<Row>;
  let members: Connection[];
  /** A guild on each shard. */
  let guilds: string[];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-snapshots-"));
    shards = await startMongoShards(directory, { [COLLECTION]: { guildId: "hashed" } });
    connection = await mongoose.createConnection(shards.url, OPTIONS).asPromise();
    model = connection.model<Row>("Version", SCHEMA);
    members = await Promise.all(shards.shardUrls.map((url) => mongoose.createConnection(url).asPromise()));
    const ids = Array.from({ length: 40 }, (_, at) => String(at));
    const rows = ids.flatMap((guildId) =>
      ["a", "b"].map((part) => ({ _id: `${guildId}/${part}`, guildId, version: 0 })),
    );
    await model.insertMany(rows);
    guilds = await Promise.all(
      members.map(async (member) => String((await member.collection<Row>(COLLECTION).findOne())?.guildId)),
    );
  }, START_MS);
  afterAll(async () => {
    await Promise.all(members?.map((member) => member.close()) ?? []);
    await connection?.close();
    await shards?.stop();
    await removeFolder(directory);
  });

  /** Writes to the first shard, reads from the second, and returns how many of `times` reads made that one write. */
  async function forcedWrites(read: (guildId: string) => Promise<unknown>, times: number): Promise<number> {
    const [writing, reading] = guilds as [string, string];
    const oplog = members[1]?.useDb("local").collection("oplog.rs");
    const count = async () => oplog?.countDocuments({ [FORCED_WRITE]: { $exists: true } }) ?? 0;
    const before = await count();
    for (let at = 0; at < times; at += 1) {
      await model.updateOne({ _id: `${writing}/a`, guildId: writing }, { $inc: { version: 1 } });
      await read(reading);
    }
    return (await count()) - before;
  }

  test("needs no write of the shard that is read, as one would whose time mongos chooses", async () => {
    const read = (guildId: string) => findRowsInSnapshot<Row>(model, { filter: { guildId } });
    const alone = (guildId: string) => findRowsInSnapshot<Row>(model, { filter: { guildId } }, () => true);
    const distinct = (guildId: string) => distinctInSnapshot(model, "version", { guildId });
    const chosenByMongos = async (guildId: string) =>
      connection.db?.command({ find: COLLECTION, filter: { guildId }, readConcern: { level: "snapshot" } });
    await expect(forcedWrites(chosenByMongos, 5)).resolves.toBeGreaterThan(0);
    await expect(forcedWrites(read, 5)).resolves.toBe(0);
    await expect(forcedWrites(alone, 5)).resolves.toBe(0);
    await expect(forcedWrites(distinct, 5)).resolves.toBe(0);
  });

  test("shows one moment to all of its reads, and every acknowledged write", async () => {
    const [guildId = ""] = guilds;
    await model.updateMany({ guildId }, { $set: { version: 0 } });
    const acknowledged = { version: 0 };
    const writing = (async () => {
      for (let version = 1; version <= WRITES; version += 1) {
        await connection.transaction(async (session) => {
          await model.updateMany({ guildId }, { $set: { version } }, { session });
        });
        acknowledged.version = version;
      }
    })();
    const seen: { readonly atLeast: number; readonly versions: readonly number[] }[] = [];
    const part = (name: string) => ({ filter: { guildId, _id: `${guildId}/${name}` } });
    while (acknowledged.version < WRITES) {
      const atLeast = acknowledged.version;
      const first = await findRowsInSnapshot<Row>(model, part("a"));
      const second = await findRows<Row>(model, part("b"), first.at);
      const { values, at } = await distinctInSnapshot(model, "version", { guildId });
      const fourth = await findRows<Row>(model, part("a"), at);
      const versionsOf = (rows: readonly Row[]) => rows.map(({ version }) => version);
      seen.push({ atLeast, versions: versionsOf([...first.rows, ...second]) });
      seen.push({ atLeast, versions: [...(values as number[]), ...versionsOf(fourth)] });
    }
    await writing;
    expect(seen.length).toBeGreaterThan(20);
    expect(seen.filter(({ versions }) => versions.length !== 2 || versions[0] !== versions[1])).toEqual([]);
    expect(seen.filter(({ atLeast, versions }) => Number(versions[0]) < atLeast)).toEqual([]);
  });

  test("is read once if its first rows need no others, and at its time otherwise", async () => {
    const [guildId = ""] = guilds;
    const levels: unknown[] = [];
    const db = connection.db;
    const command = (request: Record<string, unknown>, options?: object) => {
      levels.push((request["readConcern"] as { readonly level: string } | undefined)?.level);
      return db?.command(request, options);
    };
    const counted = { db: { db: { command } as never }, collection: model.collection };
    await findRowsInSnapshot<Row>(counted, { filter: { guildId } }, () => true);
    expect(levels.slice(0, 2)).toEqual([undefined, "majority"]);
    levels.length = 0;
    await findRowsInSnapshot<Row>(counted, { filter: { guildId } }, () => false);
    expect(levels).toEqual(["majority", "snapshot"]);
  });
});
