import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess } from "./guildcal-process.ts";
import { removeFolder } from "./remove-folder.ts";

/** An installation of `npm run start:nats` that is ready, without limits of requests. */
export interface StartedProcesses {
  readonly baseUrl: string;
  readonly key: string;
  /** The process whose children are the services. */
  readonly pid: number;
  stop(): Promise<void>;
}

const KEY = "a-key-of-twenty-characters-or-more";

export async function startProcesses(env: Readonly<Record<string, string>> = {}): Promise<StartedProcesses> {
  const port = await freePort(0);
  const directory = await mkdtemp(join(tmpdir(), "guildcal-processes-"));
  const limits = { REQUESTS_PER_GUILD: "0", REQUESTS_PER_KEY: "0" };
  const launched = new GuildcalProcess("nats", {
    DATA_DIR: directory,
    PORT: String(port),
    API_KEY: KEY,
    ...limits,
    ...env,
  });
  await launched.printed(/guildcal is ready/);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    key: KEY,
    pid: launched.pid,
    async stop() {
      await launched.end("SIGKILL");
      await removeFolder(directory);
    },
  };
}
