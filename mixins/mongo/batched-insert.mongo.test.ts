import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Connection, type Model, Schema } from "mongoose";
import type { GuildId } from "../../services/contracts/ids.ts";
import { emptyDatabase } from "../../test/harness/test-services.ts";
import { stampedReplacement } from "./change-feed.ts";
import { type Tracked, trackedPaths } from "./tracked-record.ts";
import { closedConnection } from "./database.mixin.ts";
import { batchedInsert } from "./batched-insert.ts";

interface Row extends Tracked {
  readonly name: string;
}

describe("a batched insert in a real database", () => {
  const connection: Connection = closedConnection();
  const model: Model<Row> = connection.model<Row>(
    "Row",
    new Schema<Row>({ _id: String, ...trackedPaths, name: String }),
  );
  const insert = batchedInsert(model);
  const put = (_id: string, name: string) => {
    const record = { _id, guildId: "1" as GuildId, revision: 1, name };
    return insert({ record, replacement: stampedReplacement(record) });
  };
  const stored = (_id: string) => model.findById(_id).lean<Row>();

  beforeAll(() => connection.openUri(emptyDatabase()));
  afterAll(() => connection.close());

  test("stores the records unchanged, with the time of the database server", async () => {
    const before = Date.now() - 60_000;
    await expect(put("a", "$name")).resolves.toBe(true);
    const row = await stored("a");
    expect(row).toEqual({ _id: "a", guildId: "1", revision: 1, name: "$name", changedAt: expect.any(Date) });
    expect(row?.changedAt.getTime()).toBeGreaterThan(before);
  });

  test("stores nothing for an id that exists, and stores the other records", async () => {
    await put("b", "first");
    const first = await stored("b");
    await expect(Promise.all([put("c", "new"), put("b", "second"), put("d", "new")])).resolves.toEqual([
      true,
      false,
      true,
    ]);
    await expect(stored("b")).resolves.toEqual(first);
    await expect(stored("d")).resolves.toMatchObject({ name: "new" });
  });

  test("stores one of two concurrent records with the same id", async () => {
    const put2 = batchedInsert(model);
    const record = { _id: "e", guildId: "1" as GuildId, revision: 1, name: "other" };
    const outcomes = await Promise.all([put("e", "one"), put2({ record, replacement: stampedReplacement(record) })]);
    expect(outcomes.toSorted()).toEqual([false, true]);
  });
});
