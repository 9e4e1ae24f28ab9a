import { type Connection, Schema } from "mongoose";
import { isDuplicateKey } from "../../../mixins/mongo/change-feed.ts";
import { type BusUser, type BusUserRecord, MAX_BUS_USERS } from "./bus-user.ts";

type Row = Omit<BusUserRecord, "name"> & { readonly _id: string };

const REQUIRED_TEXT = { type: String, required: true } as const;

const schema = new Schema<Row>(
  {
    _id: REQUIRED_TEXT,
    access: REQUIRED_TEXT,
    guilds: { type: [String], required: true },
    publicKey: REQUIRED_TEXT,
    createdAt: { type: Number, required: true },
    createdBy: REQUIRED_TEXT,
    revokedAt: Number,
    revokedBy: String,
  } satisfies Record<keyof Row, unknown>,
  { collection: "bus_users", versionKey: false },
);

export interface BusUsersStore {
  /** Stores a new user; `taken` if the name was ever used, `full` if there are MAX_BUS_USERS. */
  insert(user: BusUser, by: string, at: number): Promise<"stored" | "taken" | "full">;
  /** Revokes a user; false if there is none with this name. The first revocation stays. */
  revoke(name: string, by: string, at: number): Promise<boolean>;
  /** All users ever created, by name. */
  list(): Promise<BusUserRecord[]>;
  /** The names of the users that are not revoked. */
  listActiveNames(): Promise<string[]>;
  /** The users with these names that are not revoked. */
  findActive(names: readonly string[]): Promise<BusUser[]>;
}

const ACTIVE = { revokedAt: { $exists: false } } as const;

export function busUsersStore(connection: Connection): BusUsersStore {
  const users = connection.model<Row>("BusUser", schema);

  return {
    async insert({ name, ...user }, createdBy, createdAt) {
      if ((await users.countDocuments(ACTIVE)) >= MAX_BUS_USERS) return "full";
      try {
        await users.create([{ _id: name, ...user, guilds: [...user.guilds], createdAt, createdBy }]);
        return "stored";
      } catch (error) {
        if (isDuplicateKey(error)) return "taken";
        throw error;
      }
    },

    async revoke(name, revokedBy, revokedAt) {
      const { matchedCount } = await users.updateOne({ _id: name, ...ACTIVE }, { $set: { revokedAt, revokedBy } });
      return matchedCount === 1 || (await users.exists({ _id: name })) !== null;
    },

    async list() {
      const rows = await users.find().sort({ _id: 1 }).lean<Row[]>();
      return rows.map(recordOf);
    },

    async listActiveNames() {
      const rows = await users.find(ACTIVE, { _id: 1 }).limit(MAX_BUS_USERS).lean<Pick<Row, "_id">[]>();
      return rows.map(({ _id }) => _id);
    },

    async findActive(names) {
      const rows = await users.find({ _id: { $in: [...names] }, ...ACTIVE }).lean<Row[]>();
      return rows.map(recordOf);
    },
  };
}

function recordOf({ _id: name, ...user }: Row): BusUserRecord {
  return { name, ...user };
}
