import { join } from "node:path";
import { freePort } from "../../../../services/launch/embedded/embedded-mongod.ts";
import { ask, type Reached, untilAnswered } from "./ask.ts";
import { type CpuShare, cpuShare } from "./cpu-share.ts";
import { MeasuredProcess } from "./measured-process.ts";
import { SERVER_CPU } from "./processors.ts";
import type { Usage } from "./report-usage.ts";
import { SERVICES } from "../../../../services/contracts/service-names.ts";
import { PROJECT } from "../../../real-parts/launched.ts";

/** Something that answers requests and is measured at it. */
export interface Subject extends Reached {
  readonly name: string;
  /** Of all its gateways, `port` among them. */
  readonly ports: readonly number[];
  /** By the name of the process. */
  usage(): Promise<Readonly<Record<string, Usage>>>;
  /** Bytes that all its processes hold once garbage was collected. */
  held(): Promise<number>;
  stop(): Promise<void>;
}

const START = "services/launch/start.js";
/** As `npm start` has them. */
const FLAGS = ["--max-semi-space-size=8"];

const OPERATOR_KEY = "operator-key-of-the-bench";

export interface Given {
  readonly mongoUrl: string;
  readonly directory: string;
  readonly natsUrl?: string;
  readonly profile?: string | undefined;
  /** The checkout whose guildcal it is; this one where none is given. */
  readonly tree?: string;
}

function environment({ mongoUrl, directory, natsUrl }: Given, port: number): Record<string, string> {
  return {
    MONGO_URL: mongoUrl,
    ...(natsUrl === undefined ? {} : { NATS_URL: natsUrl }),
    DATA_DIR: directory,
    PORT: String(port),
    API_KEY: OPERATOR_KEY,
    API_KEY_PEPPER: "pepper-of-the-bench-0123456789abcdef",
    REQUESTS_PER_KEY: "0",
    REQUESTS_PER_GUILD: "0",
  };
}

/** guildcal as `npm start` runs it, in one process. */
export async function startGuildcal(given: Given, name = "guildcal"): Promise<Subject> {
  const port = await freePort(0);
  const { profile, tree = PROJECT } = given;
  const all = new MeasuredProcess({
    script: join(tree, START),
    args: ["all"],
    flags: FLAGS,
    env: environment(given, port),
    cpu: SERVER_CPU,
    profile,
  });
  return subject(name, [port], new Map([["all", all]]));
}

/** How many processes each service has. */
export interface Replicas {
  readonly count: number;
  /** Of a CPU, for each process once it has started; without, they share one. */
  readonly share?: number;
}

/** guildcal as `npm run start:nats` runs it, a process a service, or several. */
export async function startOverNats(
  given: Given & { readonly natsUrl: string },
  { count, share }: Replicas = { count: 1 },
  name = "over NATS",
): Promise<Subject> {
  const { profile, tree = PROJECT } = given;
  const processes = new Map<string, MeasuredProcess>();
  const ports: number[] = [];
  for (let replica = 1; replica <= count; replica += 1) {
    const port = await freePort(0);
    ports.push(port);
    for (const service of SERVICES.toReversed()) {
      const env = { ...environment(given, port), NODE_NAME: `bench${replica}` };
      const options = { script: join(tree, START), args: [service], flags: FLAGS, env, cpu: SERVER_CPU, profile };
      processes.set(count === 1 ? service : `${service} ${replica}`, new MeasuredProcess(options));
    }
  }
  if (share === undefined) return subject(name, ports, processes);
  return limited(await subject(`${count} of each service`, ports, processes), processes, share);
}

/** Only what has started: under its share a start would take half a minute. */
async function limited(
  started: Subject,
  processes: ReadonlyMap<string, MeasuredProcess>,
  share: number,
): Promise<Subject> {
  const shares: CpuShare[] = [];
  for (const [name, { pid }] of processes) {
    const own = await cpuShare(`guildcal-bench-${pid}-${name.replaceAll(" ", "-")}`, share);
    await own.add(pid);
    shares.push(own);
  }
  return {
    ...started,
    async stop() {
      await started.stop();
      for (const own of shares) await own.remove();
    },
  };
}

async function subject(
  name: string,
  ports: readonly number[],
  processes: ReadonlyMap<string, MeasuredProcess>,
): Promise<Subject> {
  const [port = 0] = ports;
  const check = () => {
    for (const each of processes.values()) each.check();
  };
  for (const each of ports) await untilAnswered(each, "/health/ready", check);
  const made = await ask({ port, key: OPERATOR_KEY }, "/admin/keys/create", {
    kind: "service",
    access: "write",
    label: "bench",
  });
  const counted = measured(processes);
  await untilIdle(counted);
  return { name, port, ports, key: made["key"] as string, ...counted };
}

const LOOK_MS = 1_000;
const IDLE_MS = 100;
const MAX_LOOKS = 60;

/** Waits until what a start has to catch up with is done: it would be counted among the requests. */
async function untilIdle({ usage }: Pick<Subject, "usage">): Promise<void> {
  let before = Infinity;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const now = Object.values(await usage()).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    if (now - before >= 0 && now - before < IDLE_MS) return;
    before = now;
    await new Promise((wake) => setTimeout(wake, LOOK_MS));
  }
}

function measured(processes: ReadonlyMap<string, MeasuredProcess>): Pick<Subject, "usage" | "held" | "stop"> {
  return {
    async held() {
      const each = await Promise.all([...processes.values()].map((process) => process.held()));
      return each.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
    },

    async usage() {
      const usages = [...processes].map(async ([name, process]) => [name, await process.usage()] as const);
      return Object.fromEntries(await Promise.all(usages));
    },
    async stop() {
      for (const process of processes.values()) await process.stop();
    },
  };
}

export const RIVALS = ["fastify", "express", "bare-http"] as const;
export type RivalName = (typeof RIVALS)[number];

/** A rival in a process of its own, on the same database. */
export async function startRival(name: RivalName, given: Given, key: string): Promise<Subject> {
  const port = await freePort(0);
  const rival = new MeasuredProcess({
    script: join(PROJECT, `test/lab/bench/rivals/${name}.rival.ts`),
    env: { MONGO_URL: given.mongoUrl, PORT: String(port), NODE_ENV: "production" },
    cpu: SERVER_CPU,
    profile: given.profile,
  });
  await untilAnswered(port, "/", () => rival.check());
  return { name, port, ports: [port], key, ...measured(new Map([[name, rival]])) };
}
