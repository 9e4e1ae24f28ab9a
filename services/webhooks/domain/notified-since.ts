import type { EpochMs } from "../../contracts/ids.ts";
import type { OccurrenceNotification } from "../../contracts/occurrence-notifications.contract.ts";
import { OCCURRENCE_TYPES, type OccurrenceType, type WebhookType } from "../../contracts/webhooks.contract.ts";

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

/** The part of a webhook that decides what it is notified of. */
interface Subscribed {
  readonly types: readonly WebhookType[];
  readonly enabled: boolean;
  readonly createdAt: EpochMs;
  readonly notifiedSince?: NotifiedSince;
}

/** Since when the webhook is notified of a type; undefined if it is not. A type that was added by an earlier release has no time. */
function notifiedSince(
  { types, enabled, createdAt, notifiedSince: since }: Subscribed,
  type: OccurrenceType,
): EpochMs | undefined {
  return enabled && types.includes(type) ? (since?.[SHORT_NAMES[type]] ?? createdAt) : undefined;
}

/** The times for a webhook that is written now: a type keeps its time while the webhook has it and is enabled. */
export function nextNotifiedSince(
  before: Subscribed | undefined,
  { types, enabled }: Pick<Subscribed, "types" | "enabled">,
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
