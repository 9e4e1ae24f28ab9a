import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { type MongoSet, startMongoSet } from "../harness/mongo-set.ts";
import { removeFolder } from "../harness/remove-folder.ts";
import { commandsOf, localOptions } from "../manifests/mongodb-commands.ts";
import { rendered } from "../manifests/overlays.ts";

/** Time in which the manifests promise that a member ends after SIGTERM. */
const END_MS = 10_000;

describe("a replica set of three, with the options of the manifests,", () => {
  let directory: string;
  let set: MongoSet;
  let connection: mongoose.Connection;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-set-"));
    const [command = []] = commandsOf(rendered("production"), "mongod");
    set = await startMongoSet(directory, localOptions(command));
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

  test("ends its primary within ten seconds of SIGTERM, has another one, and accepts writes", async () => {
    const begin = performance.now();
    const ended = await set.terminatePrimary();
    expect(performance.now() - begin).toBeLessThan(END_MS);
    expect(await set.primary()).not.toBe(ended);
    await write("after SIGTERM");
  });
});
