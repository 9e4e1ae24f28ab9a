import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { GUILD, startReplicas } from "../../../test/harness/webhook-replicas.ts";
import type { EncodedChange } from "../../contracts/guild-changes.contract.ts";
import { newEventId } from "../../calendar-events/domain/event/event-id.ts";
import { ATTEMPTS_PER_MINUTE } from "../domain/delivery-queue.ts";
import { RETRY_MS } from "../domain/retry-schedule.ts";
import type { OutgoingRequest, SendResult } from "./ports.ts";
import { LEASE_MS, visitQueue } from "./visit-queue.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("the queue of a webhook", () => {
  let replicas: Awaited<ReturnType<typeof startReplicas>>;

  beforeEach(async () => {
    replicas = await startReplicas();
  });
  afterEach(() => replicas.stop());

  function change(n: number, revision: number, more: Partial<EncodedChange> = {}): EncodedChange {
    const id = newEventId(replicas.time.now + n, new Uint8Array(15));
    const json = JSON.stringify({ name: `event ${n}`, revision });
    return { kind: "event", id, revision, changedAt: replicas.time.now, deleted: false, json, ...more };
  }

  /** Visits the queue, and lets the clock run while it needs no visit, until `isOver`. */
  async function run(
    send: (request: OutgoingRequest) => Promise<SendResult>,
    isOver: () => boolean | Promise<boolean>,
    stepMs = 15 * SECOND,
  ) {
    const replica = replicas.ports(send);
    for (let steps = 0; !(await isOver()); steps += 1) {
      if (steps > 5_000) throw new Error("the queue does not come to an end");
      if ((await replicas.visitDue(replica)) === 0) replicas.time.now += stepMs;
    }
  }

  const pendingOf = (webhook: { guildId: typeof GUILD; id: string }) => replicas.deliveries.countPending(webhook);

  test("is disabled after the last attempt, three days after the first, and nothing is sent any more", async () => {
    const webhook = await replicas.create();
    replicas.changes.push(change(1, 1));
    const attempts: number[] = [];
    const send = async () => {
      attempts.push(replicas.time.now);
      return { status: 500, error: "HTTP 500" };
    };
    const isDisabled = async () => (await replicas.webhooks.find(GUILD, webhook.id))?.enabled === false;
    await run(send, isDisabled, HOUR);
    const lasted = attempts.at(-1)! - attempts[0]!;
    expect(lasted).toBeGreaterThanOrEqual(RETRY_MS);
    expect(lasted).toBeLessThanOrEqual(RETRY_MS + HOUR);
    expect(await replicas.management.get(GUILD, webhook.id)).toMatchObject({
      enabled: false,
      disabledReason: "RETRIES_EXHAUSTED",
    });
    const listed = await replicas.management.listDeliveries({ ...webhook });
    expect(listed).toMatchObject({
      entries: [{ state: "failed", attempts: attempts.length, responseStatus: 500, error: "HTTP 500" }],
    });
    const count = attempts.length;
    replicas.changes.push(change(2, 1));
    replicas.time.now += 240 * HOUR;
    expect(await replicas.visitDue(replicas.ports(send))).toBe(0);
    expect(attempts).toHaveLength(count);
  });

  test("is taken over when its replica has vanished during an attempt; the attempt is repeated, and the order stays", async () => {
    const webhook = await replicas.create();
    replicas.changes.push(change(1, 1), change(2, 1));
    const first = replicas.changes[0]!;
    const frozen: { respond?: (result: SendResult) => void; sent: string[] } = { sent: [] };
    const vanished = replicas.ports(({ id }) => {
      frozen.sent.push(id);
      return new Promise((respond) => (frozen.respond = respond));
    });
    const [due] = await replicas.webhooks.listDue(replicas.time.now, false, 1);
    const claim = (await replicas.webhooks.claim(due!, replicas.time.now, replicas.time.now + LEASE_MS))!;
    const visit = visitQueue(vanished, claim, () => false);
    while (frozen.sent.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));

    const sent: string[] = [];
    const other = replicas.ports(async ({ body }) => {
      const { data } = JSON.parse(body) as { data: { id: string; revision: number } };
      sent.push(`${data.id} ${data.revision}`);
      return { status: 200 };
    });
    replicas.changes.push({ ...first, revision: 2 });
    expect(await replicas.visitDue(other)).toBe(0);
    replicas.time.now += LEASE_MS;
    expect(await replicas.visitDue(other)).toBe(1);
    expect(sent).toEqual([`${first.id} 1`, `${replicas.changes[1]!.id} 1`, `${first.id} 2`]);

    frozen.respond?.({ status: 500, error: "HTTP 500" });
    replicas.time.now += HOUR;
    expect(await pendingOf(webhook)).toBe(0);
    const later = replicas.changes.push({ ...first, revision: 3 });
    expect(await replicas.visitDue(other)).toBe(1);
    expect([sent.at(-1), later]).toEqual([`${first.id} 3`, 4]);
    void visit;
  });

  test("is not changed by a replica whose claim is over", async () => {
    const webhook = await replicas.create();
    const [due] = await replicas.webhooks.listDue(replicas.time.now, false, 1);
    const { now } = replicas.time;
    const claims = await Promise.all([1, 2, 3].map(() => replicas.webhooks.claim(due!, now, now + LEASE_MS)));
    const [claim, ...more] = claims.filter((each) => each !== undefined);
    expect(more).toEqual([]);
    const { queue } = (await replicas.webhooks.findClaimed(claim!))!;
    const next = await replicas.webhooks.claim({ ...due!, fence: claim!.fence }, now + LEASE_MS, now + 2 * LEASE_MS);
    expect(next).toMatchObject({ fence: claim!.fence + 1 });
    expect(await replicas.webhooks.findClaimed(claim!)).toBeUndefined();
    let isWorked = false;
    expect(await replicas.webhooks.advance(claim!, queue, 1, async () => void (isWorked = true))).toBe(undefined);
    await replicas.webhooks.release(claim!, { ...queue, seq: 77 }, now);
    expect(isWorked).toBe(false);
    expect(await replicas.webhooks.findClaimed(next!)).toMatchObject({
      queue: { seq: 0 },
      webhook: { id: webhook.id },
    });
  });

  test("has a bounded number of pending deliveries while the receiver is down, and delivers all changes afterwards", async () => {
    const webhook = await replicas.create();
    for (let n = 0; n < 500; n += 1) replicas.changes.push(change(n, 1));
    let isUp = false;
    const delivered = new Set<string>();
    const send = async ({ id, body }: OutgoingRequest): Promise<SendResult> => {
      replicas.time.now += 100;
      if (!isUp) return { error: "ECONNREFUSED" };
      delivered.add(id);
      expect(JSON.parse(body)).toHaveProperty("type");
      return { status: 200 };
    };
    const until = replicas.time.now + HOUR;
    await run(send, () => replicas.time.now > until);
    expect(await pendingOf(webhook)).toBe(200);
    isUp = true;
    await run(send, () => delivered.size === replicas.changes.length);
    expect(await pendingOf(webhook)).toBe(0);
  });

  test("gets no more than 600 requests in a minute, although a visit fails at its end", async () => {
    await replicas.create();
    for (let n = 0; n < ATTEMPTS_PER_MINUTE + 100; n += 1) replicas.changes.push(change(n, 1));
    let sent = 0;
    const replica = replicas.ports(async () => {
      sent += 1;
      return { status: 200 };
    });
    const vanishing = {
      ...replica,
      webhooks: { ...replica.webhooks, release: () => Promise.reject(new Error("gone")) },
    };
    await expect(replicas.visitDue(vanishing)).rejects.toThrow("gone");
    expect(sent).toBe(ATTEMPTS_PER_MINUTE);
    replicas.time.now += LEASE_MS;
    expect([await replicas.visitDue(replica), sent]).toEqual([1, ATTEMPTS_PER_MINUTE]);
    replicas.time.now += MINUTE - LEASE_MS;
    expect([await replicas.visitDue(replica), sent]).toEqual([1, ATTEMPTS_PER_MINUTE + 100]);
  });

  test("is among those of receivers that count as down while its receiver is slow, and loses no delivery", async () => {
    const webhook = await replicas.create();
    const sent: string[] = [];
    const taking = (tookMs: number) =>
      replicas.ports(async ({ id }) => {
        sent.push(id);
        replicas.time.now += tookMs;
        return { status: 200 };
      });
    const isDue = async () => {
      replicas.time.now += HOUR;
      const due = await Promise.all(
        [false, true].map((areDown) => replicas.webhooks.listDue(replicas.time.now, areDown, 1)),
      );
      return due.map(({ length }) => length);
    };
    expect(await isDue()).toEqual([1, 0]);
    replicas.changes.push(change(1, 1));
    await replicas.visitDue(taking(3_000));
    expect(await isDue()).toEqual([0, 1]);
    for (const n of [2, 3, 4]) replicas.changes.push(change(n, 1));
    await replicas.visitDue(taking(100));
    expect([sent.length, await pendingOf(webhook), await isDue()]).toEqual([4, 0, [1, 0]]);
  });

  test("reads again since the last complete read when its position is refused, and repeats no revision", async () => {
    const webhook = await replicas.create();
    replicas.changes.push(change(1, 1), change(2, 1));
    const sent: string[] = [];
    const replica = replicas.ports(async ({ id }) => {
      sent.push(id);
      return { status: 200 };
    });
    await replicas.visitDue(replica);
    const readAt = replicas.time.now;
    replicas.expired.add("2");
    replicas.changes.push({ ...replicas.changes[0]!, revision: 2 });
    replicas.time.now += HOUR;
    await replicas.visitDue(replica);
    expect(replicas.requests.slice(-2)).toEqual([{ syncToken: "2" }, { since: readAt - 10 * SECOND }]);
    expect(sent).toEqual([`${webhook.id}.1`, `${webhook.id}.2`, `${webhook.id}.3`]);
  });

  test.each(["disabled", "deleted"])("sends nothing more when its webhook is %s during a visit", async (how) => {
    const webhook = await replicas.create();
    for (let n = 0; n < 9; n += 1) replicas.changes.push(change(n, 1));
    const sent: string[] = [];
    const replica = replicas.ports(async ({ id }) => {
      sent.push(id);
      const { management } = replicas;
      const ended = how === "disabled" ? management.update({ ...webhook, enabled: false }) : management.remove(webhook);
      await ended;
      return { status: 200 };
    });
    await replicas.visitDue(replica);
    replicas.time.now += HOUR;
    await replicas.visitDue(replica);
    expect(sent).toHaveLength(4);
  });

  test("whose secret cannot be read is disabled, and sends nothing without a signature", async () => {
    const webhook = await replicas.create();
    replicas.changes.push(change(1, 1));
    const sent: string[] = [];
    const replica = replicas.ports(async ({ id }) => {
      sent.push(id);
      return { status: 200 };
    });
    await replicas.visitDue({ ...replica, secrets: { ...replica.secrets, open: () => undefined } });
    expect(await replicas.management.get(GUILD, webhook.id)).toMatchObject({ disabledReason: "SECRET_UNREADABLE" });
    expect(sent).toEqual([]);
    await replicas.management.rotate(GUILD, webhook.id, 0);
    await replicas.management.update({ ...webhook, enabled: true });
    replicas.time.now += HOUR;
    await replicas.visitDue(replica);
    expect(sent).toEqual([`${webhook.id}.1`]);
  });
});
