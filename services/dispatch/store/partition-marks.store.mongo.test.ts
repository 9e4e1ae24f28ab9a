import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Connection } from "mongoose";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import { closedConnection } from "../../../mixins/mongo/database.mixin.ts";
import { GUILD_PARTITIONS } from "../../contracts/change-feed.contract.ts";
import type { Feed } from "../protocol/feeds.ts";
import { ledgerModels } from "./ledger-models.store.ts";
import { partitionMarksStore } from "./partition-marks.store.ts";

const FEED: Feed = "calendar-events";
const ALL = Array.from({ length: GUILD_PARTITIONS }, (_, partition) => partition);

let connection: Connection;

beforeAll(async () => {
  connection = await closedConnection().openUri(emptyDatabase());
});
afterAll(() => connection.close());

function marksFrom(partitions: readonly number[], at: number) {
  return new Map(
    partitions.map((partition) => [partition, { mark: { at: at + partition, id: "e" }, confirmedAt: at }]),
  );
}

test("the previous release finds the lowest mark, once every partition has one, and its own mark counts for all", async () => {
  const { marks } = ledgerModels(connection, "announcements");
  const store = partitionMarksStore(marks);
  /** What the previous release reads. */
  const ofAll = async () => marks.findById(FEED, { _id: 0, at: 1, id: 1 }).lean();
  await store.savePartitionMarks(FEED, marksFrom(ALL.slice(1), 100), "one");
  await expect(ofAll()).resolves.toEqual({});
  await store.savePartitionMarks(FEED, marksFrom([0], 150), "two");
  await expect(ofAll()).resolves.toEqual({ at: 101, id: "e" });
  // The previous release reads on, as after a rollback.
  await marks.updateOne({ _id: FEED }, { at: 130, id: "f" });
  const stored = await store.partitionMarks(FEED);
  expect(stored.get(1)).toMatchObject({ mark: { at: 130, id: "f" }, by: "one" });
  expect(stored.get(60)).toMatchObject({ mark: { at: 160, id: "e" }, by: "one" });
  await store.savePartitionMarks(FEED, marksFrom(ALL, 120), "one");
  await expect(ofAll()).resolves.toEqual({ at: 130, id: "f" });
  await store.savePartitionMarks(FEED, marksFrom(ALL, 200), "one");
  await expect(ofAll()).resolves.toEqual({ at: 200, id: "e" });
});

test("a mark that the previous release has stored counts for every partition", async () => {
  const { marks } = ledgerModels(connection, "notifications");
  const store = partitionMarksStore(marks);
  await marks.insertMany([{ _id: FEED, at: 70, id: "e7" }]);
  const stored = await store.partitionMarks(FEED);
  expect(stored.size).toBe(GUILD_PARTITIONS);
  expect(stored.get(GUILD_PARTITIONS - 1)).toEqual({ mark: { at: 70, id: "e7" }, confirmedAt: 0, by: "", savedAt: 0 });
  await store.savePartitionMarks(FEED, marksFrom([3], 100), "one");
  expect((await store.partitionMarks(FEED)).get(3)).toMatchObject({ mark: { at: 103, id: "e" } });
  expect((await store.partitionMarks(FEED)).get(4)).toMatchObject({ mark: { at: 70, id: "e7" } });
});
