import type { ClientSession, Connection, PipelineStage } from "mongoose";
import { deadlineStages, rejectIfLate } from "../../../mixins/mongo/write-context.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { DeliveryState } from "../../contracts/webhooks.contract.ts";
import type { KnownRecord } from "../domain/changed-record.ts";
import type { Delivery, PendingDelivery } from "../domain/delivery.ts";
import { MAX_PENDING } from "../domain/delivery-queue.ts";
import { deliverySchema, type DeliveryRow } from "./delivery.document.ts";

/** Of a transaction. */
export type Session = ClientSession;

/** A webhook of a guild; the guild is the shard key. */
export interface WebhookKey {
  readonly guildId: GuildId;
  readonly id: string;
}

export type ListedDelivery = Omit<Delivery, "body" | "digests">;

/** The end of an attempt. */
export interface AttemptOutcome {
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly firstAttemptAt: EpochMs;
  /** Only of a pending delivery. */
  readonly nextAttemptAt?: EpochMs | undefined;
  readonly responseStatus?: number | undefined;
  readonly error?: string | undefined;
  /** Only of a settled delivery. */
  readonly settledAt?: EpochMs | undefined;
}

export interface DeliveriesStore {
  insert(deliveries: readonly Delivery[], session: ClientSession): Promise<void>;
  /** Those of the deliveries that are stored. */
  stored(webhook: WebhookKey, ids: readonly string[], session: ClientSession): Promise<ReadonlySet<string>>;
  /** The pending deliveries in their order, without bodies. */
  listPending(webhook: WebhookKey): Promise<PendingDelivery[]>;
  /** The bodies of deliveries, by id. */
  bodies(webhook: WebhookKey, ids: readonly string[]): Promise<Map<string, string>>;
  /** The newest delivery about each of the records, whatever its state. */
  knownRecords(webhook: WebhookKey, records: readonly string[]): Promise<Map<string, KnownRecord>>;
  /** Stores the end of an attempt, unless another one was stored meanwhile. */
  recordAttempt(webhook: WebhookKey, id: string, outcome: AttemptOutcome): Promise<void>;
  find(webhook: WebhookKey, id: string): Promise<ListedDelivery | null>;
  /** Makes a settled delivery pending again; a pending one is sent at once. As the next two, rejects with DeadlinePassed if it is late. */
  sendAgain(webhook: WebhookKey, id: string, now: EpochMs): Promise<void>;
  /** Makes the latest failed deliveries pending again; resolves with their number. */
  sendFailedAgain(webhook: WebhookKey, max: number, now: EpochMs): Promise<number>;
  countPending(webhook: WebhookKey): Promise<number>;
  /** Restarts the attempts and the three days of the pending deliveries, when their disabled webhook is enabled again. */
  restart(webhook: WebhookKey, now: EpochMs): Promise<void>;
  /** The deliveries before a position, the latest first. */
  list(webhook: WebhookKey, state: DeliveryState | undefined, before: number): AsyncIterable<ListedDelivery>;
  /** Removes the settled deliveries up to and with a position. */
  trim(webhook: WebhookKey, until: number): Promise<void>;
  removeAll(webhook: WebhookKey): Promise<void>;
}

const PENDING_FIELDS = {
  seq: 1,
  record: 1,
  after: 1,
  isRedelivery: 1,
  attempts: 1,
  firstAttemptAt: 1,
  nextAttemptAt: 1,
} as const;

type PendingRow = Omit<PendingDelivery, "id"> & { readonly _id: string };

type UpdateStage = PipelineStage.Set | PipelineStage.Unset;

const LISTED = { body: 0, digests: 0 } as const;

