import { type Connection, Schema } from "mongoose";
import type { Caller } from "../contracts/contract.ts";

/** A key as stored. The key itself is nowhere: `hash` is its SHA-256, in hex. */
export interface StoredKey extends Omit<Caller, "keyId"> {
  readonly _id: string;
  readonly hash: string;
  readonly label: string;
  readonly createdAt: Date;
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
}

const schema = new Schema<StoredKey>(
  {
    _id: { type: String, required: true },
    hash: { type: String, required: true },
    kind: { type: String, required: true },
    access: { type: String, required: true },
    guilds: { type: [String], required: true },
    label: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: Date,
    revokedAt: Date,
  },
  { collection: "api_keys", versionKey: false },
);
schema.index({ hash: 1 }, { unique: true });

export interface ApiKeysStore {
  /** False when a key of that id, or that very key, is there already. */
  create(key: StoredKey): Promise<boolean>;
  /** Creates the key or takes the place of the one with its id. */
  put(key: StoredKey): Promise<void>;
  findByHash(hash: string): Promise<StoredKey | null>;
  revoke(id: string, at: Date): Promise<void>;
  isEmpty(): Promise<boolean>;
  remove(id: string): Promise<void>;
}

export function apiKeysStore(connection: Connection): ApiKeysStore {
  const model = connection.model<StoredKey>("ApiKey", schema);
  return {
    async create(key) {
      try {
        await model.create([key]);
        return true;
      } catch (error) {
        if ((error as { code?: unknown }).code === 11_000) return false;
        throw error;
      }
    },

    async put({ _id, ...key }) {
      await model.replaceOne({ _id }, key, { upsert: true });
    },

    findByHash: (hash) => model.findOne({ hash }).lean<StoredKey>(),

    async revoke(id, at) {
      await model.updateOne({ _id: id, revokedAt: { $exists: false } }, { $set: { revokedAt: at } });
    },

    isEmpty: async () => (await model.exists({})) === null,

    async remove(id) {
      await model.deleteOne({ _id: id });
    },
  };
}
