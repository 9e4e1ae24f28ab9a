import { CHANGE_FEED_OVERLAP_MS } from "../../contracts/change-feed.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import type { EncodedChange, EncodedChanges } from "../../contracts/guild-changes.contract.ts";
import { bodyOf, changedFields, kindsOf, type KnownRecord, typeOf } from "../domain/changed-record.ts";
import type { NewDelivery } from "../domain/delivery.ts";
import type { DeliveryQueue } from "../domain/delivery-queue.ts";
import type { Webhook } from "../domain/webhook.ts";
import { fieldDigests } from "../field-digests.ts";
import type { QueuePorts } from "./ports.ts";

/** Changes in one page: the deliveries of a page are one transaction. */
const PAGE_CHANGES = 50;

/** A page of changes as deliveries, with the queue after them. */
export interface ReadPage {
  readonly deliveries: readonly NewDelivery[];
  readonly queue: DeliveryQueue;
  readonly more: boolean;
  readonly isHeldBack: boolean;
}

/** Reads the changes behind the position of a queue. Rejects while an owner is unavailable. */
export async function readPage(
  ports: Pick<QueuePorts, "readChanges" | "deliveries" | "clock" | "reports">,
  webhook: Webhook,
  queue: DeliveryQueue,
): Promise<ReadPage> {
  const page = await pageBehind(ports, webhook, queue);
  const records = page.changes.map(recordOf);
  const known =
    records.length === 0 ? new Map<string, KnownRecord>() : await ports.deliveries.knownRecords(webhook, records);
  const now = ports.clock.now();
  const deliveries: NewDelivery[] = [];
  for (const change of page.changes) {
    const delivery = deliveryOf(webhook, queue, change, known.get(recordOf(change)), now);
    if (delivery !== undefined) deliveries.push(delivery);
  }
  const { more, isHeldBack, syncToken, readAt } = page;
  const completeUntil = more || isHeldBack ? queue.completeUntil : readAt;
  return {
    deliveries,
    queue: { ...queue, syncToken, completeUntil },
    more,
    isHeldBack,
  };
}

/**
 * A position that the gateway does not accept is too old, or its writes are lost since a restore. Then the changes since the
 * last complete read are read again; changes with a delivery are known by their revision.
 */
async function pageBehind(
  { readChanges, reports }: Pick<QueuePorts, "readChanges" | "reports">,
  { guildId, id, types }: Webhook,
  { syncToken, completeUntil }: DeliveryQueue,
): Promise<EncodedChanges> {
  const read = { guildId, kinds: kindsOf(types), limit: PAGE_CHANGES };
  if (syncToken !== undefined) {
    const page = await readChanges({ ...read, syncToken });
    if (!isRefusal(page)) return page;
    reports.failed("continue from the position", { webhook: id, refusal: page.refusal });
  }
  const since = syncToken === undefined ? completeUntil : Math.max(0, completeUntil - CHANGE_FEED_OVERLAP_MS);
  const page = await readChanges({ ...read, since });
  if (isRefusal(page)) throw new Error(`the changes since a time were refused: ${page.refusal}`);
  return page;
}

function recordOf({ kind, id }: Pick<EncodedChange, "kind" | "id">): string {
  return `${kind}/${id}`;
}

function deliveryOf(
  webhook: Webhook,
  { completeUntil }: DeliveryQueue,
  change: EncodedChange,
  known: KnownRecord | undefined,
  now: number,
): NewDelivery | undefined {
  const { id: webhookId, guildId, types } = webhook;
  if (known !== undefined && known.revision >= change.revision) return undefined;
  const record = change.json === undefined ? {} : (JSON.parse(change.json) as Record<string, unknown>);
  const type = typeOf(change, { completeUntil, known, postState: record["state"] });
  if (type === undefined || !types.includes(type)) return undefined;
  const digests = change.kind === "post" ? [] : fieldDigests(record);
  const changed = known === undefined || change.deleted ? undefined : changedFields(known.digests, digests);
  return {
    webhookId,
    guildId,
    type,
    record: recordOf(change),
    recordId: change.id,
    recordRevision: change.revision,
    body: bodyOf({ type, webhookId, guildId, change, changed }),
    digests,
    state: "pending",
    createdAt: now,
    attempts: 0,
    nextAttemptAt: now,
  };
}
