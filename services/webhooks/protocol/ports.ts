import type { EncodedChanges, ReadEncodedChangesParams } from "../../contracts/guild-changes.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import type { DisabledReason } from "../../contracts/webhooks.contract.ts";
import type { Refusal } from "../../contracts/errors.ts";
import type { AttemptedWebhook } from "../domain/webhook.ts";
import type { SecretBox } from "../secret-box.ts";
import type { DeliveriesStore } from "../store/deliveries.store.ts";
import type { WebhooksStore } from "../store/webhooks.store.ts";

/** A signed request, without its headers. */
export interface OutgoingRequest {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  /** The secrets with which the request is signed, the newest first. */
  readonly secrets: readonly string[];
}

/** The response of a receiver, or the reason why there was none. */
export interface SendResult {
  readonly status?: number;
  readonly error?: string;
  /** The wait that the receiver requires. */
  readonly retryAfterMs?: number;
}

/** The dependencies of the protocol. */
export interface QueuePorts {
  /** The clock of the database server. */
  readonly clock: { now(): EpochMs };
  readonly random: () => number;
  readonly webhooks: WebhooksStore;
  readonly deliveries: DeliveriesStore;
  readonly secrets: SecretBox;
  readonly readChanges: (params: ReadEncodedChangesParams) => Promise<EncodedChanges | Refusal>;
  /** Sends one request; resolves within ten seconds, and never rejects. */
  readonly send: (request: OutgoingRequest) => Promise<SendResult>;
  /** Disables a webhook; refuses if it was changed, disabled or removed since the attempt. */
  readonly disable: (attempted: AttemptedWebhook, reason: DisabledReason) => Promise<Refusal | undefined>;
  readonly reports: Reports;
}

export interface Reports {
  attempted(outcome: AttemptKind, seconds: number): void;
  failed(operation: string, details: Readonly<Record<string, unknown>>): void;
}

/** `retried`: another attempt follows. `failed`: it was the last one. */
export type AttemptKind = "delivered" | "retried" | "failed";
