import { resolve } from "node:path";
import { runningMongod, startMongod } from "../embedded/embedded-mongod.ts";
import type { DatabaseUser } from "../permissions/database-privileges.ts";
import { checkMongo } from "../run/preflight.ts";
import type { Settings } from "../run/service-factories.ts";

/** A MongoDB that a command can use. */
export interface OpenDatabase {
  /** Database URL of the user of a service, or of the command. */
  urlOf(user: DatabaseUser): string;
  /** Stops the mongod if it was started for the command. */
  close(): Promise<void>;
}

/** The given database, or the embedded mongod if it runs, or one that is started for the command. */
export async function openDatabase({
  MONGO_URL,
  DATA_DIR,
}: Pick<Settings, "MONGO_URL" | "DATA_DIR">): Promise<OpenDatabase> {
  if (MONGO_URL !== undefined) {
    await checkMongo(MONGO_URL);
    return { urlOf: () => MONGO_URL, close: async () => undefined };
  }
  const directory = resolve(DATA_DIR);
  const urlOf = await runningMongod(directory);
  return urlOf === undefined ? startForCommand(directory) : { urlOf, close: async () => undefined };
}

async function startForCommand(directory: string): Promise<OpenDatabase> {
  const mongod = await startMongod(directory);
  return { urlOf: (user) => mongod.urlOf(user), close: () => mongod.stop() };
}
