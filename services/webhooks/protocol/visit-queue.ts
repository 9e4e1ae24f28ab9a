import type { EpochMs } from "../../contracts/ids.ts";
import { numbered, type PendingDelivery, sendable } from "../domain/delivery.ts";
import {
  ATTEMPT_MS,
  freeAttempts,
  type DeliveryQueue,
  MAX_PENDING,
  nextVisit,
  SLOW_RESPONSE_MS,
  withAttempts,
  withOutcome,
  withSlowResponse,
} from "../domain/delivery-queue.ts";
import { nextAttemptAt } from "../domain/retry-schedule.ts";
import { secretsInUse, type Webhook } from "../domain/webhook.ts";
import type { AttemptOutcome } from "../store/deliveries.store.ts";
import type { Claim } from "../store/webhooks.store.ts";
import type { QueuePorts, SendResult } from "./ports.ts";
import { readPage } from "./read-changes.ts";
import { shortenHistory } from "./shorten-history.ts";

/** A visit ends after this time although there is more to do: other queues wait for its slot. */
const VISIT_MS = 5_000;
export const LEASE_MS = 20_000;

/** A visit of a claimed queue: reads changes, stores deliveries, and sends those that are due. */
export async function visitQueue(ports: QueuePorts, claim: Claim, isStopping: () => boolean): Promise<void> {
  const visit = new QueueVisit(ports, claim, isStopping);
  const isReleased = await visit.run();
  if (!isReleased) await ports.webhooks.endLease(claim);
}

class QueueVisit {
  readonly #ports: QueuePorts;
  readonly #claim: Claim;
  readonly #isStopping: () => boolean;
  readonly #endsAt: EpochMs;
  #hasChanges = false;
  #isHeldBack = false;

  constructor(ports: QueuePorts, claim: Claim, isStopping: () => boolean) {
    this.#ports = ports;
    this.#claim = claim;
    this.#isStopping = isStopping;
    // No attempt starts if the lease could end before it.
    this.#endsAt = Math.min(ports.clock.now() + VISIT_MS, claim.leaseUntil - ATTEMPT_MS);
  }

