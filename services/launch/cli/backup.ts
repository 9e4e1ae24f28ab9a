import { resolve } from "node:path";
import mongoose from "mongoose";
import { openSnapshot } from "../backup/snapshot.ts";
import { deleteOldBackups, writeBackup } from "../backup/write-backup.ts";
import { BACKUP_USER } from "../permissions/database-privileges.ts";
import { readSettings } from "../run/service-factories.ts";
import { StartupError } from "../run/startup-error.ts";
import { parseArguments } from "./arguments.ts";
import { openDatabase } from "./open-database.ts";

const USAGE = "npm run backup -- FOLDER [--keep N]\nN is the number of backups that stay in the folder, 1 to 1000.";
const MAX_KEPT = 1_000;

/** `npm run backup`: writes a backup into a folder, and deletes older ones with `--keep`. */
export async function runBackup(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { positionals, values } = parseArguments(args, { keep: { type: "string" } }, USAGE);
  const [parent] = positionals;
  const kept = values.keep === undefined ? undefined : Number(values.keep);
  const isValid = kept === undefined || (Number.isInteger(kept) && kept >= 1 && kept <= MAX_KEPT);
  if (parent === undefined || positionals.length > 1 || !isValid) throw new StartupError(USAGE);
  const beganAt = performance.now();
  const database = await openDatabase(readSettings(env));
  const options = { autoIndex: false, autoCreate: false } as const;
  const connection = await mongoose.createConnection(database.urlOf(BACKUP_USER), options).asPromise();
  try {
    const { path, manifest } = await writeBackup(resolve(parent), await openSnapshot(connection));
    const documents = manifest.files.reduce((sum, file) => sum + file.documents, 0);
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
    const seconds = ((performance.now() - beganAt) / 1_000).toFixed(1);
    process.stdout.write(`${path}  ${documents} documents  ${bytes} bytes  ${seconds} s\n`);
    const deleted = kept === undefined ? [] : await deleteOldBackups(resolve(parent), kept);
    for (const name of deleted) process.stdout.write(`deleted ${name}\n`);
  } finally {
    await connection.close();
    await database.close();
  }
}
