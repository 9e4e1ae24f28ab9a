import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { freePort } from "../../../services/launch/embedded/embedded-mongod.ts";
import { Launched } from "../../real-parts/launched.ts";
import { until } from "../../real-parts/until.ts";
import { guardsNamed } from "../mutations/guards.ts";
import { optionsWithout } from "../mutations/take-out.ts";

export const REPLICAS = ["one", "two"] as const;
export type ReplicaName = (typeof REPLICAS)[number];

/** Modules that a replica may load before anything else: each breaks one thing in its process. */
type Break = "deaf-to-broadcasts" | "stepped-clock" | "dies-of-poison";

export interface ReplicaOptions {
  readonly breaks?: readonly Break[];
  /** Names of the guards that are taken out of every replica. */
  readonly without?: readonly string[];
  /** Whether one that dies by itself is raised again. */
  readonly isKept?: boolean;
}

/** The replicas of dispatch, a process each. */
export interface Replicas {
  /** Starts one, and waits until it can work. */
  raise(name: ReplicaName): Promise<void>;
  kill(name: ReplicaName): Promise<void>;
  signal(name: ReplicaName, signal: NodeJS.Signals): void;
  /** How many have died by themselves. */
  readonly crashes: number;
  stop(): Promise<void>;
}

export function newReplicas(
  env: Readonly<Record<string, string>>,
  { breaks = [], without = [], isKept = false }: ReplicaOptions,
): Replicas {
  const running = new Map<ReplicaName, Launched>();
  const imports = breaks.map((module) => `--import=${fileUrl(`${module}.ts`)}`);
  const nodeOptions = [...imports, optionsWithout(guardsNamed(without))].join(" ");
  let crashes = 0;

  async function raise(name: ReplicaName): Promise<void> {
    if (running.has(name)) await kill(name);
    const probePort = await freePort(0);
    const own = { NODE_NAME: name, NODE_OPTIONS: nodeOptions, PROBE_PORT: String(probePort) };
    const replica = new Launched("dispatch", { ...env, ...own });
    running.set(name, replica);
    if (isKept) void replica.ended.then(() => (running.get(name) === replica ? raiseCrashed(name) : undefined));
    const isReady = () =>
      fetch(`http://127.0.0.1:${probePort}/health/ready`, { signal: AbortSignal.timeout(1_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    const isThere = async () => running.get(name) !== replica || (await isReady());
    await until(isThere, `replica ${name}`, 60_000).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}\n${replica.output}`);
    });
  }

  async function raiseCrashed(name: ReplicaName): Promise<void> {
    crashes += 1;
    await raise(name);
  }

  async function kill(name: ReplicaName): Promise<void> {
    const replica = known(name);
    running.delete(name);
    await replica.end("SIGKILL");
  }

  /** A fault that names nobody would break nothing, and pass. */
  function known(name: ReplicaName): Launched {
    const replica = running.get(name);
    if (replica === undefined) throw new Error(`no replica ${name} runs`);
    return replica;
  }

  return {
    raise,
    kill,
    signal: (name, signal) => void process.kill(known(name).pid, signal),
    get crashes() {
      return crashes;
    },
    stop: async () => void (await Promise.all([...running.keys()].map(kill))),
  };
}

function fileUrl(file: string): string {
  return pathToFileURL(join(import.meta.dirname, file)).href;
}
