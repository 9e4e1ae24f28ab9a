import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { type CompareAndSet, batchedCompareAndSet } from "./batched-compare-and-set.store.ts";

interface Row {
  readonly _id: string;
  readonly guildId: GuildId;
  readonly fence: number;
}

const schema = new mongoose.Schema({
  _id: String,
  guildId: String,
  fence: Number,
  text: String,
  gone: Number,
  step: mongoose.Schema.Types.ObjectId,
});

const guildId = "1" as GuildId;
const ROWS = 150;
const ids = Array.from({ length: ROWS }, (_, at) => `row ${at}`);

const raise = (id: string, fence = 0): CompareAndSet => ({
  id,
  guildId,
  expected: { fence },
  change: { computed: { fence: { $add: ["$fence", 1] } } },
});

describe("a batch of compare-and-set", () => {
  let connection: Connection;
  let take: (step: CompareAndSet) => Promise<Row | null>;
  let updates = 0;

  beforeAll(async () => {
    connection = mongoose.createConnection();
    await connection.openUri(emptyDatabase(), { writeConcern: { w: "majority" }, monitorCommands: true });
    connection.getClient().on("commandStarted", ({ commandName }) => {
      if (commandName === "update") updates += 1;
    });
  });
  afterAll(() => connection.close());

  beforeEach(async () => {
    const rows = connection.model<Row>("Row", schema, "rows");
    await rows.deleteMany({});
    await rows.insertMany(ids.map((_id) => ({ _id, guildId, fence: 0 })));
    take = batchedCompareAndSet<Row>(rows) as typeof take;
    updates = 0;
  });

  test("has one command for a hundred changes, and returns each its own row", async () => {
    const taken = await Promise.all(ids.map((id) => take(raise(id))));
    expect(taken.map((row) => [row?._id, row?.fence])).toEqual(ids.map((id) => [id, 1]));
    expect(updates).toBe(2);
  });

  test("does not change a row that does not match, and changes the others", async () => {
    const taken = await Promise.all([take(raise("row 0")), take(raise("row 1", 7)), take(raise("no such row"))]);
    expect(taken.map((row) => row?.fence)).toEqual([1, undefined, undefined]);
    expect(await connection.collection<Row>("rows").findOne({ _id: "row 1" })).toMatchObject({ fence: 0 });
  });

  test("does not change a row of another guild", async () => {
    await expect(take({ ...raise("row 0"), guildId: "2" as GuildId })).resolves.toBeNull();
    expect(await connection.collection<Row>("rows").findOne({ _id: "row 0" })).toMatchObject({ fence: 0 });
  });

  test("does not read known rows, unless a change of the command was not applied", async () => {
    const known = (id: string, fence = 0): CompareAndSet => ({ ...raise(id, fence), isKnown: true });
    const taken = await Promise.all([take(known("row 0")), take(raise("row 1"))]);
    expect(taken).toMatchObject(["done", { fence: 1 }]);
    const unsure = await Promise.all([take(known("row 2")), take(known("row 3", 7)), take(known("row 0"))]);
    expect(unsure).toMatchObject([{ _id: "row 2", fence: 1 }, null, null]);
  });

  test("stores values literally and removes fields", async () => {
    const change = { set: { fence: 2, text: "$fence" }, unset: ["gone"] };
    await connection.collection<Row>("rows").updateOne({ _id: "row 0" }, { $set: { gone: 1 } });
    expect(await take({ id: "row 0", guildId, expected: { fence: 0 }, change })).toMatchObject({
      fence: 2,
      text: "$fence",
    });
    expect(await connection.collection<Row>("rows").findOne({ _id: "row 0" })).not.toHaveProperty("gone");
  });

  test("applies one of two equal changes of a row", async () => {
    const taken = await Promise.all([take(raise("row 0")), take(raise("row 0"))]);
    expect(taken.filter((row) => row !== null)).toHaveLength(1);
  });

  test("rejects only the change that the database refuses", async () => {
    const broken = { ...raise("row 1"), change: { computed: { fence: { $divide: [1, 0] } } } };
    const [one, two, three] = await Promise.allSettled([take(raise("row 0")), take(broken), take(raise("row 2"))]);
    expect(two).toMatchObject({ status: "rejected", reason: { message: expect.stringMatching(/divide by zero/) } });
    expect([one, three]).toMatchObject([{ value: { fence: 1 } }, { value: { fence: 1 } }]);
  });
});
