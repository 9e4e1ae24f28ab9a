import { Schema } from "mongoose";
import { type Tracked, trackedIndexes, trackedPaths } from "../../../mixins/mongo/tracked-record.ts";
import type { DeliveryQueue } from "../domain/delivery-queue.ts";
import type { SealedSecret, Webhook } from "../domain/webhook.ts";

/** The stored form of a queue. `wakeAt` and `leaseUntil` are times of the database server's clock. */
export interface QueueRow extends DeliveryQueue {
  /** When the queue needs a visit. */
  readonly wakeAt: Date;
  /** Present while a replica visits the queue, or after it vanished during a visit. */
  readonly leaseUntil?: Date;
  /** Counts the claims: a write with an older fence changes nothing. */
  readonly fence: number;
}

/** The stored form of a webhook, with its queue. A tombstone has neither. */
export interface WebhookRow extends Tracked, Omit<Webhook, "id" | "guildId" | "revision" | "secrets"> {
  readonly secrets: readonly SealedSecret[];
  /** Slot of the webhook in its guild. Slots are unique, so a guild never has more than MAX_WEBHOOKS. */
  readonly slot: number;
  readonly queue: QueueRow;
}

const REQUIRED_NUMBER = { type: Number, required: true } as const;

const queuePaths = {
  syncToken: String,
  completeUntil: REQUIRED_NUMBER,
  seq: REQUIRED_NUMBER,
  failures: REQUIRED_NUMBER,
  probeAt: REQUIRED_NUMBER,
  pauseMs: REQUIRED_NUMBER,
  minuteFrom: REQUIRED_NUMBER,
  minuteCount: REQUIRED_NUMBER,
  wakeAt: { type: Date, required: true },
  leaseUntil: Date,
  fence: REQUIRED_NUMBER,
} satisfies Record<keyof QueueRow, unknown>;

export const webhookSchema = new Schema<WebhookRow>(
  {
    _id: { type: String, required: true },
    ...trackedPaths,
    url: String,
    types: { type: [String], default: undefined },
    enabled: Boolean,
    disabledReason: String,
    disabledAt: Number,
    secrets: { type: [{ _id: false, sealed: String, endsAt: Number }], default: undefined },
    createdAt: Number,
    notifiedSince: { type: { started: Number, ended: Number }, _id: false, default: undefined },
    slot: Number,
    queue: { type: new Schema<QueueRow>(queuePaths, { _id: false }) },
  } satisfies Record<keyof WebhookRow, unknown>,
  { collection: "webhooks", versionKey: false },
);
webhookSchema.index({ guildId: 1, slot: 1 }, { unique: true, partialFilterExpression: { slot: { $exists: true } } });
/** For the changes of a guild, which include tombstones. */
export const GUILD_CHANGES_INDEX = { guildId: 1, changedAt: 1, _id: 1 } as const;
webhookSchema.index(GUILD_CHANGES_INDEX);
/** The queues that need a visit, and those whose visitor has vanished. */
webhookSchema.index({ "queue.wakeAt": 1 }, { partialFilterExpression: { enabled: true } });
webhookSchema.index({ "queue.leaseUntil": 1 }, { sparse: true });
for (const [keys, options] of trackedIndexes) webhookSchema.index(keys, options);
