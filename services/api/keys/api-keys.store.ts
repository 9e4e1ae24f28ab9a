import { randomUUID } from "node:crypto";
import { type Connection, Schema } from "mongoose";
import { isDuplicateKey } from "../../../mixins/mongo/change-feed.ts";
import { inTransaction } from "../../../mixins/mongo/transaction.ts";
import { deadlineStages, rejectIfLate } from "../../../mixins/mongo/write-context.ts";
import type { KeyChange, KeyChangesPage } from "../../contracts/api-keys.contract.ts";
import type { ApiKey } from "../domain/api-key.ts";

/** An API key as stored; times are Unix milliseconds. MongoDB deletes the key at `removeAt`. */
type KeyRow = Omit<ApiKey, "id"> & { readonly _id: string; readonly removeAt?: Date };

/** A change of a key, and the key that made it. */
export type KeyChangeRecord = Pick<KeyChange, "keyId" | "change" | "by" | "at">;

type ChangeRow = KeyChange & { readonly _id: string };

export interface ChangesQuery {
  readonly keyId: string | undefined;
  /** The cursor of a record: only older ones are returned. */
  readonly before: string | undefined;
  readonly amount: number;
}

const REQUIRED_TEXT = { type: String, required: true } as const;
const REQUIRED_NUMBER = { type: Number, required: true } as const;
const holder = { kind: REQUIRED_TEXT, access: REQUIRED_TEXT, guilds: { type: [String], required: true } } as const;

const keySchema = new Schema<KeyRow>(
  {
    _id: REQUIRED_TEXT,
    ...holder,
    label: REQUIRED_TEXT,
    createdAt: REQUIRED_NUMBER,
    expiresAt: Number,
    revokedAt: Number,
    lastUsedAt: Number,
    secrets: {
      type: [{ _id: false, digest: REQUIRED_TEXT, pepperId: REQUIRED_TEXT, endsAt: Number }],
      required: true,
    },
    revision: REQUIRED_NUMBER,
    removeAt: Date,
  } satisfies Record<keyof KeyRow, unknown>,
  { collection: "api_keys", versionKey: false },
);
keySchema.index({ removeAt: 1 }, { expireAfterSeconds: 0 });

const changeSchema = new Schema<ChangeRow>(
  {
    _id: REQUIRED_TEXT,
    keyId: REQUIRED_TEXT,
    change: REQUIRED_TEXT,
    by: REQUIRED_TEXT,
    at: REQUIRED_NUMBER,
    ...holder,
    label: REQUIRED_TEXT,
  } satisfies Record<keyof ChangeRow, unknown>,
  { collection: "api_key_changes", versionKey: false },
);
changeSchema.index({ keyId: 1, at: 1 });
changeSchema.index({ at: 1, _id: 1 });

/** How long a key is stored after its revocation or expiry. The records of its changes are stored without a limit. */
const RETENTION_MS = 365 * 86_400_000;

/** A key has up to 1 000 guilds: 100 keys take two megabytes. */
const KEYS_PER_BATCH = 100;

export interface ApiKeysStore {
  /** Stores a new key and the record of its creation; false if a key with this id exists. */
  insert(key: ApiKey, change: KeyChangeRecord): Promise<boolean>;
  /** Stores the next revision of a key and the record of the change; false if the stored revision is another one. */
  replace(key: ApiKey, change: KeyChangeRecord): Promise<boolean>;
  find(id: string): Promise<ApiKey | null>;
  /** Keys in order of creation, the latest first; with a cursor those after it. */
  list(amount: number, cursor: string | undefined): AsyncIterable<ApiKey>;
  /** Records of changes, the latest first; `next` is the cursor if there are more. */
  changes(query: ChangesQuery): Promise<KeyChangesPage>;
  recordUse(id: string, at: number): Promise<void>;
  /** Whether no key was ever stored. */
  isEmpty(): Promise<boolean>;
  /** Number of keys that are not revoked and whose digests all have another pepper: no text matches them. */
  countWithOtherPepper(pepperId: string): Promise<number>;
}

