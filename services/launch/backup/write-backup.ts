import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip, constants } from "node:zlib";
import mongoose from "mongoose";
import { VERSION } from "../../contracts/version.ts";
import { SERVICES, type ServiceName } from "../../contracts/service-names.ts";
import { collectionsOf, schemaCollection } from "../permissions/database-privileges.ts";
import { SCHEMA_ROW, type SchemaVersions } from "../run/schema-version.ts";
import { StartupError } from "../run/startup-error.ts";
import {
  BACKUP_NAME,
  type BackupFile,
  backupName,
  FORMAT,
  fileName,
  MANIFEST,
  type Manifest,
  manifestText,
  PARTIAL,
} from "./backup-folder.ts";
import { RESTORE_MARK } from "./restore-mark.ts";
import type { DocumentSource } from "./snapshot.ts";

/** Documents are compressed in pieces of this size: a call of zlib costs more than a small document. */
const PIECE_BYTES = 256 * 1024;
const WRITING = `in-progress${PARTIAL}`;

/** Every collection of an installation: first those with the schema versions, which the manifest contains. */
export const ALL_COLLECTIONS: readonly string[] = [
  ...SERVICES.map(schemaCollection),
  ...SERVICES.flatMap(collectionsOf),
];

/** A complete backup. */
export interface WrittenBackup {
  readonly path: string;
  readonly manifest: Manifest;
}

/** Writes a backup of the source below `parent`, and closes the source. */
export async function writeBackup(parent: string, source: DocumentSource): Promise<WrittenBackup> {
  try {
    return await writeFrom(parent, source);
  } finally {
    await source.close();
  }
}

async function writeFrom(parent: string, source: DocumentSource): Promise<WrittenBackup> {
  const partial = join(parent, WRITING);
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  const files: BackupFile[] = [];
  const schema: Partial<Record<ServiceName, SchemaVersions>> = {};
  for (const collection of ALL_COLLECTIONS) {
    const service = SERVICES.find((name) => schemaCollection(name) === collection);
    files.push(await writeFileOf(partial, collection, withVersionsCollected(source.read(collection), service, schema)));
  }
  if (Object.keys(schema).length === 0) {
    await rm(partial, { recursive: true });
    throw new StartupError("The database has no data of guildcal: is its name right in MONGO_URL?");
  }
  const manifest = manifestOf(source.moment, schema, files);
  const path = join(parent, backupName(manifest));
  await writeFile(join(partial, MANIFEST), manifestText(manifest), { flush: true });
  await flushFolder(partial);
  // A backup of the same moment has the same documents.
  await rm(path, { recursive: true, force: true });
  await rename(partial, path);
  await flushFolder(parent);
  return { path, manifest };
}

/** Deletes all but the latest `kept` complete backups below `parent`; returns the names of the deleted ones. */
export async function deleteOldBackups(parent: string, kept: number): Promise<string[]> {
  const names = (await readdir(parent)).filter((name) => BACKUP_NAME.test(name)).toSorted();
  const old = names.slice(0, Math.max(0, names.length - kept));
  for (const name of old) await rm(join(parent, name), { recursive: true });
  return old;
}

function manifestOf(
  moment: mongoose.mongo.Timestamp | undefined,
  schema: Manifest["schema"],
  files: readonly BackupFile[],
): Manifest {
  if (moment === undefined) throw new Error("MongoDB has not named the cluster time of the snapshot");
  const clusterTime = { seconds: moment.getHighBits() >>> 0, increment: moment.getLowBits() >>> 0 };
  const instant = new Date(clusterTime.seconds * 1_000).toISOString();
  return { format: FORMAT, guildcal: VERSION, moment: instant, clusterTime, schema, files };
}

/**
 * Passes on the documents of a collection. If `service` is defined, the collection has the schema versions of that service:
 * they are collected in `schema`. Throws if the collection has the mark of an unfinished restore.
 */
async function* withVersionsCollected(
  documents: AsyncIterable<Uint8Array>,
  service: ServiceName | undefined,
  schema: Partial<Record<ServiceName, SchemaVersions>>,
): AsyncGenerator<Uint8Array> {
  for await (const document of documents) {
    if (service !== undefined) {
      const { _id, ...row } = mongoose.mongo.BSON.deserialize(document);
      if (_id === RESTORE_MARK) throw new StartupError("The database has an unfinished restore");
      if (_id === SCHEMA_ROW) schema[service] = row as SchemaVersions;
    }
    yield document;
  }
}

async function writeFileOf(
  folder: string,
  collection: string,
  documents: AsyncIterable<Uint8Array>,
): Promise<BackupFile> {
  const counts = { documents: 0, bytes: 0 };
  const hash = createHash("sha256");
  await pipeline(
    async function* () {
      let piece: Uint8Array[] = [];
      let size = 0;
      for await (const document of documents) {
        counts.documents += 1;
        piece.push(document);
        size += document.length;
        if (size < PIECE_BYTES) continue;
        yield Buffer.concat(piece);
        piece = [];
        size = 0;
      }
      if (size > 0) yield Buffer.concat(piece);
    },
    createGzip({ level: constants.Z_BEST_SPEED }),
    async function* (compressed: AsyncIterable<Buffer>) {
      for await (const chunk of compressed) {
        counts.bytes += chunk.length;
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(join(folder, fileName(collection)), { flush: true }),
  );
  return { collection, ...counts, sha256: hash.digest("hex") };
}

/** Flushes the entries of a folder, without which a renamed file may be lost with the machine. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
