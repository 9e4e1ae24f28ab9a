import { LRUCache } from "lru-cache";
import { batched } from "../../../mixins/async/batch.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import {
  MAX_ENCODED_OCCURRENCES,
  type NotifiedOccurrence,
  type OccurrenceNotification,
} from "../../contracts/occurrence-notifications.contract.ts";
import { OCCURRENCE_TYPES } from "../../contracts/webhooks.contract.ts";
import { type NewDelivery, numbered } from "../domain/delivery.ts";
import { isNotifiedOf } from "../domain/notified-since.ts";
import {
  inOrderOfInstants,
  MAX_PENDING_NOTIFICATIONS,
  notificationDelivery,
  notificationDeliveryId,
} from "../domain/occurrence-delivery.ts";
import type { Webhook } from "../domain/webhook.ts";
import type { DeliveriesStore, Session } from "../store/deliveries.store.ts";
import type { WebhooksStore } from "../store/webhooks.store.ts";
import { shortenHistory } from "./shorten-history.ts";

interface NotificationPorts {
  readonly clock: { now(): EpochMs };
  readonly webhooks: Pick<WebhooksStore, "listWithTypes" | "takePositions">;
  readonly deliveries: Pick<DeliveriesStore, "insert" | "stored" | "countPending" | "trim">;
  /** Occurrences as JSON in the form of the API, in order. */
  readonly encode: (occurrences: readonly NotifiedOccurrence[]) => Promise<readonly string[]>;
  /** Runs the work in a transaction. */
  readonly inTransaction: <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>;
}

type StoreNotification = (notification: OccurrenceNotification) => Promise<{ readonly amount: number }>;

/** Guilds whose notifications were stored last. Bounded by size, because with `max` lru-cache allocates its tables at full length. */
const RECENT_GUILDS = { maxSize: 1_000, sizeCalculation: () => 1 };

/**
 * Returns a function that stores the deliveries of a notification, one for each webhook of the guild with its type. A delivery that is stored already stays as it is, so every call may be repeated.
 */
export function newNotificationStore(ports: NotificationPorts): StoreNotification {
  const { clock, webhooks, deliveries } = ports;
  const batches = new LRUCache<GuildId, StoreNotification>(RECENT_GUILDS);

  async function storeBatch(notifications: readonly OccurrenceNotification[]) {
    const [{ guildId } = { guildId: "" as GuildId }] = notifications;
    const ordered = inOrderOfInstants(notifications);
    const subscribed = await webhooks.listWithTypes([guildId], OCCURRENCE_TYPES);
    if (subscribed.length === 0) return notifications.map(() => ({ amount: 0 }));
    const encoded = await ports.encode(ordered.map(({ occurrence }) => occurrence));
    const amounts = new Map<OccurrenceNotification, number>();
    for (const webhook of subscribed) {
      for (const each of await storeFor(webhook, ordered, encoded)) amounts.set(each, (amounts.get(each) ?? 0) + 1);
    }
    return notifications.map((each) => ({ amount: amounts.get(each) ?? 0 }));
  }

  /** Stores the deliveries to one webhook; returns the notifications that were not stored before. */
  async function storeFor(
    webhook: Webhook,
    notifications: readonly OccurrenceNotification[],
    encoded: readonly string[],
  ): Promise<readonly OccurrenceNotification[]> {
    // A repeated attempt may be in the same batch.
    const wanted = new Map<string, { notification: OccurrenceNotification; json: string }>();
    for (const [at, notification] of notifications.entries()) {
      const id = notificationDeliveryId(webhook.id, notification);
      if (isNotifiedOf(webhook, notification)) wanted.set(id, { notification, json: encoded[at] as string });
    }
    if (wanted.size === 0) return [];
    const now = clock.now();
    const room = MAX_PENDING_NOTIFICATIONS - (await deliveries.countPending(webhook));
    const stored = await ports.inTransaction(async (session) => {
      const known = await deliveries.stored(webhook, [...wanted.keys()], session);
      const fresh = [...wanted].filter(([id]) => !known.has(id)).map(([, each]) => each);
      if (fresh.length === 0) return undefined;
      const last = await webhooks.takePositions(webhook, fresh.length, now, session);
      if (last === undefined) return undefined;
      const rows = fresh.map(({ notification, json }, at): NewDelivery =>
        notificationDelivery(webhook, notification, json, at >= room, now),
      );
      await deliveries.insert(numbered(rows, last), session);
      return { last, fresh };
    });
    if (stored === undefined) return [];
    const { last, fresh } = stored;
    await shortenHistory(deliveries, webhook, last, last + fresh.length);
    return fresh.map(({ notification }) => notification);
  }

  /** A batch has notifications of one guild: several transactions at once would conflict at its webhooks. */
  function batchesOf(guildId: GuildId): StoreNotification {
    const store = batches.get(guildId) ?? batched(storeBatch, { maxSize: MAX_ENCODED_OCCURRENCES });
    batches.set(guildId, store);
    return store;
  }

  return (notification) => batchesOf(notification.guildId)(notification);
}
