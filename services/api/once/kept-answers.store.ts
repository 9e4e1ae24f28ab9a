import { type Connection, Schema } from "mongoose";
import { isDuplicateKey } from "../../../mixins/mongo/change-feed.ts";
import { deadlineStages, inTime } from "../../../mixins/mongo/current-write.ts";
import type { WriteId } from "../../contracts/ids.ts";
import type { Done } from "./once.ts";

const KEPT_SECONDS = 86_400;

/** A create request that named itself, and its answer once there is one. */
interface KeptAnswer {
  readonly _id: string;
  /** Of what was asked for: another request under the same name is a mistake. */
  readonly digest: string;
  /** Of the write that every request under the name makes. */
  readonly writeId: WriteId;
  /** Set when it was refused: another request may take the name. */
  readonly isFree?: true;
  readonly body?: string;
  readonly etag?: string;
  readonly at: Date;
}

const schema = new Schema<KeptAnswer>(
  {
    _id: { type: String, required: true },
    digest: { type: String, required: true },
    writeId: { type: String, required: true },
    isFree: Boolean,
    body: String,
    etag: String,
    at: { type: Date, required: true },
  },
  { collection: "kept_answers", versionKey: false },
);
schema.index({ at: 1 }, { expireAfterSeconds: KEPT_SECONDS });

/** Whose name it is now. */
export interface Claim {
  readonly digest: string;
  readonly writeId: WriteId;
  readonly done?: Done;
}

export interface KeptAnswersStore {
  /** Takes the name for this request, unless another has it: whose it is then. */
  claim(id: string, digest: string, writeId: WriteId): Promise<Claim>;
  /** Keeps the answer of the write, as long as the name is its own. */
  keep(id: string, writeId: WriteId, done: Done): Promise<void>;
  /** Lets another request take the name, unless the write was done meanwhile; this request keeps its write. */
  free(id: string, writeId: WriteId): Promise<void>;
}

export function keptAnswersStore(connection: Connection): KeptAnswersStore {
  const model = connection.model<KeptAnswer>("KeptAnswer", schema);
  return {
    async claim(_id, digest, writeId) {
      const isFree = { $or: [{ digest: { $exists: false } }, { isFree: true, digest: { $ne: digest } }] };
      const claim = [{ $replaceWith: { $mergeObjects: [{ $literal: { _id, digest, writeId } }, { at: "$$NOW" }] } }];
      try {
        const update = [...claim, ...deadlineStages()];
        await inTime(model.collection.updateOne({ _id, ...isFree } as never, update, { upsert: true }));
        return { digest, writeId };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const before = await model.findById(_id).lean<KeptAnswer>();
        if (before === null) return { digest, writeId };
        const { body, etag } = before;
        return {
          digest: before.digest,
          writeId: before.writeId,
          ...(body === undefined ? {} : { done: { body, etag } }),
        };
      }
    },

    async keep(_id, writeId, { body, etag }) {
      await model.updateOne(
        { _id, writeId },
        { $set: etag === undefined ? { body } : { body, etag }, $unset: { isFree: 1 } },
      );
    },

    async free(_id, writeId) {
      await model.updateOne({ _id, writeId, body: { $exists: false } }, { $set: { isFree: true } });
    },
  };
}
