import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { type MongoSet, startMongoSet } from "../harness/mongo-set.ts";
import { removeFolder } from "../harness/remove-folder.ts";

describe("a replica set of three", () => {
  let directory: string;
  let set: MongoSet;
  let connection: mongoose.Connection;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-set-"));
    set = await startMongoSet(directory);
    connection = await mongoose.createConnection(set.url, { writeConcern: { w: "majority" } }).asPromise();
  });
  afterAll(async () => {
    await connection.close();
    await set.stop();
    await removeFolder(directory);
  });

  const write = (_id: string) => connection.collection<{ _id: string }>("kept").insertOne({ _id });

  test("has another primary after a step-down, and accepts writes", async () => {
    const before = await set.primary();
    await write("before");
    await set.stepDown();
    expect(await set.primary()).not.toBe(before);
    await write("after the step-down");
  });

  test("keeps acknowledged writes if its primary is killed, elects another one, and accepts the killed member again", async () => {
    const killed = await set.killPrimary();
    expect(await set.primary()).not.toBe(killed);
    await write("after the kill");
    await set.restart(killed);
    expect(await connection.collection("kept").countDocuments()).toBe(3);
  });
});
