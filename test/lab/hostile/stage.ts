import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess } from "../../harness/guildcal-process.ts";
import { postClient } from "./post-client.ts";
import { startAttackers } from "./connections.ts";
import type { Stage, Target } from "./row.ts";
import { removeFolder } from "../../harness/remove-folder.ts";

export const OPERATOR_KEY = "operator-key-of-the-hostile-load";
const CONNECTIONS = 64;
/** Maximum number of connection loads in one attack. */
const MAX_LOADS = 3;

/** Starts guildcal as `npm start` does, on its own data folder. */
export async function startTarget(env: Readonly<Record<string, string>>, mode = "all"): Promise<Target> {
  const directory = await mkdtemp(join(tmpdir(), "guildcal-hostile-"));
  const port = await freePort(0);
  const service = new GuildcalProcess(mode, { DATA_DIR: directory, PORT: String(port), API_KEY: OPERATOR_KEY, ...env });
  const stop = async () => {
    await service.end();
    await removeFolder(directory);
  };
  await service.printed(/guildcal is ready/).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { port, pids: () => [service.pid], output: () => service.output, stop };
}

export function newStage(target: Target): Stage & { end(): void } {
  const { post, end } = postClient(target.port, CONNECTIONS);
  const attackers = startAttackers(MAX_LOADS);

  async function ask<Body>(path: string, body: object): Promise<Body> {
    const { status, text } = await post(path, OPERATOR_KEY, JSON.stringify(body));
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text) as Body;
  }

  return {
    target,
    attackers,
    operatorKey: OPERATOR_KEY,
    post,
    ask,
    end() {
      end();
      for (const each of attackers) if (each.connected) each.disconnect();
    },
    async createKey(guildId) {
      const key = { kind: "guild", guilds: [guildId], access: "write", label: "hostile load" };
      return (await ask<{ key: string }>("/admin/keys/create", key)).key;
    },
  };
}
