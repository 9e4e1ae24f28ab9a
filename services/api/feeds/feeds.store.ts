import { type Connection, Schema } from "mongoose";
import { isDuplicateKey } from "../../../mixins/mongo/change-feed.ts";
import { deadlineStages, rejectIfLate } from "../../../mixins/mongo/write-context.ts";
import { MAX_FEEDS } from "../../contracts/feeds.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { Feed } from "../domain/feed.ts";

type StoredFeed = Omit<Feed, "guildId">;

/** All feeds of a guild in the order of creation, in one document, so that one update limits their number. */
interface FeedsRow {
  readonly _id: GuildId;
  readonly feeds: readonly StoredFeed[];
}

const REQUIRED_TEXT = { type: String, required: true } as const;
const REQUIRED_NUMBER = { type: Number, required: true } as const;

const feedPaths = {
  _id: false,
  id: REQUIRED_TEXT,
  calendarNumber: REQUIRED_NUMBER,
  color: String,
  label: String,
  secret: { digest: REQUIRED_TEXT, pepperId: REQUIRED_TEXT },
  createdAt: REQUIRED_NUMBER,
  rotatedAt: Number,
  lastUsedAt: Number,
} as const satisfies Record<keyof StoredFeed | "_id", unknown>;

const schema = new Schema<FeedsRow>(
  { _id: REQUIRED_TEXT, feeds: { type: [feedPaths], required: true } },
  { collection: "calendar_feeds", versionKey: false },
);
schema.index({ "feeds.id": 1 });

export interface FeedsStore {
  /** Stores a new feed; false if the guild has the maximum. */
  insert(feed: Feed): Promise<boolean>;
  /** The feeds of a guild, the earliest first. */
  list(guildId: GuildId): Promise<Feed[]>;
  find(id: string): Promise<Feed | null>;
  /** Replaces the secret of a feed; false if the guild has no feed with the id. */
  replaceSecret(guildId: GuildId, id: string, change: Required<Pick<Feed, "secret" | "rotatedAt">>): Promise<boolean>;
  /** Removes a feed; false if the guild has no feed with the id. */
  remove(guildId: GuildId, id: string): Promise<boolean>;
  recordUse(id: string, at: EpochMs): Promise<void>;
}

export function feedsStore(connection: Connection): FeedsStore {
  const model = connection.model<FeedsRow>("CalendarFeeds", schema);

  /** Changes the feeds of the matching row, unless the deadline has passed; false if no row matches. */
  async function change(filter: object, feeds: object, upsert = false): Promise<boolean> {
    const update = model.updateOne(filter, [{ $set: { feeds } }, ...deadlineStages()], {
      updatePipeline: true,
      upsert,
    });
    const { matchedCount, upsertedCount } = await rejectIfLate(update);
    return matchedCount + upsertedCount === 1;
  }

  const has = (guildId: GuildId, id: string) => ({ _id: guildId, "feeds.id": { $eq: id } });

  return {
    async insert({ guildId, ...feed }) {
      const isNotFull = { _id: guildId, [`feeds.${MAX_FEEDS - 1}`]: { $exists: false } };
      const feeds = { $concatArrays: [{ $ifNull: ["$feeds", []] }, [{ $literal: feed }]] };
      try {
        return await change(isNotFull, feeds, true);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // The row has the maximum of feeds, or a concurrent write has created it.
        return change(isNotFull, feeds);
      }
    },

    async list(guildId) {
      const row = await model.findById(guildId).lean<FeedsRow>();
      return row === null ? [] : feedsIn(row);
    },

    async find(id) {
      const row = await model.findOne({ "feeds.id": { $eq: id } }, { "feeds.$": 1 }).lean<FeedsRow>();
      return row === null ? null : (feedsIn(row)[0] ?? null);
    },

    replaceSecret(guildId, id, changed) {
      const next = { $mergeObjects: ["$$this", { $literal: changed }] };
      const feed = { $cond: [isFeed(id), next, "$$this"] };
      return change(has(guildId, id), { $map: { input: "$feeds", in: feed } });
    },

    remove: (guildId, id) => change(has(guildId, id), { $filter: { input: "$feeds", cond: { $not: [isFeed(id)] } } }),

    async recordUse(id, at) {
      await model.updateOne({ "feeds.id": { $eq: id } }, { $max: { "feeds.$.lastUsedAt": at } });
    },
  };
}

function isFeed(id: string): object {
  return { $eq: ["$$this.id", { $literal: id }] };
}

function feedsIn({ _id: guildId, feeds }: FeedsRow): Feed[] {
  return feeds.map((feed) => ({ ...feed, guildId }));
}
