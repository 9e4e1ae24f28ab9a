import type { ClientSession, Connection } from "mongoose";
import {
  changesSince,
  saveRevision,
  stampedNewRecord,
  stampedReplacement,
  stampedTombstone,
  unchangedFields,
} from "../../../mixins/mongo/change-feed.ts";
import { changedRecords } from "../../../mixins/mongo/changed-records.ts";
import { optimisticWrite } from "../../../mixins/mongo/optimistic-write.ts";
import { revisionWritten } from "../../../mixins/mongo/recent-writes.ts";
import { inTransaction } from "../../../mixins/mongo/transaction.ts";
import type { ChangesSinceParams, ChangesSinceResult } from "../../contracts/change-feed.contract.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import type { ChangedRecords, ChangedRecordsParams } from "../../contracts/guild-changes.contract.ts";
import { type EpochMs, type GuildId, LAST_EPOCH_MS } from "../../contracts/ids.ts";
import { MAX_WEBHOOKS, type WebhookType, type WebhookView } from "../../contracts/webhooks.contract.ts";
import {
  ATTEMPT_MS,
  type DeliveryQueue,
  MIN_PAUSE_MS,
  newDeliveryQueue,
  PROBING_FROM,
} from "../domain/delivery-queue.ts";
import { type Webhook, webhookView } from "../domain/webhook.ts";
import type { WebhookKey } from "./deliveries.store.ts";
import { GUILD_CHANGES_INDEX, webhookSchema, type WebhookRow } from "./webhook.document.ts";

/** A queue that needs a visit. */
export interface DueQueue {
  readonly id: string;
  readonly guildId: GuildId;
  readonly fence: number;
}

/** A claimed queue. Writes of its visitor have the fence. */
export interface Claim extends DueQueue {
  readonly leaseUntil: EpochMs;
}

export interface ClaimedWebhook {
  readonly webhook: Webhook;
  readonly queue: DeliveryQueue;
}

export interface WebhooksStore {
  /** Stores a new webhook; refuses if the guild has the maximum. */
  insert(webhook: Webhook): Promise<Refusal | undefined>;
  find(guildId: GuildId, id: string): Promise<Webhook | null>;
  /** The webhooks of a guild, the earliest first. */
  list(guildId: GuildId): Promise<Webhook[]>;
  /**
   * Stores the next revision, ends the claim, wakes the queue and forgets its failures; false if another write was stored in the
   * meantime. The next claim waits for the attempts that have begun.
   */
  replace(next: Webhook): Promise<boolean>;
  /** Replaces a webhook by a tombstone with the next revision; false if another write was stored in the meantime. */
  remove(next: Webhook): Promise<boolean>;
  /** The enabled webhooks of guilds with one of the types. */
  listWithTypes(guildIds: readonly GuildId[], types: readonly WebhookType[]): Promise<Webhook[]>;
  changesSince(params: ChangesSinceParams): Promise<ChangesSinceResult>;
  revisionWritten(guildId: GuildId, id: string): Promise<number | undefined>;
  listChanged(params: ChangedRecordsParams, now: EpochMs): Promise<ChangedRecords<WebhookView>>;

  /** Wakes the queues of guilds; those without a webhook cost an index lookup. */
  wakeGuilds(guildIds: readonly GuildId[], now: EpochMs): Promise<void>;
  /** Wakes one queue. */
  wake(guildId: GuildId, id: string, now: EpochMs): Promise<void>;
  /** Queues that need a visit or whose visitor has vanished. `areDown` selects those of receivers that count as down. */
  listDue(now: EpochMs, areDown: boolean, limit: number): Promise<DueQueue[]>;
  /** Claims a queue; undefined if another replica was faster, or nothing may be sent any more. */
  claim(due: DueQueue, now: EpochMs, leaseUntil: EpochMs): Promise<Claim | undefined>;
  /** The webhook of a claim; undefined if the claim is over, or nothing may be sent any more. */
  findClaimed(claim: Claim): Promise<ClaimedWebhook | undefined>;
  /** Stores a queue during a visit. Returns its webhook; undefined, and nothing is stored, where `findClaimed` returns undefined. */
  saveQueue(claim: Claim, queue: DeliveryQueue): Promise<Webhook | undefined>;
  /**
   * Stores a queue together with what `work` stores at the next `count` positions, behind `last`. Returns the queue; undefined, and
   * nothing is stored, if the claim is over.
   */
  advance(
    claim: Claim,
    queue: DeliveryQueue,
    count: number,
    work: (session: ClientSession, last: number) => Promise<void>,
  ): Promise<DeliveryQueue | undefined>;
  /** Takes the next `count` positions of an enabled webhook and wakes its queue; returns the position before them. */
  takePositions(webhook: WebhookKey, count: number, now: EpochMs, session: ClientSession): Promise<number | undefined>;
  /** Ends a claim; false, and nothing is stored, if it is over. A wake during the visit stays. */
  release(claim: Claim, queue: DeliveryQueue, wakeAt: EpochMs): Promise<boolean>;
  /** Ends the lease of a claim that is over, when its visit makes no attempt any more. */
  endLease(claim: Claim): Promise<void>;
  /** Number of queues that have needed a visit since before a time, counted up to `max`. */
  countOverdue(before: EpochMs, max: number): Promise<number>;
}

