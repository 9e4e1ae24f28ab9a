import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { ServiceBroker } from "moleculer";
import { withoutSuffix } from "../../../mixins/bus/node-id.ts";
import { brokerOptions } from "../../../moleculer.config.ts";
import { type Feed, FEEDS } from "../../../services/dispatch/protocol/feeds.ts";
import { STANDARD_TIMING } from "../../../services/dispatch/protocol/timing.ts";
import { freePort } from "../../../services/launch/embedded/embedded-mongod.ts";
import { type EmbeddedNats, startNats } from "../../../services/launch/embedded/embedded-nats.ts";
import { type ChatServer, startChatServer } from "../../harness/chat-server.ts";
import { GuildcalProcess } from "../../harness/guildcal-process.ts";
import { until } from "../../harness/until.ts";
import { type Database, type DatabaseKind, startDatabase } from "./database.ts";
import {
  isReady,
  newReplicas,
  READY_WITHIN_MS,
  type ReplicaName,
  REPLICAS,
  type ReplicaOptions,
  type Replicas,
} from "./replicas.ts";
import { removeFolder } from "../../harness/remove-folder.ts";

export interface ClusterOptions extends ReplicaOptions {
  readonly database?: DatabaseKind;
  /** Time for which the receiver recognizes a nonce; 0 removes the protection against doubles. */
  readonly nonceWindowMs?: number;
  /** Two when absent. */
  readonly replicas?: readonly ReplicaName[];
  readonly graceMinutes?: number;
}

/** An installation as in production: a process for each service, two of dispatch, and a chat server. */
export interface Cluster {
  /** Calls the services. */
  readonly broker: ServiceBroker;
  readonly chat: ChatServer;
  readonly database: Database;
  readonly replicas: Replicas;
  readonly names: readonly ReplicaName[];
  /** Waits for a post that is being sent, and resolves with its replica. */
  readonly sender: () => Promise<ReplicaName>;
  killNats(): Promise<void>;
  restartNats(): Promise<void>;
  /** Kills an owner service with SIGKILL, starts it again, and resolves when it serves requests. */
  replaceOwner(name: Feed): Promise<void>;
  stop(): Promise<void>;
}

/** Remaining lease of a post that was claimed within the last second; a worker that crashed has claimed others earlier. */
const YOUNG_LEASE_MS = STANDARD_TIMING.leaseMs - 1_000;
const NO_LIMITS = { perBucket: 1_000_000, overall: 1_000_000, invalidRequests: 1_000_000 };

/** Starts the installation; resolves when every replica is ready. */
export async function startCluster({
  database: kind = "one",
  nonceWindowMs = 300_000,
  replicas: names = REPLICAS,
  graceMinutes = 15,
  ...options
}: ClusterOptions = {}): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), "guildcal-chaos-"));
  const [database, chat] = await Promise.all([
    startDatabase(kind, directory),
    startChatServer({ limits: NO_LIMITS, nonceWindowMs }),
  ]);
  let nats: EmbeddedNats = await startNats();
  const shared = { NATS_URL: nats.url, LOG_LEVEL: "warn" };
  const probePorts = new Map<Feed, number>();
  for (const name of FEEDS) probePorts.set(name, await freePort(0));
  const startOwner = (name: Feed) =>
    new GuildcalProcess(name, {
      ...shared,
      MONGO_URL: database.url,
      NODE_NAME: "chaos",
      PROBE_PORT: String(probePorts.get(name)),
    });
  const owners = new Map(FEEDS.map((name) => [name, startOwner(name)]));
  const sink = { SINKS: "discord", DISCORD_TOKEN: chat.token, DISCORD_API_URL: chat.url };
  const limits = { DISCORD_REQUESTS_PER_SECOND: "1000", GRACE_MINUTES: String(graceMinutes) };
  const replicas = newReplicas({ ...shared, MONGO_URL: database.dispatchUrl, ...sink, ...limits }, options);
  const broker = new ServiceBroker(brokerOptions({ nodeId: "chaos.test", natsUrl: nats.url, logLevel: "fatal" }));
  const connection = await mongoose.createConnection(database.url).asPromise();

  async function stop(): Promise<void> {
    await connection.close();
    await replicas.stop();
    await Promise.all([...owners.values()].map((owner) => owner.end("SIGKILL")));
    await broker.stop();
    await Promise.all([nats.stop(), database.stop(), chat.stop()]);
    await removeFolder(directory);
  }

  try {
    await broker.start();
    await broker.waitForServices([...FEEDS], READY_WITHIN_MS, 50);
    await Promise.all(names.map((name) => replicas.start(name)));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    broker,
    chat,
    database,
    replicas,
    names,
    stop,
    sender: async () => {
      let owner: unknown;
      const find = async () => {
        const isJustClaimed = { attempts: 1, wakeAt: { $gt: new Date(Date.now() + YOUNG_LEASE_MS) } };
        const isHeld = { state: "sending", owner: { $type: "string" } };
        const post = await connection.collection("posts").findOne({ ...isHeld, ...isJustClaimed });
        owner = post?.["owner"];
        return owner !== undefined;
      };
      await until(find, "a post that is being sent", 30_000);
      return withoutSuffix(String(owner)).replace("dispatch.", "") as ReplicaName;
    },
    killNats: () => nats.kill("SIGKILL"),
    async restartNats() {
      nats = await startNats(nats.port);
    },
    async replaceOwner(name) {
      await owners.get(name)?.end("SIGKILL");
      owners.set(name, startOwner(name));
      await until(() => isReady(probePorts.get(name) as number), `the owner ${name}`, READY_WITHIN_MS);
    },
  };
}
