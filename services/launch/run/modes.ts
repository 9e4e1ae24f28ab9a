import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { uniqueNodeId } from "../../../mixins/bus/node-id.ts";
import { chooseTimeZones } from "./choose-time-zones.ts";
import { checkPort } from "./preflight.ts";
import { lineFormat } from "../../../moleculer.config.ts";
import { banner, type StartedService, startLine } from "./banner.ts";
import { serviceEnvironment } from "./service-environment.ts";
import { shutdownRequested, unlessShutdown } from "./shutdown-signals.ts";
import { type BackingServices, startBackingServices } from "./backing-services.ts";
import type { NatsBusUser } from "../permissions/nats-users.ts";
import { probeMiddlewares } from "./probe-middlewares.ts";
import { recordSchemaVersion } from "./schema-version.ts";
import { type RunningServices, runServices } from "./run-services.ts";
import { makeService, readSettings } from "./service-factories.ts";
import { StartupError } from "./startup-error.ts";
import { startTracing } from "./start-tracing.ts";
import { withStoredSecrets } from "./stored-secrets.ts";
import { isSupervised, READY, supervise } from "./supervise.ts";
import { busUsersIn, busUsersMessage } from "./bus-users-message.ts";
import { type ServiceName, SERVICES } from "../../contracts/service-names.ts";
import { pollUntil } from "../poll-until.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** All services in this process, ready for requests. */
export interface RunningGuildcal {
  readonly baseUrl: string;
  /** The API key that the first start created; undefined on later starts. */
  readonly firstKey: string | undefined;
  readonly apiKeyIsSet: boolean;
  readonly mongodExited: Promise<void>;
  stop(): Promise<void>;
}

/** Starts all services in this process, with embedded servers if no URL is given. */
export async function startInOneProcess(env: Environment): Promise<RunningGuildcal> {
  const settings = await withStoredSecrets(readSettings(env), "API_KEY_PEPPER", "WEBHOOKS_KEY");
  chooseTimeZones(settings);
  await checkPort(settings.PORT, settings.HOST);
  const backing = await startBackingServices(settings, false);
  try {
    await Promise.all(SERVICES.map((name) => recordSchemaVersion(backing.mongoUrlOf(name), name)));
    const gateway = new GatewayEvents(settings.HOST);
    const context = { settings, ...gateway.listeners };
    const nodeId = uniqueNodeId("all", settings.NODE_NAME);
    const traces = await startTracing(settings, "all", nodeId);
    const services = await runServices(
      await Promise.all(SERVICES.map((name) => makeService(name, { ...context, mongoUrl: backing.mongoUrlOf(name) }))),
      { nodeId, natsUrl: settings.NATS_URL, logLevel: settings.LOG_LEVEL },
      [...probeMiddlewares(settings), ...traces.middlewares],
    );
    await waitUntilReady(gateway.baseUrl, READY_TIMEOUT_MS);
    return {
      baseUrl: gateway.baseUrl,
      firstKey: gateway.firstKey,
      apiKeyIsSet: settings.API_KEY !== undefined,
      mongodExited: backing.mongodExited,
      async stop() {
        await services.stop();
        await traces.stop();
        await backing.stop();
      },
    };
  } catch (error) {
    await backing.stop();
    throw error;
  }
}

/** `npm start`: all services in this process. */
export async function runInOneProcess(env: Environment): Promise<void> {
  const end = shutdownRequested();
  const running = await unlessShutdown(end, startInOneProcess(env));
  if (running === undefined) return;
  process.stdout.write(banner(running));
  await waitForEnd(end, running);
  await running.stop();
}

/** `npm run start:nats`: one process for each service; this process owns the embedded servers. */
export async function runInProcesses(env: Environment): Promise<void> {
  const end = shutdownRequested();
  const running = await unlessShutdown(end, startProcesses(env));
  if (running === undefined) return;
  try {
    await waitForEnd(end, running);
    await running.processes.stop();
  } finally {
    await running.backing.stop();
  }
}

async function startProcesses(env: Environment) {
  const settings = await withStoredSecrets(readSettings(env), "API_KEY_PEPPER", "WEBHOOKS_KEY");
  chooseTimeZones(settings);
  await checkPort(settings.PORT, settings.HOST);
  const backing = await startBackingServices(settings, true);
  const otherVariables = Object.fromEntries(Object.entries(env).filter(([name]) => !SET_BY_SUPERVISOR.has(name)));
  try {
    const environmentOf = (service: ServiceName) => ({
      ...serviceEnvironment(service, otherVariables),
      MONGO_URL: backing.mongoUrlOf(service),
      NATS_URL: backing.natsUrlOf(service),
      PROBE_PORT: String(probePortOf(service, settings.PROBE_PORT)),
      ...(service === "api" ? { API_KEY_PEPPER: settings.API_KEY_PEPPER } : {}),
      ...(service === "webhooks" ? { WEBHOOKS_KEY: settings.WEBHOOKS_KEY } : {}),
    });
    const processes = await supervise(SERVICES, environmentOf, (service, message) => {
      const users = service === "api" ? busUsersIn(message) : undefined;
      if (users === undefined) return;
      backing.setBusUsers(users).catch((error: unknown) => {
        process.stderr.write(`The bus users could not be set: ${String(error)}\n`);
      });
    });
    if (backing.busUrl !== undefined) process.stdout.write(`Services of bus users join at ${backing.busUrl}\n`);
    return { processes, backing, mongodExited: backing.mongodExited };
  } catch (error) {
    await backing.stop();
    throw error;
  }
}

