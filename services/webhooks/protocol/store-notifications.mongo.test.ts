import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { GUILD, startReplicas } from "../../../test/harness/webhook-replicas.ts";
import { inTransaction } from "../../../mixins/mongo/transaction.ts";
import { isRefusal } from "../../contracts/errors.ts";
import type { EventId, OccurrenceId } from "../../contracts/ids.ts";
import type { OccurrenceNotification } from "../../contracts/occurrence-notifications.contract.ts";
import { MAX_PENDING_NOTIFICATIONS } from "../domain/occurrence-delivery.ts";
import { newNotificationStore } from "./store-notifications.ts";
import { LEASE_MS } from "./visit-queue.ts";

describe("the notifications of occurrences", () => {
  let replicas: Awaited<ReturnType<typeof startReplicas>>;

  beforeEach(async () => {
    replicas = await startReplicas();
  });
  afterEach(() => replicas.stop());

  function newStore() {
    const { time, webhooks, deliveries, connection } = replicas;
    return newNotificationStore({
      clock: { now: () => time.now },
      webhooks,
      deliveries,
      encode: async (occurrences) => occurrences.map(({ occurrenceId }) => JSON.stringify({ event_id: occurrenceId })),
      inTransaction: (work) => inTransaction(connection, work),
    });
  }

  function notification(n: number): OccurrenceNotification {
    const at = replicas.time.now;
    const id = `e${n}`;
    const ids = { occurrenceId: id as OccurrenceId, eventId: id as EventId };
    const occurrence = {
      ...ids,
      calendarNumber: 1,
      startsAt: at,
      endsAt: at + 1,
      color: "NONE",
      recurs: false,
    } as const;
    return { guildId: GUILD, type: "occurrence.started", key: String(n).padStart(24, "0"), occurredAt: at, occurrence };
  }

  const listed = async (webhook: { guildId: typeof GUILD; id: string }, more: object = {}) => {
    const page = await replicas.management.listDeliveries({ ...webhook, ...more });
    if (isRefusal(page)) throw new Error(page.refusal);
    return page.entries;
  };

  test("are stored once for each webhook with the type, however often and at how many processes they are told", async () => {
    const [first, second, other] = [
      await replicas.create(["occurrence.started"]),
      await replicas.create(["occurrence.started"]),
      await replicas.create(["event.created"]),
    ];
    const [one, two] = [newStore(), newStore()];
    const all = Array.from({ length: 40 }, (_, n) => notification(n));
    const amounts = await Promise.all([...all, ...all].map((each, at) => (at % 2 === 0 ? one : two)(each)));
    expect(amounts.reduce((sum, { amount }) => sum + amount, 0)).toBe(2 * all.length);
    expect(await one(all[0]!)).toEqual({ amount: 0 });
    for (const webhook of [first, second]) {
      const ids = (await listed(webhook)).map(({ recordId }) => recordId);
      expect(ids.toSorted()).toEqual(all.map(({ occurrence }) => occurrence.occurrenceId).toSorted());
    }
    expect(await listed(other)).toEqual([]);
  });

  test("are not stored for a webhook that got the type after their instant", async () => {
    const before = notification(1);
    replicas.time.now += 1;
    const webhook = await replicas.create(["occurrence.started"]);
    expect(await newStore()(before)).toEqual({ amount: 0 });
    expect(await newStore()(notification(2))).toEqual({ amount: 1 });
    expect(await listed(webhook)).toHaveLength(1);
  });

  test("take positions of their own while a replica visits the queue", async () => {
    const webhook = await replicas.create(["occurrence.started"]);
    const [due] = await replicas.webhooks.listDue(replicas.time.now, false, 1);
    const claim = (await replicas.webhooks.claim(due!, replicas.time.now, replicas.time.now + LEASE_MS))!;
    const { queue } = (await replicas.webhooks.findClaimed(claim))!;
    await newStore()(notification(1));
    const positions: number[] = [];
    const advanced = await replicas.webhooks.advance(claim, queue, 2, async (_, last) => void positions.push(last));
    expect([positions, advanced?.seq]).toEqual([[1], 3]);
    await replicas.webhooks.release(claim, queue, replicas.time.now + LEASE_MS);
    await newStore()(notification(2));
    expect((await replicas.deliveries.listPending(webhook)).map(({ seq }) => seq)).toEqual([1, 4]);
    expect(await replicas.webhooks.listDue(replicas.time.now, false, 1)).toHaveLength(1);
  });

  test("beyond the maximum of pending deliveries are stored as failed, with the reason, and can be sent again", async () => {
    const webhook = await replicas.create(["occurrence.started"]);
    const store = newStore();
    const count = MAX_PENDING_NOTIFICATIONS + 3;
    for (let at = 0; at < count; at += 200) {
      await Promise.all(Array.from({ length: Math.min(200, count - at) }, (_, n) => store(notification(at + n))));
    }
    expect(await replicas.deliveries.countPending(webhook)).toBeGreaterThanOrEqual(MAX_PENDING_NOTIFICATIONS);
    const failed = await listed(webhook, { state: "failed" });
    expect(failed.length + (await replicas.deliveries.countPending(webhook))).toBe(count);
    const error = `more than ${MAX_PENDING_NOTIFICATIONS} deliveries were pending`;
    expect(failed[0]).toMatchObject({ state: "failed", error, attempts: 0 });
  });
});
