import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import mongoose, { Schema } from "mongoose";
import { emptyDatabase } from "../../test/harness/test-services.ts";
import { CHANGE_FEED_OVERLAP_MS } from "../../services/contracts/change-feed.contract.ts";
import type { RecordPosition } from "../../services/contracts/guild-changes.contract.ts";
import { changedRecords } from "./changed-records.ts";

interface Row {
  readonly _id: string;
  readonly guildId: string;
  readonly revision: number;
  readonly changedAt: Date;
  readonly deletedAt?: Date;
  readonly text?: string;
}

const INDEX = { guildId: 1, changedAt: 1, _id: 1 } as const;
const BEGINNING: RecordPosition = { at: 0, id: "", delivered: [] };

describe("the changed records of a guild", () => {
  const connection = mongoose.createConnection();
  const schema = new Schema<Row>(
    { _id: String, guildId: String, revision: Number, changedAt: Date, deletedAt: Date, text: String },
    { versionKey: false },
  );
  schema.index(INDEX);
  const model = connection.model<Row>("Thing", schema);
  const converted: string[][] = [];

  const read = (after: Partial<RecordPosition> = {}, limit = 100, guildId = "1") =>
    changedRecords<Row, string>(
      { model, filter: { guildId }, stamp: "changedAt", hint: INDEX, projection: { text: 1 } },
      { after: { ...BEGINNING, ...after }, limit },
      (rows) => {
        converted.push(rows.map(({ _id }) => _id));
        return rows.map(({ _id, text = "" }) => `${_id} ${text}`);
      },
    );
  const row = (_id: string, changedAt: number, more: Partial<Row> = {}) => ({
    _id,
    guildId: "1",
    revision: 1,
    changedAt: new Date(changedAt),
    ...more,
  });
  const store = (...rows: Row[]) => model.collection.insertMany(rows as never);

  beforeAll(async () => {
    await connection.openUri(emptyDatabase(), { writeConcern: { w: "majority" } });
    await model.createIndexes();
  });
  beforeEach(async () => {
    await model.deleteMany({});
    converted.length = 0;
  });
  afterAll(() => connection.close());

  test("are in the order of their times and ids, with the record unless it was deleted, and without other guilds", async () => {
    await store(
      row("c", 5, { text: "third" }),
      row("a", 7, { deletedAt: new Date(7), revision: 4 }),
      row("b", 5),
      row("x", 6, { guildId: "2" }),
    );
    const { changed, more } = await read();
    expect(changed.map(({ id, at, deleted, record, revision }) => [id, at, deleted, record, revision])).toEqual([
      ["b", 5, false, "b ", 1],
      ["c", 5, false, "c third", 1],
      ["a", 7, true, undefined, 4],
    ]);
    expect(more).toBe(false);
    expect(converted).toEqual([["b", "c"]]);
  });

  test("after a position are those behind it, also within a millisecond, and not those that were delivered", async () => {
    await store(row("a", 5), row("b", 5), row("c", 6), row("d", 7));
    const all = await read();
    const c = all.changed.find(({ id }) => id === "c")?.digest ?? "";
    const { changed, delivered } = await read({ at: 5, id: "a", delivered: [c, "AAAAAAAAAAA"] });
    expect([changed.map(({ id }) => id), delivered.map(({ id }) => id)]).toEqual([["b", "d"], ["c"]]);
    await model.collection.updateOne({ _id: "c" as never }, { $set: { revision: 2, changedAt: new Date(9) } });
    const again = await read({ at: 5, id: "a", delivered: [c] });
    expect([again.changed.map(({ id }) => id), again.delivered]).toEqual([["b", "d", "c"], []]);
  });

  test("end at the limit, and at a size, but have at least one record", async () => {
    await store(
      ...Array.from({ length: 60 }, (_, n) => row(String(n).padStart(2, "0"), n, { text: "x".repeat(50_000) })),
    );
    const few = await read({}, 2);
    expect([few.changed.length, few.more]).toEqual([2, true]);
    const bounded = await read();
    expect([bounded.changed.length, bounded.more]).toEqual([6, true]);
    await model.deleteMany({});
    await store(row("large", 1, { text: "x".repeat(1_000_000) }), row("next", 2));
    expect((await read()).changed.map(({ id }) => id)).toEqual(["large"]);
  });

  test("are settled until ten seconds before the read, by the clock of the database server", async () => {
    await model.updateOne({ _id: "now" }, [{ $set: { guildId: "1", revision: 1, changedAt: "$$NOW" } }], {
      upsert: true,
      updatePipeline: true,
    });
    const { changed, settledUntil } = await read();
    const at = changed[0]?.at ?? 0;
    expect(settledUntil).toBeLessThanOrEqual(at - CHANGE_FEED_OVERLAP_MS + 5_000);
    expect(settledUntil).toBeGreaterThan(at - 2 * CHANGE_FEED_OVERLAP_MS - 2_000);
    expect(await read({ at: at + 1 })).toEqual({ delivered: [], changed: [], settledUntil: 0, more: false });
  });

  test("are read by the index, without a sort in memory", async () => {
    await store(row("a", 5), row("b", 6));
    const at = new Date(5);
    const filter = {
      guildId: "1",
      changedAt: { $gte: at },
      $or: [{ changedAt: { $gt: at } }, { changedAt: at, _id: { $gt: "a" } }],
    };
    const plan = await model.find(filter).sort({ changedAt: 1, _id: 1 }).hint(INDEX).explain("executionStats");
    const text = JSON.stringify(plan);
    expect(text).toContain("IXSCAN");
    expect(text).not.toContain('"stage":"SORT"');
    expect(text).not.toContain("COLLSCAN");
  });
});
