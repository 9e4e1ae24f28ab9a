import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose from "mongoose";
import { ChangeStreamReader } from "../../test/harness/change-stream.ts";
import { changingGuild } from "../../test/harness/changing-guild.ts";
import { everyOwner } from "../../test/harness/every-owner.ts";
import { startTestGateway, type TestGateway, untilReady } from "../../test/harness/test-gateway.ts";
import { until } from "../../test/harness/until.ts";
import { RETRY_MS } from "./domain/retry-schedule.ts";
import { isSignedWith, startReceiver, type WebhookReceiver } from "../../test/harness/webhook-receiver.ts";

const OPERATOR_KEY = "operator-key-of-the-tests";
const EVENT_TYPES = ["event.created", "event.updated", "event.deleted"];

describe("the webhooks of a guild (D53)", () => {
  let gateway: TestGateway;
  const receivers: WebhookReceiver[] = [];

  beforeAll(async () => {
    gateway = await startTestGateway(everyOwner);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  });

  async function receive(respond?: Parameters<typeof startReceiver>[0]): Promise<WebhookReceiver> {
    const receiver = await startReceiver(respond);
    receivers.push(receiver);
    return receiver;
  }

  async function guildWith(url: string, types: readonly string[] = EVENT_TYPES) {
    const guild = changingGuild(gateway);
    const { id, secret } = await guild.ask("/v2/webhooks/create", { guild_id: guild.guild_id, url, types });
    const where = { guild_id: guild.guild_id, id: String(id) };
    return { ...guild, where: { ...guild.where }, webhook: where, secret: String(secret) };
  }

  async function deliveries(webhook: object, more: object = {}) {
    const { body } = await gateway.post("/v2/webhooks/deliveries", { ...webhook, ...more });
    return body as unknown as { deliveries: Record<string, unknown>[]; next?: string };
  }

  test("get each change of their types once, in order, signed, with the object and the names of changed fields", async () => {
    const receiver = await receive();
    const guild = await guildWith(receiver.url, [...EVENT_TYPES, "settings.updated", "calendar.updated"]);
    const id = await guild.event({ name: "Raid night" });
    await until(() => receiver.received.length === 1, "the creation");
    await guild.rename(id, "Moved");
    await until(() => receiver.received.length === 2, "the update");
    await guild.ask("/v2/events/delete", { ...guild.where, event_id: id });
    await until(() => receiver.received.length === 3, "the deletion");
    await guild.ask("/v2/guild/settings/update", { guild_id: guild.guild_id, prefix: "?" });
    await until(() => receiver.received.length === 4, "the settings");
    await guild.ask("/v2/calendar/update", { ...guild.where, name: "Raids" });
    await until(() => receiver.received.length === 5, "the calendar");
    const bodies = receiver.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(bodies).toMatchObject([
      {
        type: "event.created",
        data: {
          webhook_id: guild.webhook.id,
          guild_id: guild.guild_id,
          id,
          revision: 1,
          event: { name: "Raid night" },
        },
      },
      { type: "event.updated", data: { id, revision: 2, changed_fields: ["name"], event: { name: "Moved" } } },
      { type: "event.deleted", data: { id, revision: 3 } },
      { type: "settings.updated", data: { id: guild.guild_id, settings: { prefix: "?" } } },
      { type: "calendar.updated", data: { id: "1", calendar: { name: "Raids" } } },
    ]);
    expect(bodies[2]?.["data"]).not.toHaveProperty("event");
    // A 64-bit id has every digit.
    expect(receiver.received[3]?.body).toContain(`"settings":{"guild_id":${guild.guild_id},`);
    expect(receiver.received.map((request) => isSignedWith(guild.secret, request))).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(isSignedWith(`whsec_${"A".repeat(43)}=`, receiver.received[0]!)).toBe(false);
    // A response is stored after the receiver has sent it.
    const isStored = async () => (await deliveries(guild.webhook, { state: "pending" })).deliveries.length === 0;
    await until(isStored, "every delivery is settled");
    const listed = await deliveries(guild.webhook, { limit: 2 });
    expect(listed.deliveries).toMatchObject([
      { type: "calendar.updated", state: "delivered", attempts: 1, response_status: 200 },
      { type: "settings.updated", state: "delivered" },
    ]);
    expect(listed.deliveries.map(({ id: each }) => each)).toEqual(
      receiver.received
        .slice(3)
        .map(({ headers }) => headers["webhook-id"])
        .toReversed(),
    );
    const rest = await deliveries(guild.webhook, { limit: 3, cursor: listed.next });
    expect([rest.deliveries.length, rest.next]).toEqual([3, undefined]);
  });

  test("get the outcome of a post", async () => {
    const receiver = await receive();
    const guild = await guildWith(receiver.url, ["announcement.posted"]);
    const rule = { guild_id: guild.guild_id, channel: "7", type: "UNIVERSAL", hours: 0, minutes: 1, info: "" };
    const { id } = await guild.ask("/v1/announcement/create", rule);
    await guild.event({ epoch_start: Date.now() + 30_000, epoch_end: Date.now() + 3_600_000 });
    await until(() => receiver.received.length === 1, "the outcome", 30_000);
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      type: "announcement.posted",
      data: { post: { announcement_id: id, state: "sent", channel: "7" } },
    });
  });

  test("are sent again after a failure, and later changes of the same record wait, but no other record", async () => {
    const refused = new Set<string>();
    const receiver = await receive(({ body }) => {
      const { data } = JSON.parse(body) as { data: { id: string; event?: { name: string } } };
      if (data.event?.name !== "refused once" || refused.has(data.id)) return 200;
      refused.add(data.id);
      return 500;
    });
    const guild = await guildWith(receiver.url);
    const id = await guild.event({ name: "refused once" });
    await until(() => refused.size === 1, "the first attempt");
    await guild.rename(id, "second");
    const other = await guild.event({ name: "other" });
    await until(() => receiver.received.length === 4, "all deliveries", 30_000);
    const order = receiver.received.map(({ body }) => {
      const { data } = JSON.parse(body) as { data: { id: string; revision: number } };
      return [data.id, data.revision];
    });
    expect(order).toEqual([
      [id, 1],
      [other, 1],
      [id, 1],
      [id, 2],
    ]);
    const [first, , again] = receiver.received;
    expect([again?.headers["webhook-id"], again?.body]).toEqual([first?.headers["webhook-id"], first?.body]);
  });

  test("that get no response hold up no other webhook, also of the same guild", async () => {
    const silent = await receive(() => new Promise(() => {}));
    const receiver = await receive();
    const guild = await guildWith(silent.url);
    await guild.ask("/v2/webhooks/create", { guild_id: guild.guild_id, url: receiver.url, types: EVENT_TYPES });
    for (let n = 0; n < 20; n += 1) await guild.event({ name: `event ${n}` });
    await until(() => receiver.received.length === 20, "every event at the other webhook");
    const { deliveries: pending } = await deliveries(guild.webhook, { state: "pending" });
    expect(pending.length).toBeGreaterThan(0);
    expect(silent.received.length).toBeLessThanOrEqual(8);
  });

  test("get nothing after they are disabled or deleted, and the rest after they are enabled again", async () => {
    const receiver = await receive();
    const guild = await guildWith(receiver.url);
    await guild.ask("/v2/webhooks/update", { ...guild.webhook, enabled: false });
    const id = await guild.event({ name: "while disabled" });
    const other = await receive();
    await guild.ask("/v2/webhooks/create", { guild_id: guild.guild_id, url: other.url, types: EVENT_TYPES });
    await guild.rename(id, "seen");
    await until(() => other.received.length === 1, "the same change at an enabled webhook");
    expect(receiver.received).toEqual([]);
    expect(await guild.ask("/v2/webhooks/get", guild.webhook)).toMatchObject({
      enabled: false,
      disabled_reason: "REQUESTED",
    });
    await guild.ask("/v2/webhooks/update", { ...guild.webhook, enabled: true });
    await until(() => receiver.received.length === 1, "the change at the webhook that is enabled again");
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ type: "event.created", data: { id, revision: 2 } });
    await guild.ask("/v2/webhooks/delete", guild.webhook);
    await guild.rename(id, "after the end");
    await until(() => other.received.length === 2, "the change at the other webhook");
    expect(receiver.received).toHaveLength(1);
    const { status, body } = await gateway.post("/v2/webhooks/get", guild.webhook);
    expect([status, body["code"]]).toEqual([404, "WEBHOOK_NOT_FOUND"]);
  });

  test("are disabled by a 410 of the receiver, which the changes of the guild report", async () => {
    const receiver = await receive(() => 410);
    const guild = await guildWith(receiver.url);
    const { sync_token } = await guild.changes();
    await guild.event({ name: "unwanted" });
    await until(async () => {
      const { changes } = await guild.changes(sync_token);
      return changes.some(
        ({ kind, id, webhook }) =>
          kind === "webhook" && id === guild.webhook.id && webhook?.["disabled_reason"] === "GONE",
      );
    }, "the change");
    const { deliveries: failed } = await deliveries(guild.webhook);
    expect(failed).toMatchObject([{ state: "failed", response_status: 410, error: "HTTP 410" }]);
    const refused = await gateway.post("/v2/webhooks/redeliver", guild.webhook);
    expect([refused.status, refused.body["code"]]).toEqual([409, "WEBHOOK_DISABLED"]);
    await guild.ask("/v2/webhooks/update", { ...guild.webhook, enabled: true });
    expect(await guild.ask("/v2/webhooks/redeliver", guild.webhook)).toMatchObject({ amount: 1 });
    await until(() => receiver.received.length === 2, "the delivery again");
    expect(receiver.received[1]?.headers["webhook-id"]).toBe(receiver.received[0]?.headers["webhook-id"]);
  });

  test("are disabled when a delivery fails three days after its first attempt, which the stream reports", async () => {
    const receiver = await receive(() => 500);
    const guild = await guildWith(receiver.url);
    const query = new URLSearchParams({ guild_id: guild.guild_id, sync_token: (await guild.changes()).sync_token });
    const stream = await ChangeStreamReader.open(gateway.baseUrl, query.toString(), { authorization: OPERATOR_KEY });
    const id = await guild.event({ name: "never received" });
    const isRetried = async () => (await deliveries(guild.webhook)).deliveries[0]?.["response_status"] === 500;
    await until(isRetried, "the first attempt");
    const connection = await mongoose.createConnection(gateway.mongoUrl).asPromise();
    const firstAttemptAt = Date.now() - RETRY_MS;
    await connection
      .collection("webhook_deliveries")
      .updateOne({ webhookId: guild.webhook.id, state: "pending" }, { $set: { firstAttemptAt } });
    await connection.close();
    const disabled = () => stream.changes.find(({ kind }) => kind === "webhook");
    await until(() => disabled() !== undefined, "the change of the webhook");
    stream.end();
    expect(disabled()).toMatchObject({
      id: guild.webhook.id,
      webhook: { enabled: false, disabled_reason: "RETRIES_EXHAUSTED" },
    });
    const { deliveries: failed } = await deliveries(guild.webhook);
    expect(failed).toMatchObject([{ type: "event.created", record_id: id, state: "failed", attempts: 2 }]);
  });

  test("are signed with both secrets during a rotation, and it cannot begin twice", async () => {
    const receiver = await receive();
    const guild = await guildWith(receiver.url);
    const rotated = await guild.ask("/v2/webhooks/rotate", guild.webhook);
    expect(rotated).toMatchObject({ id: guild.webhook.id, previous_until: expect.any(Number) });
    await guild.event({});
    await until(() => receiver.received.length === 1, "the event");
    const [request] = receiver.received;
    expect([isSignedWith(guild.secret, request!), isSignedWith(String(rotated["secret"]), request!)]).toEqual([
      true,
      true,
    ]);
    const refused = await gateway.post("/v2/webhooks/rotate", guild.webhook);
    expect([refused.status, refused.body["code"]]).toEqual([409, "WEBHOOK_ROTATING"]);
    const last = await guild.ask("/v2/webhooks/rotate", { ...guild.webhook, overlap_hours: 0 });
    await guild.event({});
    await until(() => receiver.received.length === 2, "the next event");
    const [, next] = receiver.received;
    expect(
      [guild.secret, rotated["secret"], last["secret"]].map((secret) => isSignedWith(String(secret), next!)),
    ).toEqual([false, false, true]);
  });

  test("are ten for a guild at most, with https or private addresses and at least one type", async () => {
    const guild = changingGuild(gateway);
    const create = (more: object = {}) =>
      gateway.post("/v2/webhooks/create", {
        guild_id: guild.guild_id,
        url: "https://bot.example/hook",
        types: ["event.created"],
        ...more,
      });
    const created = await Promise.all(Array.from({ length: 11 }, () => create()));
    expect(created.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(created.find(({ status }) => status === 409)?.body["code"]).toBe("TOO_MANY_WEBHOOKS");
    const { webhooks } = (await guild.ask("/v2/webhooks/list", { guild_id: guild.guild_id })) as never as {
      webhooks: object[];
    };
    expect(webhooks).toHaveLength(10);
    expect(JSON.stringify(webhooks)).not.toContain("secret");
    for (const [field, value] of [
      ["url", "ftp://bot.example/"],
      ["url", "https://user:word@bot.example/"],
      ["url", `https://bot.example/${"a".repeat(1_100)}`],
      ["types", []],
      ["types", ["event.renamed"]],
    ] as const) {
      const { status, body } = await create({ [field]: value });
      const fields = (body["errors"] as { field: string }[]).map((error) => error.field.replace(/\[.*/, ""));
      expect([status, fields]).toEqual([400, [field]]);
    }
  });
});
