import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mongo, Schema } from "mongoose";
import type { GuildId, WriteId } from "../../services/contracts/ids.ts";
import { emptyDatabase } from "../../test/harness/test-services.ts";
import { saveRevision, stampedNewRecord, stampedReplacement } from "./change-feed.ts";
import { type Tracked, trackedPaths } from "./tracked-record.ts";
import { runInWriteContext } from "./write-context.ts";
import { closedConnection } from "./database.mixin.ts";
import { revisionWritten, wasCreated } from "./recent-writes.ts";
import { newWriteId } from "./write-id.ts";

type Row = Tracked & { value?: string };

const guildId = "1" as GuildId;
const { calculateObjectSize } = mongo.BSON;

describe("the attempts of a write", () => {
  const connection = closedConnection();
  const schema = new Schema<Row>({ _id: String, ...trackedPaths, value: String }, { versionKey: false });
  const model = connection.model<Row>("Tried", schema);
  let _id: string;

  beforeAll(() => connection.openUri(emptyDatabase()));
  afterAll(() => connection.close());

  async function make(): Promise<void> {
    _id = randomUUID();
    await save(1, "made", newWriteId());
  }

  /** One attempt, which has loaded the revision before and stores this one. */
  function save(revision: number, value: string, id?: WriteId): Promise<boolean> {
    const record = { _id, guildId, revision, value };
    return runInWriteContext({ id }, () => saveRevision(model, record, stampedReplacement(record)));
  }

  const written = (id: WriteId, where: object = {}) =>
    runInWriteContext({ id }, () => revisionWritten(model, { _id, guildId, ...where }));
  const stored = () => model.findById(_id).lean<Row>();

  /** The oplog entry of the last change of the record. */
  async function lastOperation(): Promise<{ readonly o: object }> {
    const oplog = connection.useDb("local").collection<{ o: object }>("oplog.rs");
    const [last] = await oplog.find({ op: "u", "o2._id": _id }).sort({ $natural: -1 }).limit(1).toArray();
    return last as { o: object };
  }

  test("store it once: a second attempt finds the revision of the first", async () => {
    await make();
    const id = newWriteId();
    await expect(written(id)).resolves.toBeUndefined();
    await expect(save(2, "mine", id)).resolves.toBe(true);
    // This attempt loaded the revision that the first one stored.
    await expect(save(3, "mine", id)).resolves.toBe(false);
    await expect(written(id)).resolves.toBe(2);
  });

  test("undo no write of others that was stored in between", async () => {
    await make();
    const [mine, theirs] = [newWriteId(), newWriteId()];
    await save(2, "mine", mine);
    await save(3, "theirs", theirs);
    await expect(save(4, "mine", mine)).resolves.toBe(false);
    await expect(stored()).resolves.toMatchObject({ revision: 3, value: "theirs" });
    await expect(Promise.all([written(mine), written(theirs)])).resolves.toEqual([2, 3]);
  });

  test("find the first revision of a record whose id does not come from the write", async () => {
    _id = randomUUID();
    const id = newWriteId();
    await save(1, "mine", id);
    await expect(save(2, "mine", id)).resolves.toBe(false);
    await expect(written(id)).resolves.toBe(1);
  });

  test("leave no date in the record but its stamp: 0.1.0 sends all other fields over the bus", async () => {
    await make();
    const record = { _id, guildId, revision: 2, value: "mine" };
    const write = { id: newWriteId(), origin: { requestId: "r1" } };
    await runInWriteContext(write, () => saveRevision(model, record, stampedReplacement(record)));
    const { changedAt, ...rest } = (await model.collection.findOne({ _id } as never)) as unknown as Row;
    const at = changedAt.getTime();
    expect(rest).toMatchObject({ changedBy: { at, requestId: "r1" }, writes: [{ revision: 1 }, { revision: 2, at }] });
    expect(rest.writes?.map((each) => typeof each.at)).toEqual(["number", "number"]);
  });

  test("are found only in their own guild and record", async () => {
    await make();
    const id = newWriteId();
    await save(2, "mine", id);
    await expect(written(id, { guildId: "2" })).resolves.toBeUndefined();
    await expect(written(id, { _id: randomUUID() })).resolves.toBeUndefined();
  });

  test("are deleted by a later write when no attempt can change anything any more", async () => {
    await make();
    const [old, recent, last] = [newWriteId(), newWriteId(), newWriteId()];
    await save(2, "old", old);
    await model.updateOne({ _id }, { $set: { "writes.$[].at": new Date(Date.now() - 60_000) } });
    await save(3, "recent", recent);
    await save(4, "last", last);
    expect((await stored())?.writes?.map(({ id }) => id)).toEqual([recent, last]);
  });

  test("cost the oplog no more in a record with many of them, some of which are too old", async () => {
    await make();
    const many = (count: number, msAgo: number) =>
      Array.from({ length: count }, (_, at) => ({
        id: newWriteId(),
        revision: at,
        at: new Date(Date.now() - msAgo),
      }));
    const newest = newWriteId();
    await model.updateOne({ _id }, { $set: { writes: [...many(300, 60_000), ...many(400, 0)] } });
    await save(2, "appended", newest);
    expect((await stored())?.writes).toHaveLength(701);
    const { o } = await lastOperation();
    expect(calculateObjectSize(o)).toBeLessThan(1_000);
    expect(JSON.stringify(o)).toContain(newest);
  });

  test.each([
    ["milliseconds", (at: number) => at],
    ["dates, as early builds stored them", (at: number) => new Date(at)],
  ])("are deleted together when half of them are too old: %s", async (_form, stamp) => {
    await make();
    const writes = [60_000, 60_000, 60_000, 0, 0].map((msAgo) => ({
      id: newWriteId(),
      revision: 1,
      at: stamp(Date.now() - msAgo),
    }));
    // The model would turn dates into numbers.
    await model.collection.updateOne({ _id } as never, { $set: { writes } as never });
    await save(2, "mine", newWriteId());
    expect((await stored())?.writes).toHaveLength(3);
  });

  test("are not stored if a write has no id, or the record has its id from the write", async () => {
    await make();
    await save(2, "without an id");
    expect((await stored())?.writes).toHaveLength(1);
    const id = newWriteId();
    const record = { _id: id as string, guildId, revision: 1 };
    await expect(runInWriteContext({ id }, () => wasCreated(model, record))).resolves.toBe(false);
    await runInWriteContext({ id }, () => saveRevision(model, record, stampedNewRecord(record, [])));
    expect((await model.findById(id).lean<Row>())?.writes).toBeUndefined();
    await expect(runInWriteContext({ id }, () => wasCreated(model, record))).resolves.toBe(true);
    await expect(wasCreated(model, { ...record, guildId: "2" as GuildId })).resolves.toBe(false);
  });
});
