import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type {
  CreateWebhookParams,
  DisabledReason,
  UpdateWebhookParams,
  WebhookType,
  WebhookView,
} from "../../contracts/webhooks.contract.ts";
import { nextNotifiedSince, type NotifiedSince } from "./notified-since.ts";

/** A secret, encrypted. */
export interface SealedSecret {
  readonly sealed: string;
  /** Until when requests are also signed with this secret; set when a new one replaces it. */
  readonly endsAt?: EpochMs;
}

/** A webhook as it is stored. */
export interface Webhook {
  readonly id: string;
  readonly guildId: GuildId;
  readonly url: string;
  readonly types: readonly WebhookType[];
  readonly enabled: boolean;
  readonly disabledReason?: DisabledReason;
  readonly disabledAt?: EpochMs;
  /** The newest first; at most two are in use. */
  readonly secrets: readonly SealedSecret[];
  readonly createdAt: EpochMs;
  /** Since when it is notified of occurrences; absent without such a type, and while it is disabled. */
  readonly notifiedSince?: NotifiedSince;
  readonly revision: number;
}

/** A webhook as it was at an attempt. */
export type AttemptedWebhook = Pick<Webhook, "guildId" | "id" | "revision">;

export function newWebhook(
  id: string,
  { guildId, url, types }: CreateWebhookParams,
  secret: SealedSecret,
  now: EpochMs,
): Webhook {
  const webhook = { id, guildId, url, types: distinct(types), enabled: true, secrets: [secret], createdAt: now };
  return { ...webhook, ...nextNotifiedSince(undefined, webhook, now), revision: 1 };
}

/** Applies an update. A webhook that is enabled again has no reason any more. */
export function changeWebhook(stored: Webhook, changes: UpdateWebhookParams, now: EpochMs): Webhook {
  const { url = stored.url, types = stored.types, enabled = stored.enabled } = changes;
  const { notifiedSince: _, ...others } = stored;
  const next = { ...others, url, types: distinct(types), revision: stored.revision + 1 };
  const since = nextNotifiedSince(stored, { ...next, enabled }, now);
  if (enabled === stored.enabled) return { ...next, ...since };
  return enabled ? { ...asEnabled(next), ...since } : asDisabled(next, "REQUESTED", now);
}

/** The disabled webhook, to which nothing more is sent; undefined if it is disabled already. */
export function disableWebhook(stored: Webhook, reason: DisabledReason, now: EpochMs): Webhook | undefined {
  if (!stored.enabled) return undefined;
  return { ...asDisabled(stored, reason, now), revision: stored.revision + 1 };
}

/**
 * The webhook with a new secret. Requests are signed with the previous one too, for the overlap in milliseconds. Refused during
 * the overlap of the last rotation: the receiver may know only the secret that would end early. Without an overlap it is never
 * refused, and all former secrets end at once.
 */
export function rotateSecret(
  stored: Webhook,
  secret: SealedSecret,
  overlapMs: number,
  now: EpochMs,
): Webhook | Refusal {
  const next = { ...stored, revision: stored.revision + 1 };
  if (overlapMs === 0) return { ...next, secrets: [secret] };
  const [current, ...older] = secretsInUse(stored, now);
  if (older.length > 0) return refuse("WEBHOOK_ROTATING");
  const previous = current === undefined ? [] : [{ ...current, endsAt: now + overlapMs }];
  return { ...next, secrets: [secret, ...previous] };
}

/** The secrets with which requests are signed now, the newest first. */
export function secretsInUse({ secrets }: Pick<Webhook, "secrets">, now: EpochMs): readonly SealedSecret[] {
  return secrets.filter(({ endsAt = Infinity }) => now < endsAt);
}

/** The webhook as its users see it. */
export function webhookView({ secrets, notifiedSince: _, ...webhook }: Webhook, now: EpochMs): WebhookView {
  const previousUntil = secretsInUse({ secrets }, now)[1]?.endsAt;
  return { ...webhook, ...(previousUntil === undefined ? {} : { previousUntil }) };
}

function asEnabled({ disabledReason: _, disabledAt: __, ...webhook }: Webhook): Webhook {
  return { ...webhook, enabled: true };
}

function asDisabled({ notifiedSince: _, ...webhook }: Webhook, reason: DisabledReason, now: EpochMs): Webhook {
  return { ...webhook, enabled: false, disabledReason: reason, disabledAt: now };
}

function distinct(types: readonly WebhookType[]): WebhookType[] {
  return [...new Set(types)];
}
