import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { GUILD, startReplicas } from "../../../test/harness/webhook-replicas.ts";
import { newEventId } from "../../calendar-events/domain/event/event-id.ts";
import type { EncodedChange } from "../../contracts/guild-changes.contract.ts";
import { ATTEMPT_MS } from "../domain/delivery-queue.ts";
import { RETRY_MS } from "../domain/retry-schedule.ts";
import { queuePorts } from "../queue-ports.ts";
import type { OutgoingRequest, QueuePorts, SendResult } from "./ports.ts";
import { LEASE_MS, visitQueue } from "./visit-queue.ts";

const HOUR = 3_600_000;
const NEW_URL = "https://new.example/";

describe("a webhook that is changed during a visit", () => {
  let replicas: Awaited<ReturnType<typeof startReplicas>>;
  let failed: string[];
  let broadcasts: string[];

  beforeEach(async () => {
    replicas = await startReplicas();
    [failed, broadcasts] = [[], []];
  });
  afterEach(() => replicas.stop());

  /** The ports of the service, with a bus and receivers of the test. */
  function portsOf(send: (request: OutgoingRequest) => Promise<SendResult>): QueuePorts {
    const { management } = replicas;
    const service = {
      broker: { broadcast: (name: string) => Promise.resolve(void broadcasts.push(name)) },
      logger: { warn: () => undefined },
    } as never;
    const ports = replicas.ports(send);
    const { disable } = queuePorts(service, { ...ports, management, sender: { send } });
    const reports = { ...ports.reports, failed: (operation: string) => void failed.push(operation) };
    return { ...ports, disable, reports };
  }

  /** Responds to the first attempt with `first`, and to every later one with success. */
  function receiving(first: (request: OutgoingRequest) => Promise<SendResult>) {
    const urls: string[] = [];
    const ports = portsOf(async (request) => {
      urls.push(request.url);
      return urls.length === 1 ? first(request) : { status: 200 };
    });
    return { urls, ports };
  }

  function event(n: number): EncodedChange {
    const { now } = replicas.time;
    const id = newEventId(now + n, new Uint8Array(15));
    return { kind: "event", id, revision: 1, changedAt: now, deleted: false, json: "{}" };
  }

  async function claimDue() {
    const { time, webhooks } = replicas;
    const [due] = await webhooks.listDue(time.now, false, 1);
    return (await webhooks.claim(due!, time.now, time.now + LEASE_MS))!;
  }

  const storedQueue = async () => {
    const row = await replicas.connection.collection("webhooks").findOne({ guildId: GUILD });
    return row!["queue"] as Record<string, unknown>;
  };

  const deliveries = async (webhook: { guildId: typeof GUILD; id: string }) => {
    const page = await replicas.management.listDeliveries(webhook);
    return "entries" in page ? page.entries : [];
  };

  test.each([
    ["410", { status: 410, error: "HTTP 410" }, 0],
    ["a failure after three days", { status: 500, error: "HTTP 500" }, RETRY_MS],
  ])("is not disabled by %s of the address before, and the new one gets the delivery", async (_, result, tookMs) => {
    const webhook = await replicas.create();
    replicas.changes.push(event(1));
    const { urls, ports } = receiving(async () => {
      await replicas.management.update({ ...webhook, url: NEW_URL });
      replicas.time.now += tookMs;
      return result;
    });
    await replicas.visitDue(ports);
    expect(await replicas.management.get(GUILD, webhook.id)).toMatchObject({ enabled: true, url: NEW_URL });
    const { now } = replicas.time;
    expect(await deliveries(webhook)).toMatchObject([{ state: "pending", attempts: 1, nextAttemptAt: now }]);
    expect(broadcasts).toEqual([]);
    replicas.time.now += LEASE_MS;
    await replicas.visitDue(ports);
    expect(urls).toEqual(["https://bot.example/", NEW_URL]);
    expect(await deliveries(webhook)).toMatchObject([{ state: "delivered", attempts: 2 }]);
    expect(failed).toEqual([]);
  });

  test("is disabled by the 410 of its address, which is broadcast once, and its other deliveries wait", async () => {
    const webhook = await replicas.create();
    for (let n = 0; n < 4; n += 1) replicas.changes.push(event(n));
    await replicas.visitDue(portsOf(async () => ({ status: 410, error: "HTTP 410" })));
    expect(await replicas.management.get(GUILD, webhook.id)).toMatchObject({ enabled: false, disabledReason: "GONE" });
    const states = (await deliveries(webhook)).map(({ state }) => state);
    expect(states.toSorted()).toEqual(["failed", "pending", "pending", "pending"]);
    expect([broadcasts, failed]).toEqual([["webhook.changed"], []]);
    expect(await storedQueue()).not.toHaveProperty("leaseUntil");
  });

  test("is not disabled for a secret that a rotation has replaced", async () => {
    const webhook = await replicas.create();
    replicas.changes.push(event(1));
    const { urls, ports } = receiving(async () => ({ status: 200 }));
    const rotating: QueuePorts = {
      ...ports,
      secrets: { ...ports.secrets, open: () => undefined },
      webhooks: {
        ...ports.webhooks,
        async saveQueue(claim, queue) {
          const saved = await ports.webhooks.saveQueue(claim, queue);
          await replicas.management.rotate(GUILD, webhook.id, 0);
          return saved;
        },
      },
    };
    await replicas.visitDue(rotating);
    expect(await replicas.management.get(GUILD, webhook.id)).toMatchObject({ enabled: true });
    expect(urls).toEqual([]);
    replicas.time.now += LEASE_MS;
    await replicas.visitDue(ports);
    expect([urls.length, failed]).toEqual([1, []]);
  });

  test("is visited again at once after the attempts that had begun, without the failures of the visit before", async () => {
    const webhook = await replicas.create();
    replicas.changes.push(event(1));
    const { urls, ports } = receiving(async () => {
      await replicas.management.update({ ...webhook, url: NEW_URL });
      return { status: 500, error: "HTTP 500" };
    });
    await replicas.visitDue(ports);
    const queue = await storedQueue();
    expect(queue).toMatchObject({ failures: 0, probeAt: 0 });
    expect(queue).not.toHaveProperty("leaseUntil");
    replicas.time.now += HOUR;
    await replicas.visitDue(ports);
    expect([urls, failed]).toEqual([["https://bot.example/", NEW_URL], []]);
  });

  test("gets each later change of a type that was added while the visit read the others", async () => {
    const webhook = await replicas.create(["event.created"]);
    replicas.changes.push(event(1));
    const settings = { kind: "settings", id: String(GUILD), revision: 2, deleted: false, json: "{}" } as const;
    const sent: string[] = [];
    const ports = portsOf(async ({ body }) => {
      sent.push((JSON.parse(body) as { type: string }).type);
      return { status: 200 };
    });
    const adding: QueuePorts = {
      ...ports,
      async readChanges(params) {
        await replicas.management.update({ ...webhook, types: ["event.created", "settings.updated"] });
        replicas.changes.push({ ...settings, changedAt: replicas.time.now });
        return ports.readChanges(params);
      },
    };
    await replicas.visitDue(adding);
    expect(sent).toEqual([]);
    replicas.time.now += LEASE_MS;
    await replicas.visitDue(ports);
    expect([sent, failed]).toEqual([["event.created", "settings.updated"], []]);
  });

  test("gets nothing twice: the next visit waits for the attempts, but no longer than one may take", async () => {
    const webhook = await replicas.create();
    const { time, webhooks, management } = replicas;
    const [due] = await webhooks.listDue(time.now, false, 1);
    const vanished = (await webhooks.claim(due!, time.now, time.now + HOUR))!;
    await management.update({ ...webhook, url: NEW_URL });
    expect(await webhooks.findClaimed(vanished)).toBeUndefined();
    expect(await replicas.visitDue(portsOf(async () => ({ status: 200 })))).toBe(0);
    time.now += HOUR / 2 + ATTEMPT_MS;
    expect(await webhooks.listDue(time.now, false, 1)).toHaveLength(1);
  });

  test("is leased no longer than it was, and not at all if it was not", async () => {
    const webhook = await replicas.create();
    const { time, webhooks, management } = replicas;
    await management.update({ ...webhook, url: NEW_URL });
    expect(await storedQueue()).not.toHaveProperty("leaseUntil");
    time.now += HOUR;
    const [due] = await webhooks.listDue(time.now, false, 1);
    const leaseUntil = Date.now() + 1;
    await webhooks.claim(due!, time.now, leaseUntil);
    await management.update({ ...webhook, url: "https://newer.example/" });
    expect(await storedQueue()).toMatchObject({ leaseUntil: new Date(leaseUntil) });
  });

  test("keeps the lease of a later visit when the one before ends", async () => {
    const webhook = await replicas.create();
    const { time, webhooks, management } = replicas;
    const before = await claimDue();
    await management.update({ ...webhook, url: NEW_URL });
    time.now += HOUR;
    const later = await claimDue();
    await visitQueue(
      portsOf(async () => ({ status: 200 })),
      before,
      () => false,
    );
    expect(await storedQueue()).toMatchObject({ leaseUntil: new Date(later.leaseUntil) });
    expect(await webhooks.findClaimed(later)).toBeDefined();
  });
});
