import { Schema } from "mongoose";
import type { Delivery } from "../domain/delivery.ts";

/** The stored form of a delivery. */
export interface DeliveryRow extends Omit<Delivery, "id" | "createdAt"> {
  readonly _id: string;
  readonly createdAt: Date;
}

/** Time for which deliveries are stored. */
const RETENTION_DAYS = 30;

const TEXT = { type: String, required: true } as const;
const NUMBER = { type: Number, required: true } as const;

export const deliverySchema = new Schema<DeliveryRow>(
  {
    _id: TEXT,
    webhookId: TEXT,
    guildId: TEXT,
    seq: NUMBER,
    type: TEXT,
    record: TEXT,
    after: String,
    recordId: TEXT,
    recordRevision: NUMBER,
    body: TEXT,
    digests: { type: [String], required: true },
    state: TEXT,
    isRedelivery: Boolean,
    createdAt: { type: Date, required: true },
    attempts: NUMBER,
    firstAttemptAt: Number,
    nextAttemptAt: Number,
    responseStatus: Number,
    error: String,
    settledAt: Number,
  } satisfies Record<keyof DeliveryRow, unknown>,
  { collection: "webhook_deliveries", versionKey: false },
);
deliverySchema.index({ webhookId: 1, seq: -1 });
deliverySchema.index({ webhookId: 1, record: 1, seq: -1 });
deliverySchema.index({ webhookId: 1, seq: 1 }, { name: "pending", partialFilterExpression: { state: "pending" } });
deliverySchema.index({ createdAt: 1 }, { name: "expired", expireAfterSeconds: RETENTION_DAYS * 86_400 });
