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
  },
  { collection: "bus_users", versionKey: false },
);

export interface BusUsersStore {
  /** Stores a new user; `taken` when the name was ever given, `full` when there are MAX_BUS_USERS. */
  insert(user: BusUser, by: string, at: number): Promise<"stored" | "taken" | "full">;
  /** Ends a user; false when there is none of that name. The first revocation counts. */
  revoke(name: string, by: string, at: number): Promise<boolean>;
  /** All that were ever made, by name. */
  list(): Promise<BusUserRecord[]>;
  /** The names of those that are not revoked. */
  liveNames(): Promise<string[]>;
  /** The users of these names that are not revoked. */
  findLive(names: readonly string[]): Promise<BusUser[]>;
}

const LIVE = { revokedAt: { $exists: false } } as const;

export function busUsersStore(connection: Connection): BusUsersStore {
  const users = connection.model<Row>("BusUser", schema);

  return {
    async insert({ name, ...user }, createdBy, createdAt) {
      if ((await users.countDocuments(LIVE)) >= MAX_BUS_USERS) return "full";
      try {
        await users.create([{ _id: name, ...user, guilds: [...user.guilds], createdAt, createdBy }]);
        return "stored";
      } catch (error) {
        if (isDuplicateKey(error)) return "taken";
        throw error;
      }
    },

    async revoke(name, revokedBy, revokedAt) {
      const { matchedCount } = await users.updateOne({ _id: name, ...LIVE }, { $set: { revokedAt, revokedBy } });
      return matchedCount === 1 || (await users.exists({ _id: name })) !== null;
    },

    async list() {
      const rows = await users.find().sort({ _id: 1 }).lean<Row[]>();
      return rows.map(recordOf);
    },

    async liveNames() {
      const rows = await users.find(LIVE, { _id: 1 }).limit(MAX_BUS_USERS).lean<Pick<Row, "_id">[]>();
      return rows.map(({ _id }) => _id);
    },

    async findLive(names) {
      const rows = await users.find({ _id: { $in: [...names] }, ...LIVE }).lean<Row[]>();
      return rows.map(recordOf);
    },
  };
}

function recordOf({ _id: name, ...user }: Row): BusUserRecord {
  return { name, ...user };
}
