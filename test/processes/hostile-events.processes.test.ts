import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ServiceBroker, type ServiceSchema } from "moleculer";
import { connect, type NatsConnection } from "nats";
import { busRefusals } from "../../mixins/observability/metrics.ts";
import { brokerOptions } from "../../moleculer.config.ts";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { listAnnouncementRules } from "../../services/contracts/announcement-rules.contract.ts";
import { calendarEventChanged } from "../../services/contracts/calendar-events.contract.ts";
import { dispatchService } from "../../services/dispatch/dispatch.service.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { type EmbeddedNats, startNatsWithUsers } from "../../services/launch/embedded/embedded-nats.ts";
import { type TemporaryNatsUsers, temporaryNatsUsers } from "../../services/launch/permissions/nats-users.ts";
import { emptyDatabase } from "../harness/test-services.ts";
import { until } from "../harness/until.ts";
import type { ServiceName } from "../../services/contracts/service-names.ts";

const encoder = new (createRequire(import.meta.url)("cbor-x").Encoder as new (options: object) => {
  encode(value: unknown): Buffer;
})({ useRecords: false });

const revision = 7;
const eventId = `e${"0".repeat(25)}`;

describe("dispatch, on a bus with malformed events", () => {
  let server: EmbeddedNats;
  let users: TemporaryNatsUsers;
  let attacker: NatsConnection;
  const brokers: ServiceBroker[] = [];
  /** The guilds whose announcements dispatch has read. */
  const requestedGuilds: unknown[] = [];

  beforeAll(async () => {
    users = temporaryNatsUsers();
    server = await startNatsWithUsers(users);
    const mongoUrl = emptyDatabase();
    await brokerOf("guild-settings", guildSettingsService({ mongoUrl }));
    await brokerOf("calendar-events", calendarEventsService({ mongoUrl }));
    await brokerOf("announcements", announcementsService({ mongoUrl }));
    await brokerOf("dispatch", dispatchService({ mongoUrl, sinks: [], graceMs: 900_000 }));
    const { host, username: user, password: pass } = new URL(users.urlOf("calendar-events", server.port));
    attacker = await connect({ servers: host, user, pass });
  });
  afterAll(async () => {
    await attacker.close();
    await Promise.all(brokers.map((broker) => broker.stop()));
    await server.stop();
  });

  async function brokerOf(service: ServiceName, schema: ServiceSchema): Promise<void> {
    const natsUrl = users.urlOf(service, server.port);
    const options = brokerOptions({ nodeId: `${service}.test`, natsUrl, logLevel: "fatal" });
    const noted = {
      name: "noted",
      localAction:
        (next: (context: object) => Promise<unknown>, { name }: { name: string }) =>
        (context: { params: { guildId?: unknown } }) => {
          if (name === listAnnouncementRules.name) requestedGuilds.push(context.params.guildId);
          return next(context);
        },
    };
    const middlewares = [...(options.middlewares ?? []), noted as object];
    const broker = new ServiceBroker({ ...options, logger: false, middlewares });
    brokers.push(broker);
    broker.createService(schema);
    await broker.start();
  }

  function send(payload: unknown): void {
    const packet = { ver: "5", sender: "calendar-events.test", id: randomUUID(), event: calendarEventChanged.name };
    const data = encoder.encode({ ...packet, data: payload, groups: null, broadcast: true, meta: {}, headers: {} });
    attacker.publish("MOL-guildcal.EVENT.dispatch.test", data);
  }

  async function dropped(): Promise<number> {
    const { values } = await busRefusals.get();
    const ours = values.filter(({ labels }) => String(labels["reason"]).endsWith(calendarEventChanged.name));
    return ours.reduce((sum, { value }) => sum + value, 0);
  }

  test("drops and counts each of them, makes no call because of one, and handles the next valid event", async () => {
    const wrong = [{ $gt: "" }, { $ne: "1" }, ["7"], 7, "0", "not a guild", "9".repeat(30)];
    for (const guildId of wrong) send({ guildId, eventId, revision });
    send({ guildId: "7", eventId: { $gt: "" }, revision });
    send({ guildId: "7", eventId, revision, $where: "1" });
    for (const payload of [null, "text", [], {}]) send(payload);
    await until(async () => (await dropped()) === wrong.length + 6, "all malformed events are dropped");
    send({ guildId: "42", eventId, revision });
    await until(() => requestedGuilds.includes("42"), "the valid event is handled");
    expect(requestedGuilds.filter((guildId) => guildId !== "42")).toEqual([]);
  });
});