export function deliveriesStore(connection: Connection): DeliveriesStore {
  const model = connection.model<DeliveryRow>("WebhookDelivery", deliverySchema);
  const of = ({ guildId, id: webhookId }: WebhookKey) => ({ guildId, webhookId });
  const pending = (webhook: WebhookKey) => ({ ...of(webhook), state: "pending" as const });

  /** Updates deliveries in a write of a guild, and resolves with their number. */
  async function update(filter: object, stages: readonly UpdateStage[]): Promise<number> {
    const pipeline = [...stages, ...deadlineStages()];
    const { matchedCount } = await rejectIfLate(model.updateMany(filter, pipeline, { updatePipeline: true }));
    return matchedCount;
  }

  return {
    async insert(deliveries, session) {
      const rows = deliveries.map(({ id, createdAt, ...delivery }) => ({
        _id: id,
        ...delivery,
        createdAt: new Date(createdAt),
      }));
      await model.insertMany(rows, { session });
    },

    async stored(webhook, ids, session) {
      const filter = { ...of(webhook), _id: { $in: [...ids] } };
      const rows = await model.find(filter, { _id: 1 }, { session }).lean<{ readonly _id: string }[]>();
      return new Set(rows.map(({ _id }) => _id));
    },

    async listPending(webhook) {
      const rows = await model
        .find(pending(webhook), PENDING_FIELDS)
        .sort({ seq: 1 })
        .limit(2 * MAX_PENDING)
        .lean<PendingRow[]>();
      return rows.map(pendingOf);
    },

    async bodies(webhook, ids) {
      const rows = await model
        .find({ ...of(webhook), _id: { $in: [...ids] } }, { body: 1 })
        .lean<Pick<DeliveryRow, "_id" | "body">[]>();
      return new Map(rows.map(({ _id, body }) => [_id, body]));
    },

    async knownRecords(webhook, records) {
      const rows = await model.aggregate<KnownRecord & { readonly _id: string }>([
        { $match: { ...of(webhook), record: { $in: [...records] } } },
        { $sort: { webhookId: 1, record: 1, seq: -1 } },
        { $group: { _id: "$record", revision: { $first: "$recordRevision" }, digests: { $first: "$digests" } } },
      ]);
      return new Map(rows.map(({ _id, ...known }) => [_id, known]));
    },

    async recordAttempt(webhook, id, outcome) {
      const entries = Object.entries(outcome);
      const given = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
      const absent = entries.filter(([, value]) => value === undefined).map(([name]) => [name, ""]);
      await model.updateOne(
        { ...pending(webhook), _id: id, attempts: outcome.attempts - 1 },
        { $set: given, $unset: Object.fromEntries(absent) as Record<string, ""> },
      );
    },

    async find(webhook, id) {
      const row = await model.findOne({ ...of(webhook), _id: { $eq: id } }, LISTED).lean<DeliveryRow>();
      return row === null ? null : deliveryOf(row);
    },

    async sendAgain(webhook, id, now) {
      const filter = { ...of(webhook), _id: id };
      const settled = await update({ ...filter, state: { $ne: "pending" } }, again(now));
      if (settled === 0) await update({ ...filter, state: "pending" }, [{ $set: { nextAttemptAt: now } }]);
    },

    async sendFailedAgain(webhook, max, now) {
      if (max <= 0) return 0;
      const failed = { ...of(webhook), state: "failed" as const };
      const rows = await model.find(failed, { _id: 1 }).sort({ seq: -1 }).limit(max).lean<{ _id: string }[]>();
      const ids = rows.map(({ _id }) => _id);
      return update({ ...failed, _id: { $in: ids } }, again(now));
    },

    countPending: (webhook) => model.countDocuments(pending(webhook)).exec(),

    async restart(webhook, now) {
      await update(pending(webhook), [{ $set: { attempts: 0, nextAttemptAt: now } }, { $unset: ["firstAttemptAt"] }]);
    },

    async *list(webhook, state, before) {
      const filter = { ...of(webhook), seq: { $lt: before }, ...(state === undefined ? {} : { state }) };
      for await (const row of model.find(filter, LISTED).sort({ seq: -1 }).lean<DeliveryRow>().cursor()) {
        yield deliveryOf(row);
      }
    },

    async trim(webhook, until) {
      await model.deleteMany({ ...of(webhook), seq: { $lte: until }, state: { $ne: "pending" } });
    },

    async removeAll(webhook) {
      await model.deleteMany(of(webhook));
    },
  };
}

function pendingOf({ _id: id, ...row }: PendingRow): PendingDelivery {
  return { id, ...row };
}

/** The update that makes a settled delivery pending again. */
function again(now: EpochMs): readonly UpdateStage[] {
  return [
    { $set: { state: "pending", isRedelivery: true, attempts: 0, nextAttemptAt: now } },
    { $unset: ["firstAttemptAt", "settledAt"] },
  ];
}

function deliveryOf({ _id: id, createdAt, ...row }: Omit<DeliveryRow, "body" | "digests">): ListedDelivery {
  return { id, createdAt: createdAt.getTime(), ...row };
}
