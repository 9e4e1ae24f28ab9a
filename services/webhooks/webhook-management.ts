import { randomUUID } from "node:crypto";
import { firstPage } from "../../mixins/actions/page-entries.ts";
import { pageCursors } from "../../mixins/actions/page-cursor.ts";
import { optimisticWrite } from "../../mixins/mongo/optimistic-write.ts";
import type { ParamsOf } from "../contracts/contract.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import type { EpochMs, GuildId } from "../contracts/ids.ts";
import type { Page } from "../contracts/pages.ts";
import { type IfRevision, revisionMismatch } from "../contracts/revision.ts";
import type {
  CreateWebhookParams,
  DeliveryView,
  DisabledReason,
  IssuedWebhookSecret,
  listWebhookDeliveries,
  Redelivered,
  UpdateWebhookParams,
  WebhookChanged,
  WebhookView,
} from "../contracts/webhooks.contract.ts";
import { deliveryView } from "./domain/delivery.ts";
import { MAX_PENDING } from "./domain/delivery-queue.ts";
import {
  type AttemptedWebhook,
  changeWebhook,
  disableWebhook,
  newWebhook,
  rotateSecret,
  type Webhook,
  webhookView,
} from "./domain/webhook.ts";
import { newSecret, type SecretBox } from "./secret-box.ts";
import type { DeliveriesStore, WebhookKey } from "./store/deliveries.store.ts";
import type { WebhooksStore } from "./store/webhooks.store.ts";

interface ManagementDependencies {
  readonly webhooks: WebhooksStore;
  readonly deliveries: DeliveriesStore;
  readonly secrets: SecretBox;
  /** Whether requests to a URL may be allowed. */
  readonly isAllowedUrl: (url: string) => boolean;
  /** The clock of the database server. */
  readonly clock: { now(): EpochMs };
}

/** The operations of guilds on their webhooks (D53). */
export interface WebhookManagement {
  create(params: CreateWebhookParams): Promise<(IssuedWebhookSecret & WebhookChanged) | Refusal>;
  get(guildId: GuildId, id: string): Promise<WebhookView | Refusal>;
  list(guildId: GuildId): Promise<WebhookView[]>;
  update(params: UpdateWebhookParams): Promise<WebhookChanged | Refusal>;
  remove(params: WebhookKey & IfRevision): Promise<WebhookChanged | Refusal>;
  rotate(
    guildId: GuildId,
    id: string,
    overlapMs: number,
  ): Promise<(IssuedWebhookSecret & WebhookChanged & { readonly previousUntil?: EpochMs }) | Refusal>;
  /** Disables a webhook for a reason; refuses if it was changed, disabled or removed since the attempt. */
  disable(attempted: AttemptedWebhook, reason: DisabledReason): Promise<WebhookChanged | Refusal>;
  listDeliveries(params: ParamsOf<typeof listWebhookDeliveries>): Promise<Page<DeliveryView> | Refusal>;
  /** Makes a delivery pending again, or all failed ones. */
  redeliver(guildId: GuildId, id: string, deliveryId: string | undefined): Promise<Redelivered | Refusal>;
}

const CURSORS = pageCursors<readonly [before: number]>("webhook deliveries", [0]);

const FORBIDDEN_URL = refuse("INVALID_REQUEST", [
  { field: "url", code: "NOT_ALLOWED", message: "must be https, and not a private address" },
]);

