import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";
import { startMongod, freePort } from "../../services/launch/embedded-mongod.ts";
import { type EmbeddedNats, startNats } from "../../services/launch/embedded-nats.ts";
import { type ChatServer, startChatServer } from "../real-parts/chat-server.ts";
import { Launched } from "../real-parts/launched.ts";
import { until } from "../real-parts/until.ts";

export const REPLICAS = ["one", "two"] as const;
export type ReplicaName = (typeof REPLICAS)[number];

/** The service as it is in production: a process each, two of dispatch, and a chat server that receives. */
export interface Cluster {
  /** Calls the services. */
  readonly broker: ServiceBroker;
  readonly chat: ChatServer;
  readonly mongoUrl: string;
  /** Starts a replica of dispatch, and waits until it can work. A deaf one hears no broadcast. */
  raise(name: ReplicaName, isDeaf?: boolean): Promise<void>;
  kill(name: ReplicaName): Promise<void>;
  /** Stops a replica in its tracks, or lets it go on. */
  freeze(name: ReplicaName, frozen: boolean): void;
  /** The replica that is sending a post now. */
  sender(): Promise<ReplicaName>;
  killNats(): Promise<void>;
  raiseNats(): Promise<void>;
  stop(): Promise<void>;
}

const DEAF = join(import.meta.dirname, "deaf-to-broadcasts.ts");
const OWNERS = ["guild-settings", "calendar-events", "announcements"];
const NO_LIMITS = { perBucket: 1_000_000, overall: 1_000_000 };

/** @param nonceWindowMs - How long the receiver knows a nonce; 0 takes that protection out. */
export async function startCluster(nonceWindowMs = 300_000): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), "guildcal-chaos-"));
  const [mongod, chat] = await Promise.all([
    startMongod(directory),
    startChatServer({ limits: NO_LIMITS, nonceWindowMs }),
  ]);
  let nats: EmbeddedNats = await startNats();
  const shared = { MONGO_URL: mongod.url, NATS_URL: nats.url, LOG_LEVEL: "warn" };
  const owners = OWNERS.map((service) => new Launched(service, { ...shared, NODE_NAME: "chaos" }));
  const replicas = new Map<ReplicaName, Launched>();
  const broker = new ServiceBroker(brokerOptions({ nodeId: "chaos.test", natsUrl: nats.url, logLevel: "fatal" }));
  await broker.start();
  await broker.waitForServices(OWNERS, 30_000, 50);
  const connection = await mongoose.createConnection(mongod.url).asPromise();

  async function raise(name: ReplicaName, isDeaf = false): Promise<void> {
    await kill(name);
    const probePort = await freePort(0);
    const sink = { SINKS: "discord", DISCORD_TOKEN: chat.token, DISCORD_API_URL: chat.url };
    const limits = { DISCORD_REQUESTS_PER_SECOND: "1000", PROBE_PORT: String(probePort) };
    const options = isDeaf ? { NODE_OPTIONS: `--import=${DEAF}` } : {};
    replicas.set(name, new Launched("dispatch", { ...shared, ...sink, ...limits, ...options, NODE_NAME: name }));
    const isReady = () =>
      fetch(`http://127.0.0.1:${probePort}/health/ready`, { signal: AbortSignal.timeout(1_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isReady, `replica ${name}`, 30_000);
  }

  async function kill(name: ReplicaName): Promise<void> {
    await replicas.get(name)?.end("SIGKILL");
    replicas.delete(name);
  }

  return {
    broker,
    chat,
    mongoUrl: mongod.url,
    raise,
    kill,
    freeze: (name, frozen) => void process.kill(replicas.get(name)?.pid as number, frozen ? "SIGSTOP" : "SIGCONT"),
    async sender() {
      let owner: unknown;
      const find = async () => {
        const post = await connection.collection("posts").findOne({ state: "sending", owner: { $type: "string" } });
        owner = post?.["owner"];
        return owner !== undefined;
      };
      await until(find, "a post that is being sent", 30_000);
      return String(owner).replace("dispatch.", "") as ReplicaName;
    },
    killNats: () => nats.kill("SIGKILL"),
    async raiseNats() {
      nats = await startNats(nats.port);
    },
    async stop() {
      await connection.close();
      await Promise.all([...replicas.keys()].map(kill));
      await Promise.all(owners.map((owner) => owner.end("SIGKILL")));
      await broker.stop();
      await Promise.all([nats.stop(), mongod.stop(), chat.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
