import { resolve } from "node:path";
import mongoose from "mongoose";
import { buildIndexes } from "../../../mixins/mongo/database.mixin.ts";
import { SERVICES } from "../../contracts/service-names.ts";
import { restoreBackup } from "../backup/restore-backup.ts";
import { ADMIN } from "../permissions/database-privileges.ts";
import { makeService, readSettings } from "../run/service-factories.ts";
import { StartupError } from "../run/startup-error.ts";
import { parseArguments } from "./arguments.ts";
import { openDatabase } from "./open-database.ts";

const USAGE = "npm run restore -- FOLDER/guildcal-…\nThe database must be empty.";
/** Settings of services that are made for their indexes and are not started: any valid secrets. */
const SETTINGS_OF_NO_START = { API_KEY_PEPPER: "-".repeat(32), WEBHOOKS_KEY: "-".repeat(32) };

/** `npm run restore`: fills an empty database from a backup. */
export async function runRestore(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { positionals } = parseArguments(args, {}, USAGE);
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1) throw new StartupError(USAGE);
  const beganAt = performance.now();
  const database = await openDatabase(readSettings(env));
  const mongoUrl = database.urlOf(ADMIN);
  const connection = await mongoose
    .createConnection(mongoUrl, { autoIndex: false, autoCreate: false, writeConcern: { w: "majority", journal: true } })
    .asPromise();
  try {
    const { manifest, postsInDoubt } = await restoreBackup(connection, resolve(folder), () => buildAll(mongoUrl));
    const seconds = ((performance.now() - beganAt) / 1_000).toFixed(1);
    process.stdout.write(
      `restored the data of ${manifest.moment}  ${postsInDoubt} posts may have been sent since  ${seconds} s\n`,
    );
  } finally {
    await connection.close();
    await database.close();
  }
}

async function buildAll(mongoUrl: string): Promise<void> {
  const settings = readSettings(SETTINGS_OF_NO_START);
  const context = { mongoUrl, settings, onFirstKey: () => undefined, onListening: () => undefined };
  for (const service of SERVICES) await buildIndexes(await makeService(service, context));
}
