import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ServiceName, SERVICES } from "../../services/contracts/service-names.ts";
import { type EmbeddedNats, startNats } from "../../services/launch/embedded/embedded-nats.ts";
import { type ChatServer, startChatServer } from "../harness/chat-server.ts";
import { freePorts } from "../harness/free-ports.ts";
import { GuildcalProcess, post, PROJECT } from "../harness/guildcal-process.ts";
import { type MongoSet, startMongoSet } from "../harness/mongo-set.ts";
import { NodeProcess } from "../harness/node-process.ts";
import { removeFolder } from "../harness/remove-folder.ts";
import { emptyDatabase } from "../harness/test-services.ts";
import { until } from "../harness/until.ts";
import { WEBHOOKS_KEY } from "../harness/webhooks-key.ts";
import { Replica } from "../lab/cluster/replica.ts";

const KEY = "a-key-of-twenty-characters-or-more";
const GUILD = "375357265198317579";
const HOUR_MS = 3_600_000;
/** After the backup, the restore and the start of the replicas on an idle machine; the outcome does not depend on it. */
const DUE_IN_MS = 30_000;
/** An event that is not planned yet. */
const BEYOND_HORIZON_MS = 100 * HOUR_MS;
/** Interval of requests, which take time from the processes under test. */
const POLL_MS = 200;
const END_TIMEOUT_MS = 60_000;

interface HistoryEntry {
  readonly state: string;
  readonly message_id?: string;
}

describe("a backup that is restored into a replica set of three", () => {
  let directory: string;
  let chat: ChatServer;
  let nats: EmbeddedNats;
  let set: MongoSet;
  let baseUrl: string;
  const running: (GuildcalProcess | Replica)[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-restored-"));
    [chat, nats, set] = await Promise.all([startChatServer(), startNats(), startMongoSet(directory)]);
  });
  afterAll(async () => {
    await Promise.all(running.map((each) => (each instanceof Replica ? each.kill() : each.end("SIGKILL"))));
    await Promise.all([set.stop(), nats.kill("SIGKILL"), chat.stop()]);
    await removeFolder(directory);
  });

  const environment = (mongoUrl: string) => ({
    MONGO_URL: mongoUrl,
    API_KEY: KEY,
    API_KEY_PEPPER: "p".repeat(32),
    WEBHOOKS_KEY,
    SINKS: "discord",
    DISCORD_TOKEN: chat.token,
    DISCORD_API_URL: chat.url,
  });

  async function call(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await post(baseUrl, KEY, path, { guild_id: GUILD, ...body });
    if (response.status !== 200) throw new Error(JSON.stringify(response.body));
    return response.body;
  }

  async function run(args: readonly string[], mongoUrl: string): Promise<void> {
    const env = { MONGO_URL: mongoUrl };
    const command = new NodeProcess({ script: join(PROJECT, "services/launch/start.js"), args, env });
    if ((await command.exitCode()) !== 0) throw new Error(command.output);
  }

  /** A process of each service and two of dispatch, over NATS; resolves when all are ready. */
  async function startReplicas(mongoUrl: string): Promise<readonly Replica[]> {
    const services: readonly ServiceName[] = [...SERVICES, "dispatch"];
    const ports = await freePorts(2 * services.length);
    const replicas = services.map((service, at) => {
      const [probePort, port] = ports.slice(2 * at) as [number, number];
      const env = { ...environment(mongoUrl), NATS_URL: nats.url };
      return new Replica({ service, name: `restored-${at}`, env, probePort, port });
    });
    running.push(...replicas);
    const isReady = await Promise.all(replicas.map((replica) => replica.becameReady()));
    if (isReady.includes(false)) throw new Error(replicas.map(({ output }) => output).join("\n"));
    baseUrl = `http://127.0.0.1:${replicas[0]!.port}`;
    return replicas;
  }

  const events = () =>
    call("/v2/events/list/range", { calendar_number: 1, epoch_start: 0, epoch_end: 9_000_000_000_000 });
  const history = async () =>
    (await call("/v1/announcement/history", { amount: -1 }))["posts"] as readonly HistoryEntry[];
  const upcoming = async () =>
    (await call("/v1/announcement/upcoming", { amount: -1 }))["posts"] as readonly { readonly due: number }[];

  test("serves requests and sends the post that was planned before the backup once, with two replicas of dispatch", async () => {
    const mongoUrl = emptyDatabase();
    const [port] = await freePorts(1);
    baseUrl = `http://127.0.0.1:${port}`;
    const former = new GuildcalProcess("all", { ...environment(mongoUrl), PORT: String(port) });
    running.push(former);
    await former.printed(/guildcal is ready/);
    await call("/v1/announcement/create", { channel: GUILD, type: "UNIVERSAL", hours: 0, minutes: 0, info: "" });
    const due = Date.now() + DUE_IN_MS;
    for (const startsAt of [due, due + HOUR_MS]) {
      const times = { epoch_start: startsAt, epoch_end: startsAt + HOUR_MS };
      await call("/v2/events/create", { calendar_number: 1, name: "Raid night", ...times });
    }
    await until(async () => (await upcoming()).length === 2, "both posts are planned", 60_000, POLL_MS);
    const before = await events();
    const backups = join(directory, "backups");
    await run(["backup", backups], mongoUrl);
    await former.end();
    expect(chat.messages()).toEqual([]);

    const [name = ""] = await readdir(backups);
    await run(["restore", join(backups, name)], set.url);
    const replicas = await startReplicas(set.url);
    await expect(events()).resolves.toEqual(before);
    const startsAt = due + BEYOND_HORIZON_MS;
    await call("/v2/events/create", { calendar_number: 1, epoch_start: startsAt, epoch_end: startsAt + HOUR_MS });
    await until(async () => (await history()).length > 0, "a post is settled", 90_000, POLL_MS);
    const [message] = chat.messages();
    await expect(history()).resolves.toMatchObject([{ state: "sent", message_id: message?.id }]);
    await expect(upcoming()).resolves.toMatchObject([{ due: due + HOUR_MS }]);
    // Each replica ends the work that it has begun.
    const ended = replicas
      .filter(({ service }) => service === "dispatch")
      .map((replica) => replica.end(END_TIMEOUT_MS));
    await expect(Promise.all(ended)).resolves.toEqual([true, true]);
    expect(chat.messages()).toHaveLength(1);
  }, 240_000);
});
