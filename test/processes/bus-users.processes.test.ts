import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ServiceBroker, type ServiceSchema } from "moleculer";
import { connect, type NatsConnection, nkeyAuthenticator, nkeys } from "nats";
import { brokerOptions } from "../../moleculer.config.ts";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import {
  announcementsChangesSince,
  listAnnouncementRules,
  listAnnouncements,
} from "../../services/contracts/announcements.contract.ts";
import { type EmbeddedNats, startNatsWithUsers } from "../../services/launch/embedded/embedded-nats.ts";
import {
  natsUsersFile,
  type TemporaryNatsUsers,
  temporaryNatsUsers,
} from "../../services/launch/permissions/nats-users.ts";
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

test("a NATS server with the users of the manifests accepts a bus user with its own subjects, and refuses one that was revoked", async () => {
  const [bot, revoked] = [nkeys.createUser(), nkeys.createUser()];
  const file = natsUsersFile([{ name: "shop-bot", access: "read", publicKey: bot.getPublicKey() }]);
  // An included file has the passwords of the services there.
  const configuration = file.slice(file.indexOf("authorization {"));
  const server = await startNatsWithUsers({ ...temporaryNatsUsers(), configuration });
  const connectAs = (pair: typeof bot) => {
    const authenticator = nkeyAuthenticator(pair.getSeed());
    return connect({ servers: new URL(server.url).host, authenticator, reconnect: false });
  };
  try {
    await expect(connectAs(revoked)).rejects.toMatchObject({ code: "AUTHORIZATION_VIOLATION" });
    const client = await connectAs(bot);
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
  } finally {
    await server.stop();
  }
});
