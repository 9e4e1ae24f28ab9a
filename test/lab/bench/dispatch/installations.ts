import { freePort } from "../../../../services/launch/embedded/embedded-mongod.ts";
import { startNats } from "../../../../services/launch/embedded/embedded-nats.ts";
import { GuildcalProcess } from "../../../harness/guildcal-process.ts";
import { Replica } from "../../cluster/replica.ts";
import { type CpuShare, cpuShare } from "../requests/cpu-share.ts";

/** The database of an installation, and the chat server that it posts to. */
export interface Surroundings {
  readonly mongoUrl: string;
  readonly chatUrl: string;
  readonly token: string;
}

/** The part of an installation of guildcal that sends posts. */
export interface Installation {
  /** The processes whose processor time is measured. */
  readonly pids: readonly number[];
  /** Called when all posts are planned. */
  limit(): Promise<void>;
  stop(): Promise<void>;
}

export type StartInstallation = (surroundings: Surroundings) => Promise<Installation>;

/** All services in one process, as with `npm start`. */
export const startOneProcess: StartInstallation = async (surroundings) => {
  const launched = new GuildcalProcess("all", await environment(surroundings));
  await launched.printed(/guildcal is ready/);
  return { pids: [launched.pid], limit: async () => {}, stop: async () => void (await launched.end("SIGKILL")) };
};

/** Share of a CPU for each replica of dispatch: two replicas, the owner services and the database share two CPUs. */
const SHARE = 0.2;

/** A process for each service. Only the replicas of dispatch are measured. */
export function startReplicas(count: number): StartInstallation {
  return async (surroundings) => {
    const nats = await startNats();
    const env = { ...(await environment(surroundings)), NATS_URL: nats.url };
    const start = async (service: string, name = "r1") => {
      const replica = new Replica({ service, name, env, probePort: await freePort(0), port: await freePort(0) });
      await replica.becameReady();
      return replica;
    };
    const owners = [await start("announcements"), await start("guild-settings"), await start("calendar-events")];
    const dispatch: Replica[] = [];
    for (let at = 1; at <= count; at += 1) dispatch.push(await start("dispatch", `r${at}`));
    const shares: CpuShare[] = [];
    return {
      pids: dispatch.map(({ pid }) => pid),
      async limit() {
        for (const { pid } of dispatch) {
          const share = await cpuShare(`guildcal-bench-${pid}`, SHARE);
          shares.push(share);
          await share.add(pid);
        }
      },
      async stop() {
        for (const each of [...dispatch, ...owners]) await each.kill();
        for (const share of shares) await share.remove();
        await nats.stop();
      },
    };
  };
}

async function environment({ mongoUrl, chatUrl, token }: Surroundings): Promise<Record<string, string>> {
  const sink = {
    SINKS: "discord",
    DISCORD_TOKEN: token,
    DISCORD_API_URL: chatUrl,
    DISCORD_REQUESTS_PER_SECOND: "10000",
  };
  const ports = { PORT: String(await freePort(0)), PROBE_PORT: "0" };
  return { MONGO_URL: mongoUrl, ...ports, ...sink, LOG_LEVEL: "error", API_KEY: "a-key-of-twenty-characters-or-more" };
}