export function webhookManagement({
  webhooks,
  deliveries,
  secrets,
  isAllowedUrl,
  clock,
}: ManagementDependencies): WebhookManagement {
  /** Stores what `decide` makes of a webhook. */
  function change(
    { guildId, id }: WebhookKey,
    decide: (stored: Webhook) => Webhook | Refusal | Promise<Webhook | Refusal>,
    save: (next: Webhook) => Promise<boolean> = (next) => webhooks.replace(next),
  ): Promise<(WebhookChanged & Partial<Webhook>) | Refusal> {
    return optimisticWrite({
      load: () => webhooks.find(guildId, id),
      decide: (stored) => (stored === null ? refuse("WEBHOOK_NOT_FOUND") : decide(stored)),
      save,
      findEarlierAttempt: async () => {
        const revision = await webhooks.revisionWritten(guildId, id);
        return revision === undefined ? undefined : { guildId, id, revision };
      },
    });
  }

  return {
    async create(params) {
      const { guildId, url } = params;
      if (!isAllowedUrl(url)) return FORBIDDEN_URL;
      const [id, secret] = [randomUUID(), newSecret()];
      const webhook = newWebhook(id, params, { sealed: secrets.seal(id, secret) }, clock.now());
      return (await webhooks.insert(webhook)) ?? { guildId, id, secret, revision: webhook.revision };
    },

    async get(guildId, id) {
      const webhook = await webhooks.find(guildId, id);
      return webhook === null ? refuse("WEBHOOK_NOT_FOUND") : webhookView(webhook, clock.now());
    },

    async list(guildId) {
      const now = clock.now();
      return (await webhooks.list(guildId)).map((webhook) => webhookView(webhook, now));
    },

    async update(params) {
      if (params.url !== undefined && !isAllowedUrl(params.url)) return FORBIDDEN_URL;
      return change(params, async (stored) => {
        const mismatch = revisionMismatch(stored.revision, params.ifRevision);
        if (mismatch !== undefined) return mismatch;
        const now = clock.now();
        // Deliveries that were pending when the webhook was disabled get three days again. Before the save, or a process that
        // ended after it would leave them as they were; until the save nothing is sent.
        if (params.enabled === true && !stored.enabled) await deliveries.restart(params, now);
        return changeWebhook(stored, params, now);
      });
    },

    async remove(params) {
      const removed = await change(
        params,
        (stored) =>
          revisionMismatch(stored.revision, params.ifRevision) ?? { ...stored, revision: stored.revision + 1 },
        (next) => webhooks.remove(next),
      );
      if (!isRefusal(removed)) await deliveries.removeAll(params);
      return removed;
    },

    async rotate(guildId, id, overlapMs) {
      const secret = newSecret();
      const sealed = { sealed: secrets.seal(id, secret) };
      let decided: Webhook | Refusal | undefined;
      const rotated = await change(
        { guildId, id },
        (stored) => (decided = rotateSecret(stored, sealed, overlapMs, clock.now())),
      );
      if (isRefusal(rotated)) return rotated;
      const { revision } = rotated;
      // `rotated` lacks the secrets if they were stored by an attempt whose response was lost.
      const previousUntil = decided === undefined || isRefusal(decided) ? undefined : decided.secrets[1]?.endsAt;
      return { guildId, id, revision, secret, ...(previousUntil === undefined ? {} : { previousUntil }) };
    },

    disable: (attempted, reason) =>
      change(attempted, (stored) => {
        if (stored.revision !== attempted.revision) return refuse("REVISION_MISMATCH");
        return disableWebhook(stored, reason, clock.now()) ?? refuse("WEBHOOK_DISABLED");
      }),

    async listDeliveries({ guildId, id, state, limit, cursor }) {
      const position = CURSORS.read(cursor);
      if (isRefusal(position)) return position;
      if ((await webhooks.find(guildId, id)) === null) return refuse("WEBHOOK_NOT_FOUND");
      const [before = Number.MAX_SAFE_INTEGER] = position ?? [];
      const listed = deliveries.list({ guildId, id }, state, before);
      const page = await firstPage(listed, limit, ({ seq }) => CURSORS.write([seq]));
      return { ...page, entries: page.entries.map(deliveryView) };
    },

    async redeliver(guildId, id, deliveryId) {
      const key = { guildId, id };
      const webhook = await webhooks.find(guildId, id);
      if (webhook === null) return refuse("WEBHOOK_NOT_FOUND");
      if (!webhook.enabled) return refuse("WEBHOOK_DISABLED");
      const room = MAX_PENDING - (await deliveries.countPending(key));
      const now = clock.now();
      let amount = 0;
      if (deliveryId === undefined) {
        amount = await deliveries.sendFailedAgain(key, room, now);
      } else {
        const delivery = await deliveries.find(key, deliveryId);
        if (delivery === null) return refuse("DELIVERY_NOT_FOUND");
        if (delivery.state !== "pending" && room <= 0) return refuse("TOO_MANY_DELIVERIES");
        await deliveries.sendAgain(key, deliveryId, now);
        amount = 1;
      }
      if (amount > 0) await webhooks.wake(guildId, id, now);
      return { amount };
    },
  };
}
