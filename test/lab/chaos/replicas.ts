import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { freePort } from "../../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess } from "../../harness/guildcal-process.ts";
import { until } from "../../harness/until.ts";
import { guardsNamed } from "../mutations/guards.ts";
import { optionsWithout } from "../mutations/remove-guard.ts";

export const REPLICAS = ["one", "two"] as const;
export type ReplicaName = (typeof REPLICAS)[number];

/** Modules that a replica loads before its own: each breaks one thing in the process. */
type Break = "ignore-broadcasts" | "stepped-clock" | "crash-on-poison-post";

export interface ReplicaOptions {
  readonly breaks?: readonly Break[];
  /** The names of guards that are removed in every replica. */
  readonly without?: readonly string[];
  /** Whether a replica that crashes is started again. */
  readonly isRestarted?: boolean;
}

/** Maximum time from the start of a process until it is ready; a machine that does other work needs minutes. */
export const READY_WITHIN_MS = 180_000;

/** The replicas of dispatch, each in a process of its own. */
export interface Replicas {
  /** Starts a replica, and waits until it is ready. */
  start(name: ReplicaName): Promise<void>;
  kill(name: ReplicaName): Promise<void>;
  signal(name: ReplicaName, signal: NodeJS.Signals): void;
  /** Number of crashes that no fault caused by a signal. */
  readonly crashes: number;
  stop(): Promise<void>;
}

export function newReplicas(
  env: Readonly<Record<string, string>>,
  { breaks = [], without = [], isRestarted = false }: ReplicaOptions,
): Replicas {
  const running = new Map<ReplicaName, GuildcalProcess>();
  const imports = breaks.map((module) => `--import=${fileUrl(`${module}.ts`)}`);
  const nodeOptions = [...imports, optionsWithout(guardsNamed(without))].join(" ");
  let crashes = 0;

  async function start(name: ReplicaName): Promise<void> {
    if (running.has(name)) await kill(name);
    const probePort = await freePort(0);
    const own = { NODE_NAME: name, NODE_OPTIONS: nodeOptions, PROBE_PORT: String(probePort) };
    const replica = new GuildcalProcess("dispatch", { ...env, ...own });
    running.set(name, replica);
    if (isRestarted) void replica.ended.then(() => (running.get(name) === replica ? restartCrashed(name) : undefined));
    const isStarted = async () => running.get(name) !== replica || (await isReady(probePort));
    await until(isStarted, `replica ${name}`, READY_WITHIN_MS).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}\n${replica.output}`);
    });
  }

  async function restartCrashed(name: ReplicaName): Promise<void> {
    crashes += 1;
    await start(name);
  }

  async function kill(name: ReplicaName): Promise<void> {
    const replica = runningReplica(name);
    running.delete(name);
    await replica.end("SIGKILL");
  }

  /** Throws if the replica does not run: a fault without an effect would pass. */
  function runningReplica(name: ReplicaName): GuildcalProcess {
    const replica = running.get(name);
    if (replica === undefined) throw new Error(`no replica ${name} runs`);
    return replica;
  }

  return {
    start,
    kill,
    signal: (name, signal) => void process.kill(runningReplica(name).pid, signal),
    get crashes() {
      return crashes;
    },
    stop: async () => void (await Promise.all([...running.keys()].map(kill))),
  };
}

/** Whether the process with this probe port serves requests. */
export function isReady(probePort: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${probePort}/health/ready`, { signal: AbortSignal.timeout(1_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function fileUrl(file: string): string {
  return pathToFileURL(join(import.meta.dirname, file)).href;
}
