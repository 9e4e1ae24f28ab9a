import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../../moleculer.config.ts";
import { type ChatServer, startChatServer } from "../../harness/chat-server.ts";
import { freePorts } from "../../harness/free-ports.ts";
import { WEBHOOKS_KEY } from "../../harness/webhooks-key.ts";
import type { MongoSet } from "../../harness/mongo-set.ts";
import { type NatsCluster, startNatsCluster } from "../../harness/nats-cluster.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { manifestTiming } from "./manifest-timing.ts";
import { Replica } from "./replica.ts";
import { type ServiceName, SERVICES } from "../../../services/contracts/service-names.ts";
import { removeFolder } from "../../harness/remove-folder.ts";

/** The part of a MongoDB installation that the services use. */
export type MongoServers = Pick<MongoSet, "url" | "stop">;

/** An installation on one machine, as in the manifests: three servers of each kind, and two replicas of each service. */
export interface Installation<Database extends MongoServers = MongoSet> {
  readonly baseUrl: string;
  readonly chat: ChatServer;
  readonly nats: NatsCluster;
  readonly mongo: Database;
  /** Calls the services without the gateway. */
  readonly broker: ServiceBroker;
  replicas(service: ServiceName): readonly Replica[];
  /** Replaces a replica as in a rolling update: the new one is ready before the old one gets SIGTERM. */
  replace(replica: Replica, project?: string): Promise<void>;
  /** Kills a replica with SIGKILL, and starts another one, as a kubelet does. */
  kill(replica: Replica): Promise<void>;
  /** Number of replicas that did not end within their grace time. */
  readonly killedAfterGrace: number;
  /** The logs of all replicas, including ended ones. */
  logs(): string;
  stop(): Promise<void>;
}

export const API_KEY = "operator-key-of-the-cluster-test";
const PEPPER = "pepper-of-the-cluster-test-0123456789abcdef";
const REPLICAS = 2;
const REQUEST_TIMEOUT_MS = 60_000;
/** Time until all clients know that a pod is terminating, or that its container has ended. */
const ENDPOINT_UPDATE_MS = 1_000;
const NO_LIMITS = { perBucket: 1_000_000, overall: 1_000_000 };

export async function startInstallation<Database extends MongoServers>(
  startMongo: (directory: string) => Promise<Database>,
): Promise<Installation<Database>> {
  const timing = manifestTiming();
  const directory = await mkdtemp(join(tmpdir(), "guildcal-cluster-"));
  const [nats, mongo, chat, balancer] = await Promise.all([
    startNatsCluster(),
    startMongo(directory),
    startChatServer({ limits: NO_LIMITS }),
    startBalancer(timing),
  ]);
  const env = environment(mongo.url, nats.url, chat);
  const running = new Map<ServiceName, Replica[]>(SERVICES.map((service) => [service, []]));
  const replicas = (service: ServiceName) => running.get(service) as Replica[];
  const everStarted: Replica[] = [];
  let killedAfterGrace = 0;

  async function start(service: ServiceName, project?: string): Promise<Replica> {
    const [probePort, port] = (await freePorts(2)) as [number, number];
    const name = `r${everStarted.length}`;
    const replica = new Replica({ service, name, env, probePort, port, project });
    everStarted.push(replica);
    // A container that ends is started again; its log has the reason.
    if (!(await replica.becameReady())) return start(service, project);
    replicas(service).push(replica);
    if (service === "api") balancer.add(replica);
    return replica;
  }

  function forget(replica: Replica): void {
    const others = replicas(replica.service as ServiceName).filter((each) => each !== replica);
    running.set(replica.service as ServiceName, others);
  }

  async function retire(replica: Replica): Promise<void> {
    forget(replica);
    await pause(ENDPOINT_UPDATE_MS);
    balancer.remove(replica);
    await pause(timing.preStopMs - ENDPOINT_UPDATE_MS);
    if (!(await replica.end(timing.graceMs - timing.preStopMs))) killedAfterGrace += 1;
  }

  for (const service of SERVICES.toReversed())
    await Promise.all(Array.from({ length: REPLICAS }, () => start(service)));
  const options = brokerOptions({ nodeId: "cluster.test", natsUrl: nats.url, logLevel: "fatal" });
  // Creates the initial data of the trials, on services that have just started.
  const broker = new ServiceBroker({ ...options, requestTimeout: REQUEST_TIMEOUT_MS });
  await broker.start();
  await broker.waitForServices(["announcements", "calendar-events", "dispatch"], 30_000, 50);
  return {
    baseUrl: balancer.url,
    chat,
    nats,
    mongo,
    broker,
    replicas,
    get killedAfterGrace() {
      return killedAfterGrace;
    },
    logs: () => everStarted.map(({ service, name, output }) => `--- ${service} ${name}\n${output}`).join("\n"),
    async replace(replica, project) {
      await start(replica.service as ServiceName, project);
      await retire(replica);
    },
    async kill(replica) {
      forget(replica);
      await replica.kill();
      await pause(ENDPOINT_UPDATE_MS);
      balancer.remove(replica);
      await start(replica.service as ServiceName);
    },
    async stop() {
      await broker.stop();
      await Promise.all(everStarted.map((replica) => replica.kill()));
      await stopServers([balancer, nats, mongo, chat]);
      await removeFolder(directory);
    },
  };
}

async function stopServers(servers: readonly Pick<Balancer, "stop">[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}

function environment(mongoUrl: string, natsUrl: string, chat: ChatServer): Readonly<Record<string, string>> {
  return {
    MONGO_URL: mongoUrl,
    NATS_URL: natsUrl,
    LOG_LEVEL: "warn",
    API_KEY,
    API_KEY_PEPPER: PEPPER,
    WEBHOOKS_KEY,
    WEBHOOKS_ALLOW_PRIVATE: "yes",
    FOLLOW_ALLOW_PRIVATE: "yes",
    REQUESTS_PER_KEY: "0",
    REQUESTS_PER_GUILD: "0",
    SINKS: "discord",
    DISCORD_TOKEN: chat.token,
    DISCORD_API_URL: chat.url,
    DISCORD_REQUESTS_PER_SECOND: "1000",
  };
}
