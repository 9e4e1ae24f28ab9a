import type { EpochMs } from "../../contracts/ids.ts";
import type { OccurrenceNotification } from "../../contracts/occurrence-notifications.contract.ts";
import { OCCURRENCE_TYPES, type OccurrenceType, type WebhookType } from "../../contracts/webhooks.contract.ts";
import type { Delivery, NewDelivery } from "./delivery.ts";
import type { Webhook } from "./webhook.ts";

/**
 * Pending deliveries of a webhook from which on a notification of an occurrence is stored as failed: an occurrence starts
 * whether or not its receiver is up, so notifications cannot wait elsewhere as changes do.
 */
export const MAX_PENDING_NOTIFICATIONS = 1_000;

export const QUEUE_FULL = `more than ${MAX_PENDING_NOTIFICATIONS} deliveries were pending`;

export function isOccurrenceType(type: WebhookType): type is OccurrenceType {
  return OCCURRENCE_TYPES.some((each) => each === type);
}

/** Since when a webhook is notified of each type, by a short name without a dot. */
export interface NotifiedSince {
  readonly started?: EpochMs;
  readonly ended?: EpochMs;
}

const SHORT_NAMES = {
  "occurrence.started": "started",
  "occurrence.ended": "ended",
} as const satisfies Record<OccurrenceType, keyof NotifiedSince>;

type Subscribed = Pick<Webhook, "types" | "enabled" | "createdAt" | "notifiedSince">;

/** Since when the webhook is notified of a type; undefined if it is not. A type that was added by an earlier release has no time. */
export function notifiedSince(
  { types, enabled, createdAt, notifiedSince: since }: Subscribed,
  type: OccurrenceType,
): EpochMs | undefined {
  return enabled && types.includes(type) ? (since?.[SHORT_NAMES[type]] ?? createdAt) : undefined;
}

/** The times for a webhook that is written now: a type keeps its time while the webhook has it and is enabled. */
export function nextNotifiedSince(
  before: Subscribed | undefined,
  { types, enabled }: Pick<Webhook, "types" | "enabled">,
  now: EpochMs,
): { readonly notifiedSince?: NotifiedSince } {
  const subscribed = enabled ? types.filter(isOccurrenceType) : [];
  if (subscribed.length === 0) return {};
  const times = subscribed.map((type) => [SHORT_NAMES[type], (before && notifiedSince(before, type)) ?? now] as const);
  return { notifiedSince: Object.fromEntries(times) };
}

/** The earliest times at which any of a guild's webhooks is notified of each type. */
export function earliestSince(webhooks: readonly Subscribed[]): Readonly<Partial<Record<OccurrenceType, EpochMs>>> {
  const times = OCCURRENCE_TYPES.flatMap((type) => {
    const since = webhooks.map((webhook) => notifiedSince(webhook, type)).filter((each) => each !== undefined);
    return since.length === 0 ? [] : [[type, Math.min(...since)] as const];
  });
  return Object.fromEntries(times);
}

/** Whether the webhook had the type at the instant of the notification, and has it still. */
export function isNotifiedOf(webhook: Subscribed, { type, occurredAt }: OccurrenceNotification): boolean {
  return occurredAt >= (notifiedSince(webhook, type) ?? Infinity);
}

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
