import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Schema } from "mongoose";
import type { GuildId, WriteId } from "../../services/contracts/ids.ts";
import { emptyDatabase } from "../../test/real-parts/test-services.ts";
import { saveRevision, stampedNewRecord, stampedReplacement, type Tracked, trackedPaths } from "./change-feed.ts";
import { inWrite } from "./current-write.ts";
import { closedConnection } from "./database.mixin.ts";
import { revisionWritten, wasMade } from "./recent-writes.ts";
import { newWriteId } from "./write-id.ts";

type Row = Tracked & { value?: string };

const guildId = "1" as GuildId;

describe("the tries of a write", () => {
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

  /** One try: it has seen the revision before, and stores this one. */
  function save(revision: number, value: string, id?: WriteId): Promise<boolean> {
    const record = { _id, guildId, revision, value };
    return inWrite({ id }, () => saveRevision(model, record, stampedReplacement(record)));
  }

  const written = (id: WriteId, where: object = {}) =>
    inWrite({ id }, () => revisionWritten(model, { _id, guildId, ...where }));
  const stored = () => model.findById(_id).lean<Row>();

  test("store it once: what one has stored, another finds, with its revision", async () => {
    await make();
    const id = newWriteId();
    await expect(written(id)).resolves.toBeUndefined();
    await expect(save(2, "mine", id)).resolves.toBe(true);
    // It has loaded what the first has stored.
    await expect(save(3, "mine", id)).resolves.toBe(false);
    await expect(written(id)).resolves.toBe(2);
  });

  test("undo nothing that somebody else has written since", async () => {
    await make();
    const [mine, theirs] = [newWriteId(), newWriteId()];
    await save(2, "mine", mine);
    await save(3, "theirs", theirs);
    await expect(save(4, "mine", mine)).resolves.toBe(false);
    await expect(stored()).resolves.toMatchObject({ revision: 3, value: "theirs" });
    await expect(Promise.all([written(mine), written(theirs)])).resolves.toEqual([2, 3]);
  });

  test("know the first revision of what is not named by the write that makes it", async () => {
    _id = randomUUID();
    const id = newWriteId();
    await save(1, "mine", id);
    await expect(save(2, "mine", id)).resolves.toBe(false);
    await expect(written(id)).resolves.toBe(1);
  });

  test("are known in the guild that they are of, and in the record", async () => {
    await make();
    const id = newWriteId();
    await save(2, "mine", id);
    await expect(written(id, { guildId: "2" })).resolves.toBeUndefined();
    await expect(written(id, { _id: randomUUID() })).resolves.toBeUndefined();
  });

  test("are forgotten by a later write when none of them can change anything any more", async () => {
    await make();
    const [old, recent, last] = [newWriteId(), newWriteId(), newWriteId()];
    await save(2, "old", old);
    await model.updateOne({ _id }, { $set: { "writes.$[].at": new Date(Date.now() - 60_000) } });
    await save(3, "recent", recent);
    await save(4, "last", last);
    expect((await stored())?.writes?.map(({ id }) => id)).toEqual([recent, last]);
  });

  test("leave no trace where a write has no id, or the record its own", async () => {
    await make();
    await save(2, "without an id");
    expect((await stored())?.writes).toHaveLength(1);
    const id = newWriteId();
    const record = { _id: id as string, guildId, revision: 1 };
    await expect(inWrite({ id }, () => wasMade(model, record))).resolves.toBe(false);
    await inWrite({ id }, () => saveRevision(model, record, stampedNewRecord(record, [])));
    expect((await model.findById(id).lean<Row>())?.writes).toBeUndefined();
    await expect(inWrite({ id }, () => wasMade(model, record))).resolves.toBe(true);
    await expect(wasMade(model, { ...record, guildId: "2" as GuildId })).resolves.toBe(false);
  });
});
