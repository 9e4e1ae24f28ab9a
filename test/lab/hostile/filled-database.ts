import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMongod } from "../../../services/launch/embedded/embedded-mongod.ts";
import { mongodUnder } from "./mongod-under.ts";
import type { Target } from "./row.ts";
import { startTarget } from "./stage.ts";
import { removeFolder } from "../../harness/remove-folder.ts";

const PEPPER = "pepper-of-the-hostile-load-0123456789abcdef";

/** Starts guildcal as `npm start` does, on a filled MongoDB that was restarted, so that its cache is empty. */
export async function startOnFilledDatabase(
  env: Readonly<Record<string, string>>,
  fill: (mongoUrl: string) => Promise<void>,
): Promise<Target & { readonly mongoUrl: string }> {
  const directory = await mkdtemp(join(tmpdir(), "guildcal-hostile-"));
  let mongod = await startMongod(directory);
  const remove = async () => {
    await mongod.stop();
    await removeFolder(directory);
  };
  try {
    await fill(mongod.url);
    await mongod.stop();
    mongod = await startMongod(directory);
    const mongodPid = await mongodUnder([process.pid]);
    const target = await startTarget({ ...env, MONGO_URL: mongod.url, API_KEY_PEPPER: PEPPER });
    const stop = async () => {
      await target.stop();
      await remove();
    };
    return { ...target, mongoUrl: mongod.url, pids: () => [...target.pids(), mongodPid], stop };
  } catch (error) {
    await remove();
    throw error;
  }
}
