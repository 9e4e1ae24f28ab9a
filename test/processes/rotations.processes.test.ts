import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { guildcalClient } from "../../clients/http/src/index.ts";
import { IN_KUBERNETES } from "../../k8s/make-secrets.ts";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { type EmbeddedNats, startNats } from "../../services/launch/embedded/embedded-nats.ts";
import { type ChatServer, startChatServer } from "../harness/chat-server.ts";
import { freePorts } from "../harness/free-ports.ts";
import { GuildcalProcess, post, PROJECT } from "../harness/guildcal-process.ts";
import { startProbedService } from "../harness/probed-service.ts";
import { removeFolder } from "../harness/remove-folder.ts";
import { newSecrets } from "../harness/rotated-secrets.ts";
import { emptyDatabase } from "../harness/test-services.ts";
import { until } from "../harness/until.ts";
import { isSignedWith, startReceiver, type WebhookReceiver } from "../harness/webhook-receiver.ts";

const GUILD = "375357265198317579";
const CHANNEL = "375357265198317580";
const HOUR = 3_600_000;
/** A busy machine starts services slowly, and an event must be stored before its post is due. */
const AHEAD_MS = 10_000;
const POSTED_WITHIN_MS = 60_000;

const newSigningSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

describe("after the rotations of README.md of the manifests, an installation", () => {
  const secrets = newSecrets(IN_KUBERNETES);
  const signedWith = { before: newSigningSecret(), after: newSigningSecret() };
  const database = emptyDatabase();
  let chat: ChatServer;
  let sink: WebhookReceiver;
  let hook: WebhookReceiver;
  let service: GuildcalProcess;
  let baseUrl: string;
  let operator: string;

  beforeAll(async () => {
    [chat, sink, hook] = await Promise.all([
      startChatServer({ token: "given-later" }),
      startReceiver(),
      startReceiver(),
    ]);
    chat.addChannel(CHANNEL, { guild: GUILD });
    await secrets.rotate("discord-token", "", "revoked");
    await secrets.rotate("webhook-secret", "", signedWith.before);
    await start();
  });
  afterAll(async () => {
    await service.end("SIGKILL");
    await Promise.all([chat.stop(), sink.close(), hook.close()]);
  });

  /** Starts all services with the secrets of now. */
  async function start(): Promise<void> {
    const port = await freePort(0);
    const values = ["api", "webhooks", "dispatch"].map((name) => secrets.valuesOf(name));
    const { NATS_URL: _, ...own } = Object.assign({}, ...values) as Record<string, string>;
    operator = own["API_KEY"] ?? "";
    service = new GuildcalProcess("all", {
      ...own,
      MONGO_URL: database,
      PORT: String(port),
      SINKS: "discord,webhook",
      DISCORD_API_URL: chat.url,
      WEBHOOK_URL: sink.url,
      WEBHOOK_ALLOW_PRIVATE: "yes",
      WEBHOOKS_ALLOW_PRIVATE: "yes",
    });
    await service.printed(/guildcal is ready/);
    baseUrl = `http://127.0.0.1:${port}`;
  }

  const client = () => guildcalClient({ baseUrl, key: operator });
  const statusOf = async (key: string) =>
    (await post(baseUrl, key, "/v2/guild/settings/get", { guild_id: GUILD })).status;
  const createEvent = (name: string) => {
    const startsAt = Date.now() + AHEAD_MS;
    const times = { epoch_start: startsAt, epoch_end: startsAt + HOUR };
    return client().request("/v2/events/create", { guild_id: GUILD, calendar_number: 1, name, ...times });
  };
  const postsOf = (name: string) => sink.received.filter(({ body }) => body.includes(name));

  test("has new keys and secrets, and says which of the old ones are of no use any more", async () => {
    const first = operator;
    const { data: guildKey } = await client().request("/admin/keys/create", {
      kind: "guild",
      access: "write",
      guilds: [GUILD],
      label: "before the rotation",
    });
    const types = ["event.created"];
    const { data: webhook } = await client().request("/v2/webhooks/create", { guild_id: GUILD, url: hook.url, types });
    await client().request("/v1/announcement/create", {
      guild_id: GUILD,
      channel: CHANNEL,
      type: "UNIVERSAL",
      hours: 0,
      minutes: 0,
      info: "",
    });
    await createEvent("first raid");
    await until(() => hook.received.length > 0, "the webhook of the guild");
    expect(hook.received.every((request) => isSignedWith(webhook.secret, request))).toBe(true);
    await until(() => postsOf("first raid").length > 0, "the post to the sink webhook", POSTED_WITHIN_MS);
    expect(postsOf("first raid").map((request) => isSignedWith(signedWith.before, request))).toEqual([true]);
    await service.printed(/sink halted/);
    expect(await statusOf(guildKey.key)).toBe(200);

    for (const what of ["operator-key", "key-pepper", "webhooks-key"]) await secrets.rotate(what);
    await secrets.rotate("discord-token", "", chat.token);
    await secrets.rotate("webhook-secret", "", signedWith.after);
    await service.end();
    await start();

    // The post of Discord has waited for the token; the other one is not sent again.
    await until(() => chat.messages().length > 0, "the post that waited", POSTED_WITHIN_MS);
    expect([chat.messages().length, postsOf("first raid").length]).toEqual([1, 1]);
    expect([await statusOf(first), await statusOf(guildKey.key), await statusOf(operator)]).toEqual([401, 401, 200]);
    const { data: otherKey } = await client().request("/admin/keys/create", {
      kind: "guild",
      access: "write",
      guilds: [GUILD],
      label: "after the rotation",
    });
    expect(await statusOf(otherKey.key)).toBe(200);

    const sentBefore = hook.received.length;
    await createEvent("second raid");
    await until(() => postsOf("second raid").length > 0, "the post to the sink webhook", POSTED_WITHIN_MS);
    expect(postsOf("second raid").map((request) => isSignedWith(signedWith.after, request))).toEqual([true]);
    const hookOf = () => client().request("/v2/webhooks/get", { guild_id: GUILD, id: webhook.id });
    const reason = async () => (await hookOf()).data.disabled_reason;
    await until(async () => (await reason()) === "SECRET_UNREADABLE", "the webhook is disabled");
    expect(hook.received).toHaveLength(sentBefore);
    const { data: rotated } = await client().request("/v2/webhooks/rotate", { guild_id: GUILD, id: webhook.id });
    await client().request("/v2/webhooks/update", { guild_id: GUILD, id: webhook.id, enabled: true });
    await createEvent("third raid");
    await until(() => hook.received.length > sentBefore, "the webhook of the guild");
    expect(hook.received.slice(sentBefore).every((request) => isSignedWith(rotated.secret, request))).toBe(true);
  });
});

