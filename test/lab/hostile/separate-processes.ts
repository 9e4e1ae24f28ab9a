import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { startMongod } from "../../../services/launch/embedded/embedded-mongod.ts";
import { startNats } from "../../../services/launch/embedded/embedded-nats.ts";
import { Replica } from "../cluster/replica.ts";
import { freePorts } from "../../harness/free-ports.ts";
import { WEBHOOKS_KEY } from "../../harness/webhooks-key.ts";
import { mongodUnder } from "./mongod-under.ts";
import type { Target } from "./row.ts";
import { removeFolder } from "../../harness/remove-folder.ts";

/** Dispatch starts last, since it calls the others. */
const OTHERS = ["api", "announcements", "calendar-events", "guild-settings", "webhooks"] as const;
const PEPPER = "pepper-of-the-hostile-load-0123456789abcdef";

/** A process for each service, as in containers. Dispatch can be stopped and started again. */
export interface SeparateProcesses {
  readonly target: Target;
  /** The ports of all gateways; the target's is the first. */
  readonly gateways: readonly number[];
  readonly database: mongoose.Connection;
  /** Restarts mongod on the same port and data, to empty its cache. The services reconnect. */
  restartMongod(): Promise<void>;
  killDispatch(): Promise<void>;
  /** Resolves when dispatch is ready. */
  startDispatch(): Promise<void>;
}

/** Starts `replicas` of each service, and one dispatch. */
export async function startProcesses(
  env: Readonly<Record<string, string>>,
  { replicas = 1 }: { readonly replicas?: number } = {},
): Promise<SeparateProcesses> {
  const directory = await mkdtemp(join(tmpdir(), "guildcal-hostile-"));
  const nats = await startNats();
  let mongod = await startMongod(directory);
  let mongodPid = await mongodUnder([process.pid]);
  const all = {
    ...env,
    MONGO_URL: mongod.url,
    NATS_URL: nats.url,
    API_KEY_PEPPER: PEPPER,
    WEBHOOKS_KEY,
    LOG_LEVEL: "warn",
  };
  const database = await mongoose.createConnection(mongod.url).asPromise();
  const started: Replica[] = [];
  const running = () => started.filter((replica) => !replica.hasEnded);

  async function start(service: string): Promise<Replica> {
    const [probePort, port] = (await freePorts(2)) as [number, number];
    const replica = new Replica({ service, name: `hostile-${started.length}`, env: all, probePort, port });
    started.push(replica);
    if (!(await replica.becameReady())) throw new Error(`${service} ended:\n${replica.output}`);
    return replica;
  }

  async function stop(): Promise<void> {
    await database.close();
    await Promise.all(running().map((replica) => replica.kill()));
    await Promise.all([nats.stop(), mongod.stop()]);
    await removeFolder(directory);
  }

  try {
    const each = OTHERS.flatMap((service) => Array.from({ length: replicas }, () => service));
    const gateways = (await Promise.all(each.map(start))).filter(({ service }) => service === "api");
    const [{ port }] = gateways as [Replica];
    let dispatch = await start("dispatch");
    return {
      target: {
        port,
        pids: () => [...running().map(({ pid }) => pid), mongodPid],
        output: () => started.map(({ service, output }) => `--- ${service}\n${output}`).join("\n"),
        stop,
      },
      gateways: gateways.map((gateway) => gateway.port),
      database,
      async restartMongod() {
        await mongod.stop();
        mongod = await startMongod(directory);
        mongodPid = await mongodUnder([process.pid]);
      },
      killDispatch: () => dispatch.kill(),
      startDispatch: async () => void (dispatch = await start("dispatch")),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
