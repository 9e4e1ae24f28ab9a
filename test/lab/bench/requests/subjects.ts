import { join } from "node:path";
import { freePort } from "../../../../services/launch/embedded/embedded-mongod.ts";
import { SERVICES } from "../../../../services/contracts/service-names.ts";
import { GuildcalProcess, PROJECT } from "../../../harness/guildcal-process.ts";
import { NodeProcess } from "../../../harness/node-process.ts";
import { WEBHOOKS_KEY } from "../../../harness/webhooks-key.ts";
import { type Address, postRequest, untilResponding } from "./post-request.ts";
import { type CpuShare, cpuShare } from "./cpu-share.ts";
import { MeasuredProcess, measuredOn } from "./measured-process.ts";
import { SERVER_CPU } from "./processors.ts";
import type { Usage } from "./report-usage.ts";

/** A server under measurement, with one or several processes. */
export interface Subject extends Address {
  readonly name: string;
  /** The ports of all its gateways, including `port`. */
  readonly ports: readonly number[];
  /** The processes by name. */
  usage(): Promise<Readonly<Record<string, Usage>>>;
  /** Bytes that all its processes hold after a garbage collection. */
  held(): Promise<number>;
  stop(): Promise<void>;
}

const OPERATOR_KEY = "operator-key-of-the-bench";

/** The servers and folders that a subject uses. */
export interface Given {
  readonly mongoUrl: string;
  readonly directory: string;
  readonly natsUrl?: string;
  /** The folder for the CPU profile of each process. */
  readonly profile?: string | undefined;
  /** The checkout of guildcal; by default this one. */
  readonly tree?: string;
}

/** Another database on the same mongod. */
export function databaseNamed(mongoUrl: string, name: string): string {
  const url = new URL(mongoUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

function environment({ mongoUrl, directory, natsUrl }: Given, port: number): Record<string, string> {
  return {
    MONGO_URL: mongoUrl,
    ...(natsUrl === undefined ? {} : { NATS_URL: natsUrl }),
    DATA_DIR: directory,
    PORT: String(port),
    API_KEY: OPERATOR_KEY,
    API_KEY_PEPPER: "pepper-of-the-bench-0123456789abcdef",
    WEBHOOKS_KEY,
    REQUESTS_PER_KEY: "0",
    REQUESTS_PER_GUILD: "0",
  };
}

function launchMeasured(mode: string, env: Readonly<Record<string, string>>, { tree, profile }: Given) {
  return new MeasuredProcess(new GuildcalProcess(mode, env, tree ?? PROJECT, measuredOn(SERVER_CPU, profile)));
}

/** guildcal in one process, as with `npm start`. */
export async function startGuildcal(given: Given, name = "guildcal"): Promise<Subject> {
  const port = await freePort(0);
  return subject(name, [port], new Map([["all", launchMeasured("all", environment(given, port), given)]]));
}

/** The replicas of each service. */
export interface Replicas {
  readonly count: number;
  /** Share of a CPU for each started process; by default all share one CPU. */
  readonly share?: number;
}

/** guildcal with one or several processes of each service, as with `npm run start:nats`. */
export async function startOverNats(
  given: Given & { readonly natsUrl: string },
  { count, share }: Replicas = { count: 1 },
  name = "over NATS",
): Promise<Subject> {
  const processes = new Map<string, MeasuredProcess>();
  const ports: number[] = [];
  for (let replica = 1; replica <= count; replica += 1) {
    const port = await freePort(0);
    ports.push(port);
    for (const service of SERVICES.toReversed()) {
      const env = { ...environment(given, port), NODE_NAME: `bench${replica}` };
      processes.set(count === 1 ? service : `${service} ${replica}`, launchMeasured(service, env, given));
    }
  }
  if (share === undefined) return subject(name, ports, processes);
  return limited(await subject(`${count} of each service`, ports, processes), processes, share);
}

/** Limits processes after their start, which would take half a minute with the share. */
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
  for (const each of ports) await untilResponding(each, "/health/ready", check);
  const key = await postRequest({ port, key: OPERATOR_KEY }, "/admin/keys/create", {
    kind: "service",
    access: "write",
    label: "bench",
  });
  const measured = measuring(processes);
  await untilIdle(measured);
  return { name, port, ports, key: key["key"] as string, ...measured };
}

const CHECKED_EVERY_MS = 1_000;
/** Processor time between two checks below which a server is idle. */
const IDLE_MS = 100;
const MAX_CHECKS = 60;

/**
 * Waits until the server has finished the work after its start or earlier requests, which would be counted with the next
 * requests.
 */
export async function untilIdle({ usage }: Pick<Subject, "usage">): Promise<void> {
  let before = Infinity;
  for (let checked = 0; checked < MAX_CHECKS; checked += 1) {
    const now = Object.values(await usage()).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    if (now - before >= 0 && now - before < IDLE_MS) return;
    before = now;
    await new Promise((wake) => setTimeout(wake, CHECKED_EVERY_MS));
  }
}

function measuring(processes: ReadonlyMap<string, MeasuredProcess>): Pick<Subject, "usage" | "held" | "stop"> {
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

export const BASELINES = ["fastify", "express"] as const;
export type BaselineName = (typeof BASELINES)[number];

/** A baseline in its own process, on the same database. */
export async function startBaseline(name: BaselineName, given: Given, key: string): Promise<Subject> {
  const port = await freePort(0);
  const baseline = new MeasuredProcess(
    new NodeProcess({
      script: join(PROJECT, `test/lab/bench/baselines/${name}.baseline.ts`),
      env: { MONGO_URL: given.mongoUrl, PORT: String(port), NODE_ENV: "production" },
      ...measuredOn(SERVER_CPU, given.profile),
    }),
  );
  await untilResponding(port, "/", () => baseline.check());
  return { name, port, ports: [port], key, ...measuring(new Map([[name, baseline]])) };
}
