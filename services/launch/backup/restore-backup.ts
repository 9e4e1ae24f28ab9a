import { join } from "node:path";
import type { Connection } from "mongoose";
import { databaseTime } from "../../../mixins/mongo/database.mixin.ts";
import { lostWritesStore } from "../../api/changes/lost-writes.store.ts";
import { recordRestore } from "../../dispatch/store/restored-posts.store.ts";
import type { ServiceName } from "../../contracts/service-names.ts";
import { schemaProblem } from "../run/schema-version.ts";
import { StartupError } from "../run/startup-error.ts";
import { checkBackup, fileName, type Manifest } from "./backup-folder.ts";
import { insertDocuments } from "./insert-documents.ts";
import { hasRestoreMark, removeRestoreMark, RESTORE_MARK, setRestoreMark } from "./restore-mark.ts";
import { ALL_COLLECTIONS } from "./write-backup.ts";

const COLLECTION_NAME = /^[a-z_]+$/;
const CLOCK_TIMEOUT_MS = 5_000;

/** The result of a restore. */
export interface Restored {
  readonly manifest: Manifest;
  /** Number of posts that may have been sent after the moment of the backup. */
  readonly postsInDoubt: number;
}

/**
 * Fills an empty database from a backup. Throws StartupError, and changes nothing, if the backup is not complete and
 * unchanged, if this release does not know its schema versions, or if the database is not empty. A database with an
 * unfinished restore is emptied first.
 *
 * @param buildIndexes - Builds the indexes of all services.
 */
export async function restoreBackup(
  connection: Connection,
  folder: string,
  buildIndexes: () => Promise<void>,
): Promise<Restored> {
  const { manifest, id } = await checkBackup(folder);
  throwIfUnknown(manifest);
  if (await hasRestoreMark(connection)) await emptyDatabase(connection, manifest);
  else await throwIfFilled(connection, manifest);
  await setRestoreMark(connection, id);
  for (const { collection, documents } of manifest.files) {
    const path = join(folder, fileName(collection));
    const inserted = await insertDocuments(connection.collection(collection), path);
    if (inserted !== documents) throw new Error(`${path} has ${inserted} documents instead of ${documents}`);
  }
  await buildIndexes();
  const until = await databaseTime(connection, CLOCK_TIMEOUT_MS);
  const lost = { from: Date.parse(manifest.moment), until };
  const postsInDoubt = await recordRestore(connection, lost);
  await lostWritesStore(connection).record(lost);
  await removeRestoreMark(connection);
  return { manifest, postsInDoubt };
}

function throwIfUnknown({ schema, files }: Manifest): void {
  for (const [service, versions] of Object.entries(schema)) {
    const problem = schemaProblem(service as ServiceName, versions);
    if (problem !== undefined) throw new StartupError(problem);
  }
  const strange = files.find(({ collection }) => !COLLECTION_NAME.test(collection));
  if (strange !== undefined) throw new StartupError(`The backup has a collection with the name ${strange.collection}`);
}

/** The collections of this release and of the backup, which may be one of the next release. */
function collectionsFor({ files }: Manifest): ReadonlySet<string> {
  return new Set([...ALL_COLLECTIONS, ...files.map(({ collection }) => collection)]);
}

async function throwIfFilled(connection: Connection, manifest: Manifest): Promise<void> {
  for (const name of collectionsFor(manifest)) {
    const found = await connection.collection(name).findOne({}, { projection: { _id: 1 } });
    if (found === null) continue;
    throw new StartupError(`The database ${connection.name} is not empty (${name}): restore into an empty one`);
  }
}

async function emptyDatabase(connection: Connection, manifest: Manifest): Promise<void> {
  for (const name of collectionsFor(manifest)) {
    await connection.collection<{ readonly _id: string }>(name).deleteMany({ _id: { $ne: RESTORE_MARK } });
  }
}
