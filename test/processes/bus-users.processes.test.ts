import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ServiceBroker, type ServiceSchema } from "moleculer";
import { connect, type NatsConnection, nkeyAuthenticator, nkeys } from "nats";
import { brokerOptions } from "../../moleculer.config.ts";
import { apiService } from "../../services/api/api.service.ts";
import { NO_LIMITS } from "../../services/api/rates/gateway-rates.ts";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import {
  announcementsChangesSince,
  listAnnouncementRules,
  listAnnouncements,
} from "../../services/contracts/announcements.contract.ts";
import { type EmbeddedNats, startNatsWithUsers } from "../../services/launch/embedded/embedded-nats.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { type TemporaryNatsUsers, temporaryNatsUsers } from "../../services/launch/permissions/nats-users.ts";
import { PROJECT } from "../harness/guildcal-process.ts";
import { OutsideService } from "../harness/outside-service.ts";
import { emptyDatabase } from "../harness/test-services.ts";
import { until } from "../harness/until.ts";
import type { ServiceName } from "../../services/contracts/service-names.ts";

const everyOne = { guildId: "375357265198317579", amount: -1 };
const fromTheBeginning = { mark: { at: 0, id: "" }, limit: 1 };

describe("a bus user for each service", () => {
  let users: TemporaryNatsUsers;
  let server: EmbeddedNats;
  const brokers: ServiceBroker[] = [];
  const connections: NatsConnection[] = [];
  const served: string[] = [];

  beforeAll(async () => {
    users = temporaryNatsUsers();
    server = await startNatsWithUsers(users);
    await brokerOf("announcements", announcementsService({ mongoUrl: emptyDatabase() }));
  });
  afterAll(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await Promise.all(brokers.map((broker) => broker.stop()));
    await server.stop();
  });

  async function brokerOf(service: ServiceName, schema?: ServiceSchema): Promise<ServiceBroker> {
    const natsUrl = users.urlOf(service, server.port);
    const noted = {
      name: "noted",
      localAction:
        (next: (context: object) => Promise<unknown>, { name }: { name: string }) =>
        (context: object) => {
          served.push(name);
          return next(context);
        },
    };
    const options = brokerOptions({ nodeId: `${service}.test`, natsUrl, logLevel: "fatal" });
    const broker = new ServiceBroker({ ...options, logger: false, middlewares: [noted as object] });
    brokers.push(broker);
    if (schema !== undefined) broker.createService(schema);
    await broker.start();
    if (service !== "announcements") await broker.waitForServices("announcements", 60_000, 20);
    return broker;
  }

  /** A NATS client with the service's password, and the refusals that it got from the server. */
  async function clientOf(service: ServiceName) {
    const { host, username: user, password: pass } = new URL(users.urlOf(service, server.port));
    const client = await connect({ servers: host, user, pass });
    connections.push(client);
    const refused: string[] = [];
    void (async () => {
      for await (const { permissionContext } of client.status()) {
        if (permissionContext !== undefined)
          refused.push(`${permissionContext.operation} ${permissionContext.subject}`);
      }
    })();
    return { client, refused };
  }

  test("is refused without a password", async () => {
    const { host } = new URL(server.url);
    await expect(connect({ servers: host })).rejects.toMatchObject({ code: "AUTHORIZATION_VIOLATION" });
    await expect(connect({ servers: host, user: "api", pass: "x" })).rejects.toMatchObject({
      code: "AUTHORIZATION_VIOLATION",
    });
  });

  test("the gateway's may call the actions of its routes, and its call of an internal action never arrives", async () => {
    const gateway = await brokerOf("api");
    await expect(gateway.call(listAnnouncements.name, everyOne)).resolves.toEqual([]);
    const internal = gateway.call(announcementsChangesSince.name, fromTheBeginning, { timeout: 1_000, retries: 0 });
    await expect(internal).rejects.toMatchObject({ code: 504 });
    // A refused message would have arrived before this one.
    await gateway.call(listAnnouncements.name, everyOne);
    expect(served).toEqual([listAnnouncements.name, listAnnouncements.name]);
  });

  test("dispatch's may call that internal action", async () => {
    const dispatch = await brokerOf("dispatch");
    await expect(dispatch.call(announcementsChangesSince.name, fromTheBeginning)).resolves.toMatchObject({
      changes: [],
    });
    expect(served.at(-1)).toBe(announcementsChangesSince.name);
  });

  test.each([
    ["request", "REQB.announcements.changesSince", "dispatch", "announcements"],
    ["response", "RES.calendar-events.one", "guild-settings", "calendar-events"],
    ["event", "EVENT.dispatch.one", "announcements", "dispatch"],
  ] as const)("a forged %s to %s arrives only from %s", async (_what, suffix, allowed, receiver) => {
    const subject = `MOL-guildcal.${suffix}`;
    const heard: string[] = [];
    const { client: listening } = await clientOf(receiver);
    listening.subscribe(subject, { callback: (_error, message) => void heard.push(message.string()) });
    await listening.flush();
    const gateway = await clientOf("api");
    gateway.client.publish(subject, "of the gateway");
    await gateway.client.flush();
    await until(() => gateway.refused.length > 0, "the refusal");
    const { client } = await clientOf(allowed);
    client.publish(subject, `of ${allowed}`);
    await until(() => heard.length > 0, "the allowed message");
    expect([heard, gateway.refused]).toEqual([[`of ${allowed}`], [`publish ${subject}`]]);
  });

  test.each(["MOL-guildcal.REQB.announcements.create", "MOL-guildcal.RES.api.*", "MOL-guildcal.>", ">"])(
    "calendar-events' cannot subscribe to %s, and can subscribe to its own subject",
    async (subject) => {
      const { client, refused } = await clientOf("calendar-events");
      client.subscribe(subject, { queue: "announcements.create", callback: () => undefined });
      client.subscribe("MOL-guildcal.REQB.calendar-events.create", { callback: () => undefined });
      await client.flush();
      await until(() => refused.length > 0, "the refusal");
      expect(refused).toEqual([`subscription ${subject}`]);
    },
  );

  test("a process that pretends to be another service gets no calls of it, and continues its own work", async () => {
    const impostor = await brokerOf("calendar-events", {
      name: "announcements",
      actions: { listRules: () => ["forged"], get: () => "forged" },
    });
    const dispatch = brokers.find(({ nodeID }) => nodeID === "dispatch.test") as ServiceBroker;
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => dispatch.call(listAnnouncementRules.name, { guildId: everyOne.guildId })),
    );
    expect(responses.flat()).toEqual([]);
    // A refused subscription must not end the allowed ones.
    await expect(impostor.ping("announcements.test", 2_000)).resolves.not.toBeNull();
  });
});

