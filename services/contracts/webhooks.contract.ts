import { action, broadcastEvent } from "./contract.ts";
import type { FieldProblem } from "./field-problem.ts";
import { flag, guildId, integer, listOf, oneOf, optional, reference, revisionNumber, textOf } from "./field-rules.ts";
import type { EpochMs, GuildId } from "./ids.ts";
import { type Page, pageNarrowing, type PageParams, pageRules } from "./pages.ts";
import { type IfRevision, ifRevision, type Revised } from "./revision.ts";

/** The instants of occurrences that a webhook reports (D59). */
export const OCCURRENCE_TYPES = ["occurrence.started", "occurrence.ended"] as const;
export type OccurrenceType = (typeof OCCURRENCE_TYPES)[number];

/** The types of changes and instants that a webhook reports (D53, D59). */
export const WEBHOOK_TYPES = [
  "event.created",
  "event.updated",
  "event.deleted",
  "announcement.posted",
  "announcement.missed",
  "announcement.failed",
  "announcement.cancelled",
  "settings.updated",
  "calendar.updated",
  ...OCCURRENCE_TYPES,
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** Why nothing is sent to a webhook. */
export const DISABLED_REASONS = ["REQUESTED", "RETRIES_EXHAUSTED", "GONE", "SECRET_UNREADABLE"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A webhook without its secrets. */
export interface WebhookView {
  readonly guildId: GuildId;
  readonly id: string;
  readonly url: string;
  readonly types: readonly WebhookType[];
  readonly enabled: boolean;
  readonly disabledReason?: DisabledReason;
  readonly disabledAt?: EpochMs;
  readonly createdAt: EpochMs;
  /** The end of the overlap of the last rotation, in which requests are also signed with the previous secret. */
  readonly previousUntil?: EpochMs;
  /** Number of writes, from 1. */
  readonly revision: number;
}

/** Maximum number of webhooks of a guild. */
export const MAX_WEBHOOKS = 10;
const MAX_URL = 1_024;
/** Time for which requests are also signed with the previous secret after a rotation. */
export const DEFAULT_SECRET_OVERLAP_HOURS = 24;
const MAX_OVERLAP_HOURS = 168;

/** Stricter than a URL parser, which drops white space. The user name and password of a URL would be shown in lists. */
const TARGET = /^https?:\/\/[^\s\x00-\x20\x7f/?#\\@]+(?:[/?][\x21-\x22\x24-\x7e]*)?$/;

const TYPE = new RegExp(`^(?:${WEBHOOK_TYPES.map((type) => type.replace(".", "[.]")).join("|")})$`);

const url = textOf("an https URL without user name and fragment", TARGET, MAX_URL, (value) => URL.canParse(value));
const types = listOf(textOf(`one of ${WEBHOOK_TYPES.join(", ")}`, TYPE, 40), WEBHOOK_TYPES.length);

/** A webhook without types would never get a request. */
function typesProblems({ types: given }: { readonly types?: unknown }): FieldProblem[] {
  const isEmpty = Array.isArray(given) && given.length === 0;
  return isEmpty ? [{ field: "types", code: "TOO_SHORT", message: "must have at least one entry" }] : [];
}

interface WebhookOfGuild {
  readonly guildId: GuildId;
  readonly id: string;
}

/** The secret, which is shown only in this response. */
export interface IssuedWebhookSecret {
  readonly id: string;
  /** `whsec_` and base64, as in Standard Webhooks. */
  readonly secret: string;
}

export interface CreateWebhookParams {
  readonly guildId: GuildId;
  readonly url: string;
  readonly types: readonly WebhookType[];
}

export const createWebhook = action<CreateWebhookParams, IssuedWebhookSecret & Revised>({
  name: "webhooks.create",
  keys: "guild write",
  refusals: ["TOO_MANY_WEBHOOKS"],
  params: { guildId, url, types },
  crossFieldProblems: typesProblems,
  idempotent: false,
});

export const getWebhook = action<WebhookOfGuild, WebhookView>({
  name: "webhooks.get",
  keys: "guild read",
  refusals: ["WEBHOOK_NOT_FOUND"],
  params: { guildId, id: reference },
  idempotent: true,
});

/** The webhooks of a guild, the earliest first. */
export const listWebhooks = action<{ readonly guildId: GuildId }, readonly WebhookView[]>({
  name: "webhooks.list",
  keys: "guild read",
  params: { guildId },
  idempotent: true,
});

/** An absent field stays. */
export interface UpdateWebhookParams extends WebhookOfGuild, IfRevision {
  readonly url?: string;
  readonly types?: readonly WebhookType[];
  readonly enabled?: boolean;
}

export const updateWebhook = action<UpdateWebhookParams, Revised>({
  name: "webhooks.update",
  keys: "guild write",
  refusals: ["WEBHOOK_NOT_FOUND"],
  params: {
    guildId,
    id: reference,
    url: optional(url),
    types: optional(types),
    enabled: optional(flag),
    ifRevision,
  },
  crossFieldProblems: typesProblems,
  idempotent: true,
});

/** Removes a webhook with its deliveries. An attempt that has begun ends within ten seconds; no other one begins. */
export const removeWebhook = action<WebhookOfGuild & IfRevision, void>({
  name: "webhooks.remove",
  keys: "guild write",
  refusals: ["WEBHOOK_NOT_FOUND"],
  params: { guildId, id: reference, ifRevision },
  idempotent: true,
});

/** Gives a webhook a new secret. For the overlap, requests are also signed with the previous secret. */
export const rotateWebhook = action<
  WebhookOfGuild & { readonly overlapHours?: number },
  IssuedWebhookSecret & { readonly previousUntil?: EpochMs }
>({
  name: "webhooks.rotate",
  keys: "guild write",
  refusals: ["WEBHOOK_NOT_FOUND", "WEBHOOK_ROTATING"],
  params: {
    guildId,
    id: reference,
    overlapHours: optional(integer(0, MAX_OVERLAP_HOURS), DEFAULT_SECRET_OVERLAP_HOURS),
  },
  idempotent: false,
});

export const DELIVERY_STATES = ["pending", "delivered", "failed"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A delivery to a webhook, without its body. */
export interface DeliveryView {
  /** The `webhook-id` of every attempt. */
  readonly id: string;
  readonly type: WebhookType;
  /** The id of the record. */
  readonly recordId: string;
  readonly recordRevision: number;
  readonly state: DeliveryState;
  readonly createdAt: EpochMs;
  /** Number of attempts that have ended. */
  readonly attempts: number;
  /** Only of a pending delivery. It waits for earlier deliveries of the same record, and while the webhook is disabled. */
  readonly nextAttemptAt?: EpochMs;
  /** Status of the last response; absent if the last attempt had none. */
  readonly responseStatus?: number;
  /** Why the last attempt failed. */
  readonly error?: string;
  readonly settledAt?: EpochMs;
}

/** The deliveries to a webhook, the latest first, in pages (D49). */
export const listWebhookDeliveries = action<
  WebhookOfGuild & { readonly state?: DeliveryState } & PageParams,
  Page<DeliveryView>
>({
  name: "webhooks.listDeliveries",
  keys: "guild read",
  refusals: ["WEBHOOK_NOT_FOUND"],
  params: { guildId, id: reference, state: optional(oneOf(DELIVERY_STATES)), ...pageRules },
  narrowing: pageNarrowing,
  idempotent: true,
});

/** Number of deliveries that became pending. */
export interface Redelivered {
  readonly amount: number;
}

/**
 * Sends a delivery again, or without `deliveryId` all failed ones, the latest first, up to the maximum of pending deliveries. Each
 * has the same id and body, and does not wait for other deliveries of the same record.
 */
export const redeliverWebhook = action<WebhookOfGuild & { readonly deliveryId?: string }, Redelivered>({
  name: "webhooks.redeliver",
  keys: "guild write",
  refusals: ["WEBHOOK_NOT_FOUND", "WEBHOOK_DISABLED", "DELIVERY_NOT_FOUND", "TOO_MANY_DELIVERIES"],
  params: { guildId, id: reference, deliveryId: optional(reference) },
  idempotent: false,
});

export interface WebhookChanged {
  readonly guildId: GuildId;
  readonly id: string;
  readonly revision: number;
}
/** Broadcast after a webhook was stored or disabled. A broadcast may be lost, duplicated or late. */
export const webhookChanged = broadcastEvent<WebhookChanged>({
  name: "webhook.changed",
  payload: { guildId, id: textOf("a webhook's id", /^[0-9a-f-]{36}$/, 36), revision: revisionNumber },
});
