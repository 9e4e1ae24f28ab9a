import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Connection, type Model, Schema } from "mongoose";
import { emptyDatabase } from "../../test/harness/test-services.ts";
import { partitionOf } from "../../services/contracts/change-feed.contract.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import {
  changeFeed,
  changesSince,
  saveRevision,
  unchangedFields,
  stampedReplacement,
  stampedTombstone,
} from "./change-feed.ts";
import { type Tracked, trackedIndexes, trackedPaths } from "./tracked-record.ts";
import { closedConnection } from "./database.mixin.ts";

interface Row extends Tracked {
  text?: unknown;
  madeAt?: Date;
  startsAt?: number;
}

const guildId = "1" as GuildId;
const BEGINNING = { at: 0, id: "" };

describe("the change feed", () => {
  const connection: Connection = closedConnection();
  let model: Model<Row>;

  beforeAll(async () => {
    const schema = new Schema<Row>(
      { _id: String, ...trackedPaths, text: String, madeAt: Date, startsAt: Number },
      { versionKey: false },
    );
    for (const [keys, options] of trackedIndexes) schema.index(keys, options);
    model = connection.model<Row>("Thing", schema);
    await connection.openUri(emptyDatabase());
    await model.createIndexes();
  });
  afterAll(() => connection.close());

  test("stores texts unchanged, even those that look like expressions of MongoDB", async () => {
    const text = "$$NOW {$ne: 1} $text a.b \0";
    await expect(saveRevision(model, { _id: "literal", guildId, revision: 1, text } as Row)).resolves.toBe(true);
    await expect(model.findById("literal").lean()).resolves.toMatchObject({ text });
  });

  test("stores one of two writes of the same revision and reports the conflict to the other", async () => {
    const write = (text: string) => saveRevision(model, { _id: "race", guildId, revision: 1, text } as Row);
    const outcomes = await Promise.all([write("a"), write("b"), write("c")]);
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    await expect(saveRevision(model, { _id: "race", guildId, revision: 3 })).resolves.toBe(false);
    await expect(saveRevision(model, { _id: "race", guildId: "2" as GuildId, revision: 2 })).resolves.toBe(false);
  });

  test("no later revision restores a removed record", async () => {
    await saveRevision(model, { _id: "gone", guildId, revision: 1 });
    const tombstone = { _id: "gone", guildId, revision: 2 };
    await expect(saveRevision(model, tombstone, stampedTombstone(tombstone))).resolves.toBe(true);
    await expect(saveRevision(model, { _id: "gone", guildId, revision: 3 })).resolves.toBe(false);
  });

  test("sets the requested fields to the time of the database, and leaves the unchanged fields", async () => {
    const first = { _id: "stamped", guildId, revision: 1 };
    await saveRevision(model, first, stampedReplacement(first, ["madeAt"]));
    const made = await model.findById("stamped").lean<Row>();
    expect(made?.madeAt).toEqual(made?.changedAt);
    const second = { ...first, revision: 2 };
    await saveRevision(model, second, stampedReplacement(second, [], unchangedFields("madeAt")));
    await expect(model.findById("stamped").lean()).resolves.toMatchObject({ madeAt: made?.madeAt, revision: 2 });
  });

  test("read in pages, contains every record once, in the order of the changes, also within one millisecond", async () => {
    const at = new Date("2030-01-01T00:00:00Z");
    const ids = Array.from({ length: 25 }, (_, n) => `page-${String(n).padStart(2, "0")}`);
    await model.collection.insertMany(ids.map((_id) => ({ _id, guildId, revision: 1, changedAt: at }) as never));
    const seen: string[] = [];
    let mark = { at: at.getTime() - 1, id: "" };
    for (;;) {
      const page = await changesSince(model, { mark, limit: 10 });
      seen.push(...page.changes.map(({ id }) => id));
      mark = page.mark;
      if (!page.more) break;
    }
    expect(seen).toEqual(ids);
    await expect(changesSince(model, { mark, limit: 10 })).resolves.toEqual({ changes: [], mark, more: false });
    const feed = changeFeed(model);
    const tenth = { at: at.getTime(), id: "page-09" };
    await expect(feed.countChanges({ mark: tenth, limit: 100 })).resolves.toBe(15);
    await expect(feed.countChanges({ mark: tenth, limit: 4 })).resolves.toBe(4);
    await expect(feed.countChanges({ mark, limit: 100 })).resolves.toBe(0);
  });

  test("contains the guilds of some partitions, also in a count", async () => {
    const guilds = ["61", "62", "9007199254740993", "18446744073709551615"] as GuildId[];
    const changedAt = new Date("2031-01-01T00:00:00Z");
    const rows = guilds.map((id) => ({ _id: `of ${id}`, guildId: id, revision: 1, changedAt }));
    await model.collection.insertMany(rows as never);
    const mark = { at: changedAt.getTime() - 1, id: "" };
    for (const [at, partition] of guilds.map(partitionOf).entries()) {
      const { changes } = await changesSince(model, { mark, partitions: [partition], limit: 10 });
      expect(changes.map(({ id }) => id)).toEqual([`of ${guilds[at]}`]);
    }
    const partitions = guilds.slice(1, 3).map(partitionOf);
    await expect(changeFeed(model).countChanges({ mark, partitions, limit: 10 })).resolves.toBe(2);
    await model.collection.deleteMany({ changedAt });
  });

  test("contains removed records until their tombstones expire", async () => {
    const { changes } = await changesSince(model, { mark: BEGINNING, limit: 1000 });
    expect(changes.find(({ id }) => id === "gone")).toMatchObject({ revision: 2, deleted: true });
    const indexes = await model.collection.indexes();
    expect(indexes.find(({ key }) => key["deletedAt"] === 1)).toMatchObject({ expireAfterSeconds: 7 * 86_400 });
  });

  test("contains the start of a new record, and not that of a changed or a removed one", async () => {
    const rowOf = (name: string, revision: number) => ({ _id: `${name} event`, guildId, revision, startsAt: 7 }) as Row;
    for (const name of ["new", "changed", "removed"]) await saveRevision(model, rowOf(name, 1));
    await saveRevision(model, rowOf("changed", 2));
    const tombstone = rowOf("removed", 2);
    await saveRevision(model, tombstone, stampedTombstone(tombstone));
    const { changes } = await changesSince(model, { mark: BEGINNING, limit: 1000 }, ["startsAt"]);
    const starts = changes.filter(({ id }) => id.endsWith(" event")).map(({ id, startsAt }) => [id, startsAt]);
    expect(starts).toEqual([
      ["new event", 7],
      ["changed event", undefined],
      ["removed event", undefined],
    ]);
  });

  test("contains the time of the read, by the clock that stamps the changes", async () => {
    await saveRevision(model, { _id: "last of all", guildId, revision: 1 });
    const { readAt = 0 } = await changesSince(model, { mark: BEGINNING, limit: 1 });
    const written = await model.findById("last of all").lean<Row>();
    const after = await model.aggregate<{ now: Date }>([{ $limit: 1 }, { $project: { now: "$$NOW" } }]);
    expect(readAt).toBeGreaterThanOrEqual(written?.changedAt.getTime() ?? Infinity);
    expect(readAt).toBeLessThanOrEqual(after[0]?.now.getTime() ?? 0);
  });

  test("is read by its index", async () => {
    const plan = await model
      .find({ changedAt: { $gt: new Date(0) } })
      .sort({ changedAt: 1, _id: 1 })
      .explain("queryPlanner");
    expect(JSON.stringify(plan)).toContain("IXSCAN");
    expect(JSON.stringify(plan)).not.toContain("COLLSCAN");
  });
});
