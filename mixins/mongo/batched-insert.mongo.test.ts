import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Connection, type Model, Schema } from "mongoose";
import type { GuildId } from "../../services/contracts/ids.ts";
import { emptyDatabase } from "../../test/harness/test-services.ts";
import { stampedNewRecord } from "./change-feed.ts";
import { type Tracked, trackedPaths } from "./tracked-record.ts";
import { closedConnection } from "./database.mixin.ts";
import { batchedInsert } from "./batched-insert.ts";
import { DeadlinePassed, runInWriteContext } from "./write-context.ts";

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
  const put = (_id: string, name: string, deadline?: number, insertOne = insert) => {
    const record = { _id, guildId: "1" as GuildId, revision: 1, name };
    return runInWriteContext({ deadline }, () => insertOne({ record, replacement: stampedNewRecord(record, []) }));
  };
  const stored = (_id: string) => model.findById(_id).lean<Row>();

  beforeAll(async () => {
    const options = { writeConcern: { w: "majority", journal: true }, monitorCommands: true } as const;
    await connection.openUri(emptyDatabase(), options);
  });
  afterAll(() => connection.close());

  test("stores the records unchanged, with the time of the database server", async () => {
    const before = Date.now() - 60_000;
    await put("a", "$name");
    const row = await stored("a");
    expect(row).toEqual({ _id: "a", guildId: "1", revision: 1, name: "$name", changedAt: expect.any(Date) });
    expect(row?.changedAt.getTime()).toBeGreaterThan(before);
  });

  test("stores nothing for an id that exists, and stores the other records", async () => {
    await put("b", "first");
    const first = await stored("b");
    await Promise.all([put("c", "new"), put("b", "second"), put("d", "new")]);
    await expect(stored("b")).resolves.toEqual(first);
    await expect(model.find({ name: "new" }).lean<Row[]>()).resolves.toHaveLength(2);
  });

  test("stores one of two concurrent records with the same id", async () => {
    await Promise.all([put("e", "one"), put("e", "other", undefined, batchedInsert(model))]);
    await expect(stored("e")).resolves.toMatchObject({ revision: 1 });
  });

  test("rejects a record that arrives after its deadline, does not store it, and stores the others", async () => {
    const [, late] = await Promise.allSettled([put("f", "in time", Date.now() + 60_000), put("g", "late", 1)]);
    expect(late).toMatchObject({ reason: expect.any(DeadlinePassed) });
    await expect(stored("f")).resolves.toMatchObject({ name: "in time" });
    await expect(stored("g")).resolves.toBeNull();
  });

  test("resolves when a majority has journalled the records", async () => {
    const sent: unknown[] = [];
    connection.getClient().on("commandStarted", ({ commandName, command }) => {
      if (commandName === "aggregate") sent.push(command["writeConcern"]);
    });
    await put("h", "durable");
    expect(sent).toEqual([{ w: "majority", j: true }]);
  });
});