const NEVER = new Date(LAST_EPOCH_MS);
const READ_PROJECTION = { changedAt: 0, writes: 0, changedBy: 0, queue: 0, slot: 0 } as const;
type ReadRow = Omit<WebhookRow, keyof typeof READ_PROJECTION>;

export function webhooksStore(connection: Connection): WebhooksStore {
  const model = connection.model<WebhookRow>("Webhook", webhookSchema);
  const claimed = ({ id: _id, guildId, fence }: Claim) => ({ _id, guildId, "queue.fence": fence });
  const sending = (claim: Claim) => ({ ...claimed(claim), enabled: true });

  async function list(filter: object): Promise<Webhook[]> {
    const rows = await model.find({ ...filter, slot: { $exists: true } }, READ_PROJECTION).lean<ReadRow[]>();
    return rows.map(webhookOf);
  }

  /** Changes a webhook, and returns the last position before the change. */
  async function seqBefore(filter: object, change: object, session: ClientSession): Promise<number | undefined> {
    const options = { session, projection: { "queue.seq": 1 }, returnDocument: "before" } as const;
    const row = await model.findOneAndUpdate(filter, change, options).lean<Pick<WebhookRow, "queue">>();
    return row?.queue.seq;
  }

  async function dueQueues(filter: object, order: string, limit: number): Promise<DueQueue[]> {
    const rows = await model
      .find({ enabled: true, ...filter }, { guildId: 1, "queue.fence": 1 })
      .sort({ [order]: 1 })
      .limit(limit)
      .lean<Pick<WebhookRow, "_id" | "guildId" | "queue">[]>();
    return rows.map(({ _id: id, guildId, queue: { fence } }) => ({ id, guildId, fence }));
  }

  return {
    async insert({ id: _id, ...webhook }) {
      const queue = { ...newDeliveryQueue(webhook.createdAt), wakeAt: new Date(webhook.createdAt), fence: 0 };
      const stored = await optimisticWrite({
        load: () => model.distinct("slot", { guildId: webhook.guildId, slot: { $gte: 0 } }),
        decide: (used) => freeSlot(used) ?? refuse("TOO_MANY_WEBHOOKS"),
        save: (slot) => {
          const row = { _id, ...webhook, slot, queue };
          return saveRevision(model, row, stampedNewRecord(row, []));
        },
      });
      return isRefusal(stored) ? stored : undefined;
    },

    find: async (guildId, _id) => (await list({ _id, guildId }))[0] ?? null,

    async list(guildId) {
      const webhooks = await list({ guildId });
      return webhooks.toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
    },

    listWithTypes: (guildIds, types) =>
      list({ guildId: { $in: [...guildIds] }, enabled: true, types: { $in: [...types] } }),

    changesSince: (params) => changesSince(model, params),

    replace({ id: _id, ...next }) {
      const row = { _id, ...next };
      const fence = { $add: ["$queue.fence", 1] };
      const changes = { wakeAt: "$$NOW", failures: 0, probeAt: 0, fence, leaseUntil: SHORTENED_LEASE };
      const queue = { $mergeObjects: ["$queue", changes] };
      return saveRevision(model, row, stampedReplacement(row, [], { ...unchangedFields("slot"), queue }));
    },

    remove({ id: _id, guildId, revision }) {
      const tombstone = { _id, guildId, revision };
      return saveRevision(model, tombstone, stampedTombstone(tombstone));
    },

    revisionWritten: (guildId, _id) => revisionWritten(model, { _id, guildId }),

    listChanged: ({ guildId, ...params }, now) =>
      changedRecords<ReadRow, WebhookView>(
        { model, filter: { guildId }, stamp: "changedAt", hint: GUILD_CHANGES_INDEX, projection: READ_PROJECTION },
        params,
        (rows) => rows.map((row) => webhookView(webhookOf(row), now)),
      ),

    async wakeGuilds(guildIds, now) {
      await model
        .updateMany(
          { guildId: { $in: [...guildIds] }, enabled: true },
          { $min: { "queue.wakeAt": new Date(now) }, $set: { "queue.pauseMs": MIN_PAUSE_MS } },
        )
        .hint(GUILD_CHANGES_INDEX);
    },

    async wake(guildId, _id, now) {
      await model.updateOne({ _id, guildId, enabled: true }, { $min: { "queue.wakeAt": new Date(now) } });
    },

    async listDue(now, areDown, limit) {
      const failures = areDown ? { $gte: PROBING_FROM } : { $lt: PROBING_FROM };
      const at = new Date(now);
      const isDue = {
        "queue.wakeAt": { $lte: at },
        "queue.leaseUntil": { $exists: false },
        "queue.failures": failures,
      };
      const hasVanished = { "queue.leaseUntil": { $lte: at }, "queue.failures": failures };
      const queues = await Promise.all([
        dueQueues(hasVanished, "queue.leaseUntil", limit),
        dueQueues(isDue, "queue.wakeAt", limit),
      ]);
      return queues.flat().slice(0, limit);
    },

    async claim({ id, guildId, fence }, now, leaseUntil) {
      const at = new Date(now);
      const isFree = [{ "queue.leaseUntil": { $exists: false } }, { "queue.leaseUntil": { $lte: at } }];
      const { matchedCount } = await model.updateOne(
        { _id: id, guildId, enabled: true, "queue.fence": fence, $or: isFree },
        { $set: { "queue.leaseUntil": new Date(leaseUntil), "queue.wakeAt": NEVER }, $inc: { "queue.fence": 1 } },
      );
      return matchedCount === 1 ? { id, guildId, fence: fence + 1, leaseUntil } : undefined;
    },

    async findClaimed(claim) {
      const row = await model.findOne(sending(claim)).lean<WebhookRow>();
      if (row === null) return undefined;
      const { queue, changedAt: _, writes: __, changedBy: ___, slot: ____, ...webhook } = row;
      const { wakeAt: _____, leaseUntil: ______, fence: _______, ...state } = queue;
      return { webhook: webhookOf(webhook), queue: state };
    },

    async saveQueue(claim, queue) {
      const options = { projection: READ_PROJECTION, returnDocument: "after" } as const;
      const change = { $set: queueFields(queue) };
      const row = await model.findOneAndUpdate(sending(claim), change, options).lean<ReadRow>();
      return row === null ? undefined : webhookOf(row);
    },

    advance(claim, queue, count, work) {
      return inTransaction(connection, async (session) => {
        const change = { $set: queueFields(queue), $inc: { "queue.seq": count } };
        const before = await seqBefore(sending(claim), change, session);
        if (before === undefined) return undefined;
        await work(session, before);
        return { ...queue, seq: before + count };
      });
    },

    takePositions: ({ guildId, id: _id }, count, now, session) =>
      seqBefore(
        { _id, guildId, enabled: true },
        { $inc: { "queue.seq": count }, $min: { "queue.wakeAt": new Date(now) } },
        session,
      ),

    async release(claim, queue, wakeAt) {
      const { matchedCount } = await model.updateOne(claimed(claim), {
        $set: queueFields(queue),
        $min: { "queue.wakeAt": new Date(wakeAt) },
        $unset: { "queue.leaseUntil": "" },
      });
      return matchedCount === 1;
    },

    async endLease({ id: _id, guildId, leaseUntil }) {
      // The lease of a later claim ends later, also after a change has shortened it.
      const ownLease = { "queue.leaseUntil": { $lte: new Date(leaseUntil) } };
      await model.updateOne({ _id, guildId, ...ownLease }, { $unset: { "queue.leaseUntil": "" } });
    },

    countOverdue: (before, max) =>
      model
        .countDocuments({ enabled: true, "queue.wakeAt": { $lt: new Date(before) } })
        .limit(max)
        .exec(),
  };
}

/** The lease of a visit that ends: no longer than its attempts. Absent if the queue is not visited. */
const SHORTENED_LEASE = {
  $cond: [
    { $eq: [{ $type: "$queue.leaseUntil" }, "missing"] },
    "$$REMOVE",
    { $min: ["$queue.leaseUntil", { $add: ["$$NOW", ATTEMPT_MS] }] },
  ],
};

/** The lowest free slot; undefined if the guild has the maximum of webhooks. */
function freeSlot(used: readonly number[]): number | undefined {
  return Array.from({ length: MAX_WEBHOOKS }, (_, slot) => slot).find((slot) => !used.includes(slot));
}

/** The positions of deliveries are counted by `$inc` alone: notifications take some during a visit, too. */
function queueFields({ seq: _, ...queue }: DeliveryQueue): Record<string, unknown> {
  const known = Object.entries(queue).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [`queue.${name}`, value]));
}

function webhookOf({ _id: id, ...webhook }: ReadRow): Webhook {
  return { id, ...webhook };
}
