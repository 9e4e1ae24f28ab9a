import { resolve } from "node:path";
import { runningMongod, startMongod } from "../embedded/embedded-mongod.ts";
import { checkMongo } from "../run/preflight.ts";
import type { Settings } from "../run/service-factories.ts";

/** The database that is set, the embedded one that runs, or one that is started for the moment. */
export async function openDatabase({
  MONGO_URL,
  DATA_DIR,
}: Pick<Settings, "MONGO_URL" | "DATA_DIR">): Promise<{ url: string; close(): Promise<void> }> {
  if (MONGO_URL !== undefined) {
    await checkMongo(MONGO_URL);
    return { url: MONGO_URL, close: async () => undefined };
  }
  const directory = resolve(DATA_DIR);
  const running = await runningMongod(directory, "api");
  if (running !== undefined) return { url: running, close: async () => undefined };
  const mongod = await startMongod(directory);
  return { url: mongod.urlOf("api"), close: () => mongod.stop() };
}
