import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection, type Model, Schema } from "mongoose";
import { emptyDatabase } from "../../test/harness/test-services.ts";
import { batchedFind } from "./batched-find.ts";

interface Row {
  readonly _id: string;
  readonly guildId: string;
  readonly text: string;
}

const a = { _id: "a", guildId: "1" };
const b = { _id: "b", guildId: "2" };

describe("reads by id in one turn of the event loop", () => {
  let connection: Connection;
  let model: Model<Row>;
  let finds = 0;

  beforeAll(async () => {
    connection = await mongoose.createConnection(emptyDatabase(), { monitorCommands: true }).asPromise();
    connection.getClient().on("commandStarted", ({ commandName }) => (finds += commandName === "find" ? 1 : 0));
    model = connection.model<Row>("Row", new Schema<Row>({ _id: String, guildId: String, text: String }));
    await model.collection.insertMany([
      { _id: "a", guildId: "1", text: "A" },
      { _id: "b", guildId: "2", text: "B" },
    ] as never);
  });
  afterAll(() => connection.close());
  beforeEach(() => {
    finds = 0;
  });

  test("are one query, and each gets its own document, the same one, or none", async () => {
    const read = batchedFind(model, {});
    const rows = await Promise.all([b, { ...b, _id: "nobody" }, a, b].map(read));
    expect(rows.map((row) => row?.text)).toEqual(["B", undefined, "A", "B"]);
    expect(finds).toBe(1);
  });

  test("of a document of another guild get none, also if another read of the query is of that guild", async () => {
    const read = batchedFind(model, {});
    const rows = await Promise.all(
      [
        { ...a, guildId: "2" },
        { ...b, guildId: "1" },
      ].map(read),
    );
    expect(rows).toEqual([null, null]);
  });

  test("are not cached from one turn to the next", async () => {
    const read = batchedFind(model, {});
    await read(a);
    await model.collection.updateOne({ _id: "a" } as never, { $set: { text: "A2" } });
    await expect(read(a)).resolves.toMatchObject({ text: "A2" });
    expect(finds).toBe(2);
  });

  test("of more than 500 ids are several queries, and every id is read", async () => {
    const read = batchedFind(model, {});
    const rows = await Promise.all(
      Array.from({ length: 501 }, (_, at) => read(at === 500 ? b : { ...b, _id: `no ${at}` })),
    );
    expect(rows.filter((row) => row !== null).map(({ text }) => text)).toEqual(["B"]);
    expect(finds).toBe(2);
  });

  test("all fail with their query", async () => {
    const closed = await mongoose.createConnection(emptyDatabase()).asPromise();
    const read = batchedFind(
      closed.model<Row>("Row", new Schema<Row>({ _id: String, guildId: String, text: String })),
      {},
    );
    await closed.close();
    const outcomes = await Promise.allSettled([read(a), read(b)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});
