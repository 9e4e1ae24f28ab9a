import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose from "mongoose";
import { removeFolder } from "../../../test/harness/remove-folder.ts";
import { insertDocuments } from "./insert-documents.ts";

const { BSON, MongoBulkWriteError } = mongoose.mongo;
const IDS = [1, 2, 3, 4];

/** A collection that refuses the documents 2 and 4 once, each with its code. */
function refusingOnce(codes: Readonly<Record<2 | 4, number>>) {
  const stored: number[] = [];
  let isFirst = true;
  const collection = {
    async insertMany(documents: readonly { _id: { valueOf(): number } }[]) {
      const ids = documents.map(({ _id }) => _id.valueOf());
      const refused = isFirst
        ? ids.flatMap((id, index) => (id === 2 || id === 4 ? [{ code: codes[id], index }] : []))
        : [];
      isFirst = false;
      stored.push(...ids.filter((_, at) => refused.every(({ index }) => index !== at)));
      if (refused.length > 0)
        throw new MongoBulkWriteError({ message: "refused", code: 0, writeErrors: refused as never }, {} as never);
    },
  };
  return { collection: collection as never, stored };
}

describe("the documents of a backup", () => {
  let folder = "";
  let path = "";

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "guildcal-backup-"));
    path = join(folder, "documents.gz");
    await writeFile(path, gzipSync(Buffer.concat(IDS.map((_id) => Buffer.from(BSON.serialize({ _id }))))));
  });
  afterAll(() => removeFolder(folder));

  test("are inserted again if the cache of the server had no room for them, and only those", async () => {
    const { collection, stored } = refusingOnce({ 2: 313, 4: 365 });
    await expect(insertDocuments(collection, path)).resolves.toBe(4);
    expect(stored).toEqual([1, 3, 2, 4]);
  });

  test("are not inserted again after another error", async () => {
    const { collection, stored } = refusingOnce({ 2: 313, 4: 11_000 });
    await expect(insertDocuments(collection, path)).rejects.toThrow("refused");
    expect(stored).toEqual([1, 3]);
  });
});
