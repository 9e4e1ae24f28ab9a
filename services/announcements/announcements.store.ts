import { type Connection, Schema } from "mongoose";
import {
  changesSince,
  saveRevision,
  stampedReplacement,
  stampedTombstone,
  type Tracked,
  trackedIndexes,
  trackedPaths,
} from "../../mixins/change-feed.ts";
import { coalescedReads } from "../../mixins/coalesced-reads.ts";
import { readRows } from "../../mixins/short-reads.ts";
import { inTransaction } from "../../mixins/transaction.ts";
import { type Announcement, MOST_ANNOUNCEMENTS } from "../contracts/announcements.contract.ts";
import type { ChangesSinceParams, ChangesSinceResult } from "../contracts/change-feed.contract.ts";
import type { AnnouncementId, GuildId } from "../contracts/ids.ts";
import type { AnnouncementDraft } from "./domain/announcement.ts";

/** An announcement as stored; `sequence` is its place in the guild's creation order. */
interface AnnouncementRow extends Tracked, Omit<Announcement, "id" | "guildId" | "revision" | "standsSince"> {
  standsSince: Date;
  sequence: number;
}

/** How many announcements a guild has, and how many it ever had; `_id` is the guild. */
interface GuildRow {
  _id: GuildId;
  count: number;
  lastSequence: number;
}

const announcementSchema = new Schema<AnnouncementRow>(
  {
    _id: { type: String, required: true },
    ...trackedPaths,
    channel: String,
    type: String,
    eventId: String,
    eventColor: String,
    hours: Number,
    minutes: Number,
    info: String,
    enabled: Boolean,
    infoOnly: Boolean,
    subscribersRole: [String],
    subscribersUser: [String],
    standsSince: Date,
    sequence: Number,
  },
  { collection: "announcements", versionKey: false },
);
// A tombstone has no sequence: the list's index holds what is there, and nothing else.
announcementSchema.index({ guildId: 1, sequence: 1 }, { partialFilterExpression: { sequence: { $exists: true } } });
for (const [keys, options] of trackedIndexes) announcementSchema.index(keys, options);

const guildSchema = new Schema<GuildRow>(
  { _id: { type: String, required: true }, count: Number, lastSequence: Number },
  { collection: "announcement_guilds", versionKey: false },
);

export interface AnnouncementsStore {
  /** Stores a new announcement; false when the guild has the most already (D26). */
  insert(draft: AnnouncementDraft): Promise<boolean>;
  /** Null when the guild has none of that id. */
  find(guildId: GuildId, id: string): Promise<Announcement | null>;
  /** Stores the next revision; false when another write came between. */
  replace(next: AnnouncementDraft, standsAnew: boolean): Promise<boolean>;
  /** Removes an announcement; false when another write came after the stored revision. */
  remove(stored: Announcement): Promise<boolean>;
  /** The guild's first `limit` in creation order. */
  list(guildId: GuildId, limit: number): Promise<Announcement[]>;
  changesSince(params: ChangesSinceParams): Promise<ChangesSinceResult>;
}

/** What is read of a row: the announcement, without what keeps it. */
type StoredAnnouncement = Omit<AnnouncementRow, "changedAt" | "deletedAt">;
const ONE = { changedAt: 0 } as const;
/** A list knows its guild, and its order is the index's. */
const LISTED = { changedAt: 0, guildId: 0, sequence: 0 } as const;

const EXISTS = { sequence: { $exists: true } };

export function announcementsStore(connection: Connection): AnnouncementsStore {
  const model = connection.model<AnnouncementRow>("Announcement", announcementSchema);
  const guilds = connection.model<GuildRow>("AnnouncementGuild", guildSchema);
  const one = coalescedReads<StoredAnnouncement>(model, ONE);

  return {
    insert: ({ id, ...draft }) =>
      inTransaction(connection, async (session) => {
        const guild = await guilds
          .findOneAndUpdate(
            { _id: draft.guildId },
            { $inc: { count: 1, lastSequence: 1 } },
            { upsert: true, returnDocument: "after", session },
          )
          .lean<GuildRow>();
        if (guild === null || guild.count > MOST_ANNOUNCEMENTS) {
          await session.abortTransaction();
          return false;
        }
        const row = { _id: id, ...draft, sequence: guild.lastSequence };
        return saveRevision(model, row, stampedReplacement(row, ["standsSince"]), session);
      }),

    async find(guildId, id) {
      const row = await one(id);
      // A tombstone has no sequence.
      return row?.guildId !== guildId || row.sequence === undefined ? null : announcementOf(row, guildId);
    },

    replace({ id, ...next }, standsAnew) {
      const row = { _id: id, ...next };
      const replacement = standsAnew
        ? stampedReplacement(row, ["standsSince"], ["sequence"])
        : stampedReplacement(row, [], ["sequence", "standsSince"]);
      return saveRevision(model, row, replacement);
    },

    remove: ({ id: _id, guildId, revision }) =>
      inTransaction(connection, async (session) => {
        const tombstone = { _id, guildId, revision: revision + 1 };
        const removed = await saveRevision(model, tombstone, stampedTombstone(tombstone), session);
        if (removed) await guilds.updateOne({ _id: guildId }, { $inc: { count: -1 } }, { session });
        return removed;
      }),

    async list(guildId, limit) {
      const sort = { sequence: 1 } as const;
      const read = { filter: { guildId, ...EXISTS }, projection: LISTED, sort, limit };
      const rows = await readRows<Omit<StoredAnnouncement, "guildId" | "sequence">>(model, read);
      return rows.map((row) => announcementOf(row, guildId));
    },

    changesSince: (params) => changesSince(model, params),
  };
}

/** Field by field: copying all but some took a tenth of what a list costs here. */
function announcementOf(row: Omit<StoredAnnouncement, "guildId" | "sequence">, guildId: GuildId): Announcement {
  return {
    id: row._id as AnnouncementId,
    guildId,
    channel: row.channel,
    type: row.type,
    eventId: row.eventId,
    eventColor: row.eventColor,
    hours: row.hours,
    minutes: row.minutes,
    info: row.info,
    enabled: row.enabled,
    infoOnly: row.infoOnly,
    subscribersRole: row.subscribersRole,
    subscribersUser: row.subscribersUser,
    revision: row.revision,
    standsSince: row.standsSince.getTime(),
  };
}