describe("after a rotation of a password of the bus", () => {
  let folder: string;
  let servers: EmbeddedNats[] = [];
  const services: GuildcalProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "guildcal-rotations-"));
  });
  afterAll(async () => {
    await Promise.all(services.map((each) => each.end("SIGKILL")));
    await Promise.all(servers.map((server) => server.kill("SIGKILL")));
    await removeFolder(folder);
  });

  test("the service is refused with the old one, and is ready with the new one", async () => {
    const [port] = (await freePorts(1)) as [number];
    const secrets = newSecrets({ ...IN_KUBERNETES, nats: `127.0.0.1:${port}` });
    /** Starts a server with the users of the manifests and the passwords of now. */
    const startServer = async () => {
      const users = await readFile(join(PROJECT, "k8s/components/nats/users.conf"), "utf8");
      await mkdir(join(folder, "users"), { recursive: true });
      await writeFile(join(folder, "users/passwords.conf"), secrets.valuesOf("nats")["passwords.conf"] ?? "");
      await writeFile(join(folder, "users/users.conf"), users.replace("../../run/secrets/nats/", ""));
      const server = await startNats(port, ["--config", join(folder, "users/users.conf")]);
      servers = [server];
      return server;
    };
    const startService = async () => {
      const { NATS_URL = "" } = secrets.valuesOf("guild-settings");
      const started = await startProbedService("guild-settings", { MONGO_URL: emptyDatabase(), NATS_URL });
      services.push(started.service);
      return started;
    };
    const server = await startServer();
    const { service, isReady } = await startService();
    await until(isReady, "the service is ready");
    await secrets.rotate("bus", "guild-settings");
    await server.stop();
    await startServer();
    await service.printed(/AUTHORIZATION_VIOLATION/);
    expect(await isReady()).toBe(false);
    const after = await startService();
    await until(after.isReady, "the service is ready with its new password");
  });

  test("that is the peers', a server with the new one is alone until the others have it, too", async () => {
    const ports = await freePorts(6);
    const [routes, monitors] = [ports.slice(0, 3), ports.slice(3)];
    const secrets = newSecrets({ ...IN_KUBERNETES, natsPeers: routes.map((port) => `127.0.0.1:${port}`) });
    /** The lines of all servers. */
    const log: string[] = [];
    const startServer = async (at: number) => {
      await writeFile(join(folder, `cluster-${at}.conf`), secrets.valuesOf("nats")["cluster.conf"] ?? "");
      const lines = ["name: guildcal", `listen: "127.0.0.1:${routes[at]}"`, `include cluster-${at}.conf`];
      await writeFile(join(folder, `server-${at}.conf`), `cluster {\n${lines.join("\n")}\n}\n`);
      const files = ["--config", join(folder, `server-${at}.conf`)];
      const also = ["--name", `n${at}`, "--http_port", String(monitors[at])];
      servers[at] = await startNats(0, [...files, ...also], {}, (line) => void log.push(line));
    };
    /** The names of the servers to which a server has routes. */
    const peersOf = async (at: number) => {
      const response = await fetch(`http://127.0.0.1:${monitors[at]}/routez`);
      const { routes: found = [] } = (await response.json()) as Routes;
      return new Set(found.map(({ remote_name: name }) => name));
    };
    const havePeers = async (count: number) =>
      (await Promise.all([0, 1, 2].map(peersOf))).every(({ size }) => size === count);
    const restart = async (at: number) => {
      await servers[at]?.stop();
      await startServer(at);
    };

    await Promise.all(servers.map((server) => server.kill("SIGKILL")));
    await Promise.all([0, 1, 2].map(startServer));
    await until(() => havePeers(2), "each server has two peers");
    await secrets.rotate("bus-peers");
    const isRefused = (line: string) => line.includes('authentication error - User "peer"');
    expect(log.filter(isRefused)).toEqual([]);
    await restart(0);
    // Until it is refused, a connection counts as a route.
    await until(() => log.some(isRefused), "servers with different passwords refuse each other");
    await Promise.all([1, 2].map(restart));
    await until(() => havePeers(2), "each server has two peers again");
  });
});

interface Routes {
  readonly routes?: readonly { readonly remote_name: string }[];
}
