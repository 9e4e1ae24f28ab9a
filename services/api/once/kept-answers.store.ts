import { type Connection, Schema } from "mongoose";
import { isDuplicateKey } from "../../../mixins/mongo/change-feed.ts";
import { deadlineStages, inTime } from "../../../mixins/mongo/write-deadline.ts";
import type { Done } from "./once.ts";

const KEPT_SECONDS = 86_400;

/** A create request that named itself, and its answer once there is one. */
interface KeptAnswer {
  readonly _id: string;
  /** Of what was asked for: another request under the same name is a mistake. */
  readonly digest: string;
  readonly body?: string;
  readonly etag?: string;
  readonly at: Date;
}

const schema = new Schema<KeptAnswer>(
  {
    _id: { type: String, required: true },
    digest: { type: String, required: true },
    body: String,
    etag: String,
    at: { type: Date, required: true },
  },
  { collection: "kept_answers", versionKey: false },
);
schema.index({ at: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export interface KeptAnswersStore {
  /** Takes the name for this request: undefined when nobody had it, else what stands under it. */
  claim(id: string, digest: string): Promise<{ readonly digest: string; readonly done?: Done } | undefined>;
  keep(id: string, done: Done): Promise<void>;
  release(id: string): Promise<void>;
}

export function keptAnswersStore(connection: Connection): KeptAnswersStore {
  const model = connection.model<KeptAnswer>("KeptAnswer", schema);
  return {
    async claim(_id, digest) {
      try {
        const isNew = { _id, digest: { $exists: false } } as never;
        const claim = [{ $replaceWith: { _id: { $literal: _id }, digest: { $literal: digest }, at: "$$NOW" } }];
        await inTime(model.collection.updateOne(isNew, [...claim, ...deadlineStages()], { upsert: true }));
        return undefined;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const before = await model.findById(_id).lean<KeptAnswer>();
        if (before?.body === undefined) return { digest: before?.digest ?? digest };
        return { digest: before.digest, done: { body: before.body, etag: before.etag } };
      }
    },

    async keep(_id, { body, etag }) {
      await model.updateOne({ _id }, { $set: etag === undefined ? { body } : { body, etag } });
    },

    async release(_id) {
      await model.deleteOne({ _id });
    },
  };
}