describe("an installation with the users of the manifests", () => {
  const [own, other] = ["375357265198317579", "375357265198317580"];
  let env: Record<string, string>;
  let users: TemporaryNatsUsers;
  let server: Awaited<ReturnType<typeof startNatsWithUsers>>;
  let made: { readonly name: string; readonly namespace: string; readonly seed: string };
  let shopBot: OutsideService;
  const brokers: ServiceBroker[] = [];

  beforeAll(async () => {
    env = { PATH: process.env["PATH"]!, MONGO_URL: emptyDatabase() };
    made = JSON.parse(
      await busUsers("create", "--json", "--name", "shop-bot", "--access", "read", "--guild", own),
    ) as typeof made;
    users = temporaryNatsUsers();
    server = await startNatsWithUsers({ ...users, configuration: await usersConf() });
    const { MONGO_URL: mongoUrl = "" } = env;
    await startService("guild-settings", guildSettingsService({ mongoUrl }));
    const hashing = { pepper: "pepper-of-the-tests-0123456789abcdef", env: "test" };
    const address = { port: 0, host: "127.0.0.1", apiKey: "operator-key-of-the-tests" };
    const busUrl = users.urlOf("api", server.port);
    await startService("api", apiService({ mongoUrl, ...address, hashing, rates: NO_LIMITS, drainMs: 0, busUrl }));
    shopBot = await OutsideService.start({
      ...made,
      moleculer: "moleculer",
      natsUrl: server.url,
      joins: "packed contracts",
    });
    await shopBot.reaches("guild-settings.get", { guildId: own });
  });
  afterAll(async () => {
    await shopBot.end();
    await Promise.all(brokers.map((broker) => broker.stop()));
    await server.stop();
  });

  async function busUsers(...words: string[]): Promise<string> {
    const script = join(PROJECT, "services/launch/start.js");
    return (await promisify(execFile)(process.execPath, [script, "bus-users", ...words], { env })).stdout;
  }

  /** The file that replaces `users.conf` in an overlay, without the include of the passwords, which are variables here. */
  async function usersConf(): Promise<string> {
    const file = await busUsers("users-conf");
    return file.slice(file.indexOf("authorization {"));
  }

  async function startService(service: ServiceName, schema: ServiceSchema): Promise<void> {
    const natsUrl = users.urlOf(service, server.port);
    const options = brokerOptions({ nodeId: `${service}.test`, natsUrl, logLevel: "fatal" });
    const broker = new ServiceBroker({ ...options, logger: false });
    brokers.push(broker);
    broker.createService(schema);
    await broker.start();
  }

  const connectAs = (seed: string) => {
    const authenticator = nkeyAuthenticator(Buffer.from(seed));
    return connect({ servers: server.url, authenticator, reconnect: false });
  };

  test("serves a bus user with the packed contracts what it may call, and sends it the events of its guild alone", async () => {
    const forbidden = shopBot.call("guild-settings.get", { guildId: other });
    await expect(forbidden).resolves.toMatchObject({ error: { type: "FORBIDDEN", code: 403 } });
    const unknown = shopBot.call("guild-settings.update", { guildId: own, prefix: "?" });
    await expect(unknown).resolves.toMatchObject({ error: { type: "SERVICE_NOT_FOUND" } });
    const gateway = brokers.at(-1)!;
    const isReceived = async () => {
      for (const guildId of [other, own]) await gateway.call("guild-settings.update", { guildId, prefix: "?" });
      return shopBot.events.length > 0;
    };
    await until(isReceived, "an event", 15_000, 200);
    expect(new Set(shopBot.events.map(({ eventName, params }) => `${eventName} ${String(params["guildId"])}`))).toEqual(
      new Set([`guild-settings.changed ${own}`]),
    );
  });

  test("lets NATS refuse all other subjects to the bus user, and a user that is not in the file", async () => {
    const stranger = new TextDecoder().decode(nkeys.createUser().getSeed());
    await expect(connectAs(stranger)).rejects.toMatchObject({ code: "AUTHORIZATION_VIOLATION" });
    const client = await connectAs(made.seed);
    const refused: string[] = [];
    void (async () => {
      for await (const { permissionContext } of client.status()) {
        if (permissionContext !== undefined) refused.push(permissionContext.subject);
      }
    })();
    const read = "MOL-guildcal-bus.shop-bot.REQB.calendar-events.get";
    const write = "MOL-guildcal-bus.shop-bot.REQB.calendar-events.create";
    for (const subject of [read, write, "MOL-guildcal.REQB.calendar-events.get"]) client.publish(subject, "x");
    await client.flush();
    await until(() => refused.length === 2, "the refusals");
    expect(refused).toEqual([write, "MOL-guildcal.REQB.calendar-events.get"]);
    await client.close();
  });

  test("serves a bus user no more that is revoked, and closes its connection with the next file", async () => {
    const client = await connectAs(made.seed);
    await busUsers("revoke", "shop-bot");
    const isRefused = async () => (await shopBot.call("guild-settings.get", { guildId: own })).error !== undefined;
    await until(isRefused, "the calls are refused", 10_000);
    expect(client.isClosed()).toBe(false);
    await server.setUsers(await usersConf());
    await until(() => client.isClosed(), "the connection is closed", 10_000);
    await expect(connectAs(made.seed)).rejects.toMatchObject({ code: "AUTHORIZATION_VIOLATION" });
  });
});
