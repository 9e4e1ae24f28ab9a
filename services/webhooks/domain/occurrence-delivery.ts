import type { EpochMs } from "../../contracts/ids.ts";
import type { OccurrenceNotification } from "../../contracts/occurrence-notifications.contract.ts";
import { OCCURRENCE_TYPES } from "../../contracts/webhooks.contract.ts";
import type { Delivery, NewDelivery } from "./delivery.ts";
import type { Webhook } from "./webhook.ts";

/**
 * Pending deliveries of a webhook from which on a notification of an occurrence is stored as failed: an occurrence starts
 * whether or not its receiver is up, so notifications cannot wait elsewhere as changes do.
 */
export const MAX_PENDING_NOTIFICATIONS = 1_000;

const QUEUE_FULL = `more than ${MAX_PENDING_NOTIFICATIONS} deliveries were pending`;

/** The id of the delivery of a notification to a webhook. It is the same for each attempt to store it. */
export function notificationDeliveryId(webhookId: string, { key }: Pick<OccurrenceNotification, "key">): string {
  return `${webhookId}.${key}`;
}

/** In the order of their instants; an occurrence without a length starts before it ends. */
export function inOrderOfInstants<Of extends Pick<OccurrenceNotification, "occurredAt" | "type">>(
  notifications: readonly Of[],
): Of[] {
  return notifications.toSorted(
    (one, other) =>
      one.occurredAt - other.occurredAt || OCCURRENCE_TYPES.indexOf(one.type) - OCCURRENCE_TYPES.indexOf(other.type),
  );
}

/**
 * The delivery of a notification.
 *
 * @param json - The occurrence in the form of the API.
 * @param isFull - Whether the webhook has too many pending deliveries.
 */
export function notificationDelivery(
  { id: webhookId, guildId }: Pick<Webhook, "id" | "guildId">,
  notification: OccurrenceNotification,
  json: string,
  isFull: boolean,
  now: EpochMs,
): NewDelivery {
  const { type, occurrence } = notification;
  const outcome: Pick<Delivery, "state" | "nextAttemptAt" | "error" | "settledAt"> = isFull
    ? { state: "failed", error: QUEUE_FULL, settledAt: now }
    : { state: "pending", nextAttemptAt: now };
  return {
    id: notificationDeliveryId(webhookId, notification),
    webhookId,
    guildId,
    type,
    record: `occurrence/${occurrence.occurrenceId}`,
    after: `event/${occurrence.eventId}`,
    recordId: occurrence.occurrenceId,
    recordRevision: 1,
    body: notificationBody(webhookId, notification, json),
    digests: [],
    createdAt: now,
    attempts: 0,
    ...outcome,
  };
}

/** The body of a request, with the occurrence as it was encoded. */
export function notificationBody(
  webhookId: string,
  { guildId, type, occurredAt, occurrence }: OccurrenceNotification,
  json: string,
): string {
  const data = JSON.stringify({
    webhook_id: webhookId,
    guild_id: guildId,
    id: occurrence.occurrenceId,
    ...(occurrence.recurs ? { series_id: occurrence.eventId } : {}),
    occurred_at: occurredAt,
    epoch_start: occurrence.startsAt,
    epoch_end: occurrence.endsAt,
  });
  const timestamp = new Date(occurredAt).toISOString();
  return `{"type":"${type}","timestamp":"${timestamp}","data":${data.slice(0, -1)},"occurrence":${json}}}`;
}
