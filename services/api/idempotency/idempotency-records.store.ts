import { type Connection, Schema } from "mongoose";
import { isDuplicateKey } from "../../../mixins/mongo/change-feed.ts";
import { deadlineStages, rejectIfLate } from "../../../mixins/mongo/write-context.ts";
import type { WriteId } from "../../contracts/ids.ts";

const EXPIRES_AFTER_SECONDS = 86_400;

/** An `Idempotency-Key` in use, with the response once the request has one. */
interface IdempotencyRecord {
  readonly _id: string;
  /** Absent in records of releases before the quota. */
  readonly guildId?: string;
  /** Digest of the params: a request with the same key and other params is refused. */
  readonly digest: string;
  /** Write id of every request with this key. */
  readonly writeId: WriteId;
  /** Set after a refusal: a request with other params may use the key. */
  readonly isFree?: true;
  /**
   * Set when the request was repeated before its outcome was known: one of the requests may be stored although another one is
   * refused, so that no other request may use the key.
   */
  readonly isShared?: true;
  readonly body?: string;
  readonly etag?: string;
  readonly at: Date;
}

const schema = new Schema<IdempotencyRecord>(
  {
    _id: { type: String, required: true },
    guildId: String,
    digest: { type: String, required: true },
    writeId: { type: String, required: true },
    isFree: Boolean,
    isShared: Boolean,
    body: String,
    etag: String,
    at: { type: Date, required: true },
  } satisfies Record<keyof IdempotencyRecord, unknown>,
  { collection: "idempotency_records", versionKey: false },
);
schema.index({ at: 1 }, { expireAfterSeconds: EXPIRES_AFTER_SECONDS });
schema.index({ guildId: 1, at: 1 });

/** The response that is stored with the key and repeated for each retry. */
export interface StoredResponse {
  readonly body: string;
  /** The `ETag` header. */
  readonly etag?: string | undefined;
}

/** The request that holds a key. */
export interface IdempotencyClaim {
  readonly digest: string;
  readonly writeId: WriteId;
  readonly response?: StoredResponse;
}

export interface IdempotencyRecordsStore {
  /** Assigns the key to this request unless another request holds it; resolves with the holder. */
  claim(id: string, digest: string, writeId: WriteId, guildId: string): Promise<IdempotencyClaim>;
  /** Stores the response of the write if the write still holds the key. */
  saveResponse(id: string, writeId: WriteId, response: StoredResponse): Promise<void>;
  /**
   * Lets a request with other params use the key, unless a response is stored or the request was repeated meanwhile. A retry
   * keeps its write id.
   */
  release(id: string, writeId: WriteId): Promise<void>;
  exists(id: string): Promise<boolean>;
  /** The number of records of the guild. */
  count(guildId: string): Promise<number>;
  /** Time until the guild's oldest record expires. */
  msUntilExpiry(guildId: string): Promise<number>;
}

export function idempotencyRecordsStore(connection: Connection): IdempotencyRecordsStore {
  const model = connection.model<IdempotencyRecord>("IdempotencyRecord", schema);

  /** Holds the key for a repetition: alone if the key is free, and else beside others. False if the record has changed since. */
  async function join({ _id, writeId, isFree }: IdempotencyRecord): Promise<boolean> {
    const same = { _id, writeId, body: { $exists: false }, isFree: isFree ?? { $exists: false } };
    const change = isFree === true ? { $unset: { isFree: 1 as const } } : { $set: { isShared: true as const } };
    return (await model.updateOne(same, change)).matchedCount > 0;
  }

  return {
    async claim(_id, digest, writeId, guildId) {
      // No stored record lacks a digest. So the upsert creates a record, takes a free one, or fails with a duplicate key.
      const isFree = { $or: [{ digest: { $exists: false } }, { isFree: true as const, digest: { $ne: digest } }] };
      const fields = { $literal: { _id, guildId, digest, writeId } };
      const claim = [{ $replaceWith: { $mergeObjects: [fields, { at: "$$NOW" }] } }];
      for (;;) {
        try {
          const update = [...claim, ...deadlineStages()];
          await rejectIfLate(model.updateOne({ _id, ...isFree }, update, { updatePipeline: true, upsert: true }));
          return { digest, writeId };
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
        const record = await model.findById(_id).lean<IdempotencyRecord>();
        // The record has expired.
        if (record === null) continue;
        const { body, etag } = record;
        const holder = { digest: record.digest, writeId: record.writeId };
        if (body !== undefined) return { ...holder, response: { body, etag } };
        if (record.digest !== digest || (await join(record))) return holder;
      }
    },

    async saveResponse(_id, writeId, { body, etag }) {
      await model.updateOne(
        { _id, writeId },
        { $set: etag === undefined ? { body } : { body, etag }, $unset: { isFree: 1 } },
      );
    },

    async release(_id, writeId) {
      await model.updateOne(
        { _id, writeId, body: { $exists: false }, isShared: { $exists: false } },
        { $set: { isFree: true } },
      );
    },

    exists: async (_id) => (await model.exists({ _id })) !== null,

    count: (guildId) => model.countDocuments({ guildId }),

    async msUntilExpiry(guildId) {
      const age = { ageMs: { $subtract: ["$$NOW", "$at"] } };
      const [oldest] = await model.find({ guildId }, age).sort({ at: 1 }).limit(1).lean<{ readonly ageMs: number }[]>();
      return EXPIRES_AFTER_SECONDS * 1_000 - (oldest?.ageMs ?? 0);
    },
  };
}
