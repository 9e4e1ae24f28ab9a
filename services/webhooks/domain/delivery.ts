import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { DeliveryState, DeliveryView, WebhookType } from "../../contracts/webhooks.contract.ts";

/** A request to a webhook about one revision of a record. All attempts have the same id and body. */
export interface Delivery {
  /** The webhook's id and `seq`. */
  readonly id: string;
  readonly webhookId: string;
  readonly guildId: GuildId;
  /** Position in the deliveries of the webhook, from 1. */
  readonly seq: number;
  readonly type: WebhookType;
  /** Kind and id of the record: deliveries of one record are sent in their order. */
  readonly record: string;
  /** Another record, whose earlier deliveries are sent first. */
  readonly after?: string;
  readonly recordId: string;
  readonly recordRevision: number;
  readonly body: string;
  /** A digest for each field of the record, to name the fields that the next revision changes. */
  readonly digests: readonly string[];
  readonly state: DeliveryState;
  /** True after a request to send the delivery again: it waits for no delivery of its record, and none waits for it. */
  readonly isRedelivery?: true;
  readonly createdAt: EpochMs;
  /** Number of ended attempts since the last request to send the delivery again, or since its webhook was enabled again. */
  readonly attempts: number;
  readonly firstAttemptAt?: EpochMs;
  readonly nextAttemptAt?: EpochMs;
  readonly responseStatus?: number;
  readonly error?: string;
  readonly settledAt?: EpochMs;
}

/** A delivery that is not stored. Without an id it gets one from its position. */
export type NewDelivery = Omit<Delivery, "id" | "seq"> & Partial<Pick<Delivery, "id">>;

/** The deliveries behind the position `last`. */
export function numbered(deliveries: readonly NewDelivery[], last: number): Delivery[] {
  return deliveries.map((delivery, at) => {
    const seq = last + 1 + at;
    return { id: `${delivery.webhookId}.${seq}`, ...delivery, seq };
  });
}

/** The part of a pending delivery that decides when it is sent. */
export type PendingDelivery = Pick<
  Delivery,
  "id" | "seq" | "record" | "after" | "isRedelivery" | "attempts" | "firstAttemptAt" | "nextAttemptAt"
>;

/**
 * The pending deliveries that wait for no other one, in their order: the first of each record unless it follows another record,
 * and every redelivery.
 */
export function sendable<Pending extends PendingDelivery>(pending: readonly Pending[]): Pending[] {
  const records = new Set<string>();
  const bySeq = pending.toSorted((one, other) => one.seq - other.seq);
  return bySeq.filter(({ record, after, isRedelivery }) => {
    if (isRedelivery === true) return true;
    const isFollowing = after !== undefined && records.has(after);
    return records.size !== records.add(record).size && !isFollowing;
  });
}

/** A delivery as the users of its webhook see it. */
export function deliveryView(delivery: Omit<Delivery, "body" | "digests">): DeliveryView {
  const {
    guildId: _,
    webhookId: __,
    seq: ___,
    record: ____,
    after: _____,
    isRedelivery: ______,
    firstAttemptAt: _______,
    ...view
  } = delivery;
  return view;
}
