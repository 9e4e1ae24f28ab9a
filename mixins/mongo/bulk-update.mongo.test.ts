import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose from "mongoose";
import { type Command, type MongoProxy, startMongoProxy } from "../../test/harness/mongo-proxy.ts";
import { emptyDatabase } from "../../test/harness/test-services.ts";
import { bulkUpdate, type UpdatableModel } from "./bulk-update.ts";
import { batchedInsert } from "./batched-insert.ts";
import { isDatabaseUnavailable } from "./database.mixin.ts";

const schema = new mongoose.Schema(
  { _id: String, guildId: String, value: Number, revision: Number },
  { collection: "things" },
);

describe("a bulk update", () => {
  let proxy: MongoProxy;
  let connection: mongoose.Connection;
  let model: UpdatableModel & mongoose.Model<object>;

  beforeAll(async () => {
    const url = emptyDatabase();
    const { port } = new URL(url);
    proxy = await startMongoProxy(Number(port));
    const behindProxy = url.replace(`:${port}/`, `:${proxy.port}/`);
    connection = await mongoose.createConnection(behindProxy, { serverSelectionTimeoutMS: 500 }).asPromise();
    model = connection.model("Thing", schema) as never;
  });
  afterAll(() => connection.close());

  const updateOf = (_id: string) => ({ q: { _id }, u: [{ $set: { value: 1 } }], upsert: true });
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  test("counts the updates, and has the error of each that the database refused", async () => {
    await expect(bulkUpdate(model, [updateOf("a"), updateOf("b")])).resolves.toEqual({ n: 2, refused: new Map() });
    const wrong = { q: { _id: "c" }, u: [{ $set: { _id: "d" } }], upsert: true };
    const { n, refused } = await bulkUpdate(model, [wrong, updateOf("a")]);
    expect([n, [...refused.keys()]]).toEqual([1, [0]]);
  });

  test("rejects as unavailable if the responses to the command and to its retry are lost", async () => {
    proxy.lose(({ update }: Command) => update === "things", 1);
    expect(isDatabaseUnavailable(await failureOf(bulkUpdate(model, [updateOf("lost")])))).toBe(true);
    expect(proxy.lost).toBe(1);
  });

  test("rejects, and so does an insert, if no server is found", async () => {
    await proxy.stop();
    expect(await failureOf(bulkUpdate(model, [updateOf("e")]))).toBeInstanceOf(
      mongoose.mongo.MongoServerSelectionError,
    );
    const insert = batchedInsert(model);
    const replacement = [{ $replaceWith: { value: 1, revision: 1 } }] as never;
    const failure = await failureOf(insert({ record: { _id: "f", guildId: "1" as never }, replacement }));
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });
});