/** Settings that the supervisor replaces in the environment of the processes. */
const SET_BY_SUPERVISOR = new Set(
  ["MONGO_URL", "NATS_URL", "PROBE_PORT", "API_KEY_PEPPER", "WEBHOOKS_KEY"].flatMap((name) => [name, `${name}_FILE`]),
);

/** The probe port of a service: the setting, plus the index of the service. */
function probePortOf(service: string, first: number): number {
  return first === 0 ? 0 : first + (SERVICES as readonly string[]).indexOf(service);
}

/** Longest time that a starting gateway reports itself not ready because other services are missing. */
const OTHER_SERVICES_TIMEOUT_MS = 15_000;

/** One service in this process, as in a container or under the supervisor. URLs of MongoDB and NATS must be given. */
export async function runSingleService(name: ServiceName, env: Environment): Promise<void> {
  const end = shutdownRequested();
  const running = await unlessShutdown(end, startSingleService(name, env));
  if (running === undefined) return;
  await end;
  await running.stop();
}

async function startSingleService(name: ServiceName, env: Environment): Promise<RunningServices> {
  const settings = readSettings(env);
  const { MONGO_URL: mongoUrl, NATS_URL: natsUrl, NODE_NAME, LOG_LEVEL: logLevel } = settings;
  if (mongoUrl === undefined) throw new StartupError("MONGO_URL must be set for a service in a process of its own");
  if (natsUrl === undefined) throw new StartupError("NATS_URL must be set for a service in a process of its own");
  chooseTimeZones(settings);
  if (name === "api") await checkPort(settings.PORT, settings.HOST);
  await startBackingServices(settings, true);
  await recordSchemaVersion(mongoUrl, name);
  const gateway = new GatewayEvents(settings.HOST);
  const onBusUsers = (users: readonly NatsBusUser[]) => void process.send?.(busUsersMessage(users));
  const service = await makeService(name, { mongoUrl, settings, onBusUsers, ...gateway.listeners });
  const missing = new Set(name === "api" ? ["the other services"] : []);
  const nodeId = uniqueNodeId(name, NODE_NAME);
  const traces = await startTracing(settings, name, nodeId);
  const running = await runServices([service], { nodeId, natsUrl, logLevel }, [
    ...probeMiddlewares(settings, () => [...missing]),
    ...traces.middlewares,
  ]);
  process.send?.(READY);
  if (name === "api") {
    // The other services may start later, in any order. The readiness probe reports the missing ones.
    const { baseUrl, firstKey } = gateway;
    const complete = waitUntilReady(baseUrl, Infinity);
    const apiKeyIsSet = settings.API_KEY !== undefined;
    void complete.then(() => announceStart({ baseUrl, firstKey, apiKeyIsSet }));
    void Promise.race([complete, pause(OTHER_SERVICES_TIMEOUT_MS)]).then(() => missing.clear());
  }
  return {
    ...running,
    async stop() {
      await running.stop();
      await traces.stop();
    },
  };
}

/** Prints the banner under a supervisor. A container's log contains only JSON, so there the facts are a log line. */
function announceStart(started: StartedService): void {
  if (isSupervised()) process.stdout.write(banner(started));
  else pino(lineFormat("info")).info(startLine(started), "guildcal is ready");
}

async function waitForEnd(end: Promise<void>, { mongodExited }: Pick<BackingServices, "mongodExited">): Promise<void> {
  const mongodFailure = mongodExited.then(() => {
    throw new StartupError("mongod ended unexpectedly: is the disk full? The data are stored; start again to continue");
  });
  await Promise.race([end, mongodFailure]);
}

/** Collects the events of a starting gateway: its first API key and its port. */
class GatewayEvents {
  firstKey: string | undefined;
  baseUrl = "";
  readonly listeners: { onFirstKey(key: string): void; onListening(port: number): void };

  constructor(host: string) {
    this.listeners = {
      onFirstKey: (key) => (this.firstKey = key),
      onListening: (port) => (this.baseUrl = baseUrlOf(host, port)),
    };
  }
}

function baseUrlOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

const READY_TIMEOUT_MS = 30_000;

/** Resolves when `/health/ready` of the gateway succeeds; rejects with the missing services after `timeoutMs`. */
async function waitUntilReady(baseUrl: string, timeoutMs: number): Promise<void> {
  let missing = "";
  const isReady = async () => {
    const signal = AbortSignal.timeout(2_000);
    const response = await fetch(`${baseUrl}/health/ready`, { signal }).catch(() => undefined);
    missing = (await response?.text()) ?? "no response";
    return response?.ok === true;
  };
  const timeoutError = () => new StartupError(`Not ready after ${timeoutMs / 1000} seconds: ${missing}`);
  await pollUntil(isReady, { everyMs: 50, timeoutMs, timeoutError });
}