  /** Resolves with false if the claim is over before the end of the visit. */
  async run(): Promise<boolean> {
    const { clock, random, webhooks, deliveries } = this.#ports;
    const first = await webhooks.findClaimed(this.#claim);
    if (first === undefined) return false;
    let { queue } = first;
    let pending = await deliveries.listPending(this.#claim);
    let more = true;
    const canRead = () => more && pending.length < MAX_PENDING;
    for (;;) {
      if (canRead()) {
        const read = await this.#readInto(queue);
        if (read === undefined) return false;
        ({ queue, more } = read);
        if (read.count > 0) pending = await deliveries.listPending(this.#claim);
      }
      const now = clock.now();
      const heads = sendable(pending);
      const due = heads.filter(({ nextAttemptAt: at = 0 }) => at <= now);
      const canSend = due.length > 0 && freeAttempts(queue, now) > 0;
      if (this.#isOver() || (!canSend && !canRead())) {
        const attemptsAt = heads.map(({ nextAttemptAt: at = 0 }) => at);
        const end = { hasChanges: this.#hasChanges, isHeldBack: this.#isHeldBack, attemptsAt };
        const next = nextVisit(queue, { ...end, isUnfinished: canSend || canRead() }, now, random());
        return webhooks.release(this.#claim, { ...queue, pauseMs: next.pauseMs }, next.wakeAt);
      }
      if (!canSend) continue;
      const sent = await this.#send(queue, due);
      if (sent === undefined) return false;
      queue = sent;
      pending = await deliveries.listPending(this.#claim);
    }
  }

  #isOver(): boolean {
    return this.#isStopping() || this.#ports.clock.now() >= this.#endsAt;
  }

  /** Reads a page and stores its deliveries; undefined if the claim is over. */
  async #readInto(queue: DeliveryQueue): Promise<{ queue: DeliveryQueue; more: boolean; count: number } | undefined> {
    const { webhooks, deliveries, reports } = this.#ports;
    const current = await webhooks.findClaimed(this.#claim);
    if (current === undefined) return undefined;
    const page = await readPage(this.#ports, current.webhook, queue).catch((error: unknown) => {
      reports.failed("read changes", { webhook: this.#claim.id, error });
    });
    this.#hasChanges ||= page === undefined || page.deliveries.length > 0;
    if (page === undefined) return { queue, more: false, count: 0 };
    this.#isHeldBack = page.isHeldBack;
    const count = page.deliveries.length;
    if (count > 0) {
      const stored = await webhooks.advance(this.#claim, page.queue, count, (session, last) =>
        deliveries.insert(numbered(page.deliveries, last), session),
      );
      if (stored === undefined) return undefined;
      await shortenHistory(deliveries, this.#claim, stored.seq - count, stored.seq);
      return { queue: stored, more: page.more, count };
    }
    return { queue: page.queue, more: page.more, count };
  }

  /** Sends the soonest of the due deliveries; undefined if the claim is over or nothing may be sent any more. */
  async #send(queue: DeliveryQueue, due: readonly PendingDelivery[]): Promise<DeliveryQueue | undefined> {
    const { clock, webhooks, deliveries, secrets, disable } = this.#ports;
    const now = clock.now();
    const soonest = due.toSorted((one, other) => (one.nextAttemptAt ?? 0) - (other.nextAttemptAt ?? 0));
    const batch = soonest.slice(0, freeAttempts(queue, now));
    // Stored before the attempts: those of a visit that fails count, too.
    let after = withAttempts(queue, batch.length, now);
    const webhook = await webhooks.saveQueue(this.#claim, after);
    if (webhook === undefined) return undefined;
    const opened = secretsInUse(webhook, now).map(({ sealed }) => secrets.open(webhook.id, sealed));
    const known = opened.filter((secret) => secret !== undefined);
    if (known.length === 0) {
      await disable(webhook, "SECRET_UNREADABLE");
      return undefined;
    }
    const bodies = await deliveries.bodies(
      webhook,
      batch.map(({ id }) => id),
    );
    const ended = await Promise.all(
      batch.flatMap((delivery) => {
        const body = bodies.get(delivery.id);
        return body === undefined ? [] : [this.#attempt(webhook, delivery, body, known)];
      }),
    );
    for (const { isDelivered } of ended) after = withOutcome(after, isDelivered, clock.now());
    return ended.some(({ tookMs }) => tookMs >= SLOW_RESPONSE_MS) ? withSlowResponse(after) : after;
  }

  async #attempt(
    webhook: Webhook,
    { id, attempts, firstAttemptAt }: PendingDelivery,
    body: string,
    secrets: readonly string[],
  ): Promise<EndedAttempt> {
    const { clock, random, send, deliveries, disable, reports } = this.#ports;
    const beganAt = clock.now();
    const result = await send({ url: webhook.url, id, body, secrets });
    const now = clock.now();
    const tookMs = now - beganAt;
    const seconds = tookMs / 1_000;
    const attempt = {
      attempts: attempts + 1,
      firstAttemptAt: firstAttemptAt ?? beganAt,
      responseStatus: result.status,
      error: result.error,
    };
    const record = (outcome: Pick<AttemptOutcome, "state" | "nextAttemptAt" | "settledAt">) =>
      deliveries.recordAttempt(webhook, id, {
        ...attempt,
        ...outcome,
        nextAttemptAt: outcome.nextAttemptAt,
        settledAt: outcome.settledAt,
      });
    if (isSuccess(result)) {
      reports.attempted("delivered", seconds);
      await record({ state: "delivered", settledAt: now });
      return { isDelivered: true, tookMs };
    }
    const next = nextAttemptAt({ ...attempt, retryAfterMs: result.retryAfterMs }, now, random());
    const retry = async (at: EpochMs) => {
      reports.attempted("retried", seconds);
      await record({ state: "pending", nextAttemptAt: at });
      return { isDelivered: false, tookMs };
    };
    const isGone = result.status === GONE;
    if (next !== undefined && !isGone) return retry(next);
    // The webhook is disabled first: a crash in between leaves a pending delivery, and not a failed one of an enabled webhook.
    const refusal = await disable(webhook, isGone ? "GONE" : "RETRIES_EXHAUSTED");
    // The webhook was changed during the attempt: a new address gets the delivery.
    if (refusal !== undefined) return retry(now);
    reports.attempted("failed", seconds);
    await record({ state: "failed", settledAt: now });
    return { isDelivered: false, tookMs };
  }
}

interface EndedAttempt {
  readonly isDelivered: boolean;
  readonly tookMs: number;
}

/** A receiver with this status wants no further requests. */
const GONE = 410;

function isSuccess({ status = 0 }: SendResult): boolean {
  return status >= 200 && status < 300;
}