export function apiKeysStore(connection: Connection): ApiKeysStore {
  const keys = connection.model<KeyRow>("ApiKey", keySchema);
  const changes = connection.model<ChangeRow>("ApiKeyChange", changeSchema);

  return {
    async insert({ id, ...key }, change) {
      try {
        await inTransaction(connection, async (session) => {
          await changes.create([changeRow(key, change)], { session });
          // Matches no stored key: the upsert creates the key, or fails with a duplicate key if the id exists.
          const isNew = { _id: id, revision: { $exists: false } };
          const row = { ...key, ...removalOf(key), _id: id };
          await rejectIfLate(keys.updateOne(isNew, setFields(row), { updatePipeline: true, upsert: true, session }));
        });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    async replace({ id, secrets, revokedAt, revision, ...key }, change) {
      let isReplaced = false;
      await inTransaction(connection, async (session) => {
        const end = revokedAt === undefined ? {} : { revokedAt, ...removalOf({ revokedAt }) };
        const next = { secrets: [...secrets], revision, ...end };
        await changes.create([changeRow(key, change)], { session });
        const before = { _id: id, revision: revision - 1 };
        const update = keys.updateOne(before, setFields(next), { updatePipeline: true, session });
        const { matchedCount } = await rejectIfLate(update);
        isReplaced = matchedCount === 1;
        if (!isReplaced) await session.abortTransaction();
      });
      return isReplaced;
    },

    async find(id) {
      const row = await keys.findById(id).lean<KeyRow>();
      return row === null ? null : keyOf(row);
    },

    async *list(amount, cursor) {
      const filter = cursor === undefined ? {} : keysAfter(cursor);
      const rows = keys.find(filter).sort({ createdAt: -1, _id: 1 }).limit(amount).lean<KeyRow[]>();
      for await (const row of rows.batchSize(KEYS_PER_BATCH).cursor()) yield keyOf(row);
    },

    async changes({ keyId, before, amount }) {
      const older = before === undefined ? {} : olderThan(before);
      const filter = { ...(keyId === undefined ? {} : { keyId: { $eq: keyId } }), ...older };
      const rows = await changes
        .find(filter)
        .sort({ at: -1, _id: -1 })
        .limit(amount + 1)
        .lean<ChangeRow[]>();
      const page = rows.slice(0, amount);
      const last = page.at(-1);
      const next = rows.length > amount && last !== undefined ? { next: `${last.at}_${last._id}` } : {};
      return { changes: page.map(({ _id, ...change }) => change), ...next };
    },

    async recordUse(id, at) {
      await keys.updateOne({ _id: id }, { $max: { lastUsedAt: at } });
    },

    isEmpty: async () => (await keys.exists({})) === null && (await changes.exists({})) === null,

    countWithOtherPepper: (pepperId) =>
      keys.countDocuments({ revokedAt: { $exists: false }, "secrets.pepperId": { $ne: pepperId } }),
  };
}

/** An update that sets fields unless the write deadline has passed. It must be the last write of its transaction. */
function setFields(fields: object): object[] {
  return [{ $replaceWith: { $mergeObjects: ["$$ROOT", { $literal: fields }] } }, ...deadlineStages()];
}

/** When MongoDB removes the key, if its end is known. */
function removalOf({ revokedAt, expiresAt }: Pick<ApiKey, "revokedAt" | "expiresAt">): Pick<KeyRow, "removeAt"> {
  const endsAt = revokedAt ?? expiresAt;
  return endsAt === undefined ? {} : { removeAt: new Date(endsAt + RETENTION_MS) };
}

function keyOf({ _id, removeAt: _, ...key }: KeyRow): ApiKey {
  return { id: _id, ...key };
}

function changeRow(
  { kind, access, guilds, label }: Omit<KeyRow, "_id" | "secrets" | "revision">,
  change: KeyChangeRecord,
) {
  return { _id: randomUUID(), ...change, kind, access, guilds: [...guilds], label };
}

/** The cursor of a key in the list of keys. */
export function cursorOf({ createdAt, id }: Pick<ApiKey, "createdAt" | "id">): string {
  return `${createdAt}_${id}`;
}

function keysAfter(cursor: string): object {
  const [at = "", id = ""] = cursor.split("_", 2);
  return { $or: [{ createdAt: { $lt: Number(at) } }, { createdAt: Number(at), _id: { $gt: id } }] };
}

/** The id orders records of the same millisecond. */
function olderThan(cursor: string): object {
  const [at = "", id = ""] = cursor.split("_", 2);
  return { $or: [{ at: { $lt: Number(at) } }, { at: Number(at), _id: { $lt: id } }] };
}
