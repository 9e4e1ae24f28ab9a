import { createReadStream } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import mongoose from "mongoose";
import { CACHE_IS_FULL } from "../../../mixins/mongo/database.mixin.ts";

type Collection = mongoose.mongo.Collection;
type Document = mongoose.mongo.Document;

const DOCUMENTS_PER_INSERT = 1_000;
const BYTES_PER_INSERT = 4 * 1024 * 1024;
const MAX_CONCURRENT_INSERTS = 4;
/** Options that keep the BSON types: a double with an integral value stays a double. */
const AS_STORED = { promoteValues: false, bsonRegExp: true } as const;

/** Inserts the documents of a compressed file; returns their number. Throws the first failure, when no insert runs any more. */
export async function insertDocuments(collection: Collection, path: string): Promise<number> {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let count = 0;
  for await (const documents of batches(readDocuments(path))) {
    count += documents.length;
    const insert = insertBatch(collection, documents)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(insert));
    running.add(insert);
    if (running.size >= MAX_CONCURRENT_INSERTS) await Promise.race(running);
    if (failures.length > 0) break;
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  return count;
}

/** About two minutes: a restore that ends has to begin again. */
const MAX_ATTEMPTS = 30;
const MAX_PAUSE_MS = 5_000;

/** Inserts the documents of a batch, and again those for which the server's cache had no room. */
async function insertBatch(collection: Collection, documents: readonly Document[]): Promise<void> {
  for (let left = documents, attempt = 1; left.length > 0; attempt += 1) {
    try {
      await collection.insertMany(left, { ordered: false });
      return;
    } catch (error) {
      const errors = error instanceof mongoose.mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
      const isTemporary = errors.length > 0 && errors.every(({ code }) => CACHE_IS_FULL.has(code));
      if (!isTemporary || attempt === MAX_ATTEMPTS) throw error;
      const refused = new Set(errors.map(({ index }) => index));
      left = left.filter((_, at) => refused.has(at));
      await pause(Math.min(MAX_PAUSE_MS, 100 * 2 ** attempt));
    }
  }
}

async function* batches(documents: AsyncIterable<Buffer>): AsyncGenerator<Document[]> {
  let batch: Document[] = [];
  let bytes = 0;
  for await (const document of documents) {
    if (batch.length === DOCUMENTS_PER_INSERT || (bytes > 0 && bytes + document.length > BYTES_PER_INSERT)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(mongoose.mongo.BSON.deserialize(document, AS_STORED));
    bytes += document.length;
  }
  if (batch.length > 0) yield batch;
}

/**
 * The documents of a file that is compressed with gzip, and whose checksum was compared. Each begins with its length as a
 * little-endian integer of 32 bits.
 */
async function* readDocuments(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  const unzipped = createGunzip();
  createReadStream(path)
    .on("error", (error) => unzipped.destroy(error))
    .pipe(unzipped);
  for await (const chunk of unzipped) {
    rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  }
  if (rest.length > 0) throw new Error(`${path} ends within a document`);
}
