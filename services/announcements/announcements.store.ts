import { type Connection, type Model, Schema } from "mongoose";
import { MAX_JOIN_WAIT_MS } from "../../mixins/async/timeout.ts";
import {
  changedByOf,
  changesSince,
  kept,
  saveRevision,
  stampedNewRecord,
  stampedReplacement,
  stampedTombstone,
  type Tracked,
  trackedIndexes,
  trackedPaths,
} from "../../mixins/mongo/change-feed.ts";
import { coalescedReads } from "../../mixins/mongo/coalesced-reads.ts";
import { FORMER_INDEX } from "../../mixins/mongo/former-records.ts";
import { optimisticWrite } from "../../mixins/mongo/optimistic-write.ts";
import { revisionWritten, wasMade } from "../../mixins/mongo/recent-writes.ts";
import { readRows, streamRows } from "../../mixins/mongo/short-reads.ts";
import { batched } from "../../mixins/async/batch.ts";
import { deadlineStages, inTime } from "../../mixins/mongo/current-write.ts";
import type { Announcement, AnnouncementRule } from "../contracts/announcements.contract.ts";
import type { ChangesSinceParams, ChangesSinceResult } from "../contracts/change-feed.contract.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import type { AnnouncementId, EpochMs, GuildId } from "../contracts/ids.ts";
import type { AnnouncementDraft } from "./domain/announcement.ts";
import { anyOf, freeSlots } from "./domain/free-slots.ts";
import { BECOMES_FORMER, type FormerFields, formerRules } from "./former-rules.store.ts";

/** An announcement as stored. */
interface AnnouncementRow
  extends Tracked, Omit<Announcement, "id" | "guildId" | "revision" | "standsSince" | "changedBy"> {
  standsSince: Date;
  /** The time of the create, by the database's clock: a list is in this order. */
  sequence: Date;
  /** Its place among the guild's announcements, 0 … 999. No two have the same: so a guild never has more. */
  slot: number;
  former?: FormerFields;
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
    sequence: Date,
    slot: Number,
    former: Object,
  },
  { collection: "announcements", versionKey: false },
);
// A tombstone has no sequence: the list's index holds what is there, and nothing else.
announcementSchema.index({ guildId: 1, sequence: 1 }, { partialFilterExpression: { sequence: { $exists: true } } });
announcementSchema.index(
  { guildId: 1, slot: 1 },
  { unique: true, partialFilterExpression: { slot: { $exists: true } } },
);
announcementSchema.index({ guildId: 1 }, { name: "announcing", partialFilterExpression: { enabled: true } });
announcementSchema.index(...FORMER_INDEX);
for (const [keys, options] of trackedIndexes) announcementSchema.index(keys, options);

export interface AnnouncementsStore {
  /** Stores a new announcement, unless the guild has the most already (D26). */
  insert(draft: AnnouncementDraft): Promise<Refusal | undefined>;
  /** Whether another try of the write that is being made has stored the new announcement. */
  wasInserted(guildId: GuildId, id: AnnouncementId): Promise<boolean>;
  /** The revision that another try of the write that is being made has stored; undefined where none has. */
  revisionWritten(guildId: GuildId, id: AnnouncementId): Promise<number | undefined>;
  /** Null when the guild has none of that id. */
  find(guildId: GuildId, id: string): Promise<Announcement | null>;
  /** Stores the next revision; false when another write came between. */
  replace(next: AnnouncementDraft, standsAnew: boolean): Promise<boolean>;
  /** Removes an announcement; false when another write came after the stored revision. */
  remove(stored: Announcement): Promise<boolean>;
  /** Removes the announcements that name the event, or an occurrence of it. */
  removeOfEvent(guildId: GuildId, eventId: string): Promise<Pick<Announcement, "guildId" | "id" | "revision">[]>;
  /** The guild's first `limit` in creation order. */
  list(guildId: GuildId, limit: number): Promise<Announcement[]>;
  /** The same, a few at a time. */
  listed(guildId: GuildId, limit: number): AsyncIterable<Announcement>;
  /** The rules of all of the guild's, in creation order. */
  listRules(guildId: GuildId): Promise<AnnouncementRule[]>;
  /** The rules that were in force until after an instant, each as it was; the latest first. */
  listFormerRules(guildId: GuildId, after: EpochMs): Promise<AnnouncementRule[]>;
  /** Those of the guilds that have one which is enabled, or had one lately. */
  listAnnouncing(guildIds: readonly GuildId[]): Promise<GuildId[]>;
  changesSince(params: ChangesSinceParams): Promise<ChangesSinceResult>;
}

/** What is read of a row: the announcement, without what keeps it. */
type StoredAnnouncement = Omit<AnnouncementRow, "changedAt" | "writes" | "deletedAt" | "former">;
const ONE = { changedAt: 0, writes: 0, former: 0 } as const;
/** A list knows its guild, and its order is the index's. */
const LISTED = { ...ONE, guildId: 0, sequence: 0, slot: 0, changedBy: 0 } as const;
type NotListed = "guildId" | "sequence" | "slot" | "changedBy";

/** Guilds whose slots are read at the same moment, at most. */
const MAX_GUILDS_AT_ONCE = 100;

type ListedRow = Omit<StoredAnnouncement, NotListed>;

/** Rows in one reply: of the largest, of 70 kB each, 2 MB. */
const AT_A_TIME = 30;

/** What a rule is, of a row. */
const RULE = {
  channel: 1,
  type: 1,
  eventId: 1,
  eventColor: 1,
  hours: 1,
  minutes: 1,
  enabled: 1,
  revision: 1,
  standsSince: 1,
} as const;

type RuleRow = Pick<AnnouncementRow, "_id" | Exclude<keyof AnnouncementRule, "id" | "until">>;

const EXISTS = { sequence: { $exists: true } };

export function announcementsStore(connection: Connection): AnnouncementsStore {
  const model = connection.model<AnnouncementRow>("Announcement", announcementSchema);
  const one = coalescedReads(model, ONE);

  /** Creates of a guild at the same moment share a read. */
  const slotsInUse = batched<GuildId, readonly number[]>(
    (guildIds) => {
      const reads = new Map(
        [...new Set(guildIds)].map((guildId) => [guildId, usedSlots(model, guildId).catch(asError)]),
      );
      return Promise.all(guildIds.map((guildId) => reads.get(guildId) as Promise<readonly number[] | Error>));
    },
    { most: MAX_GUILDS_AT_ONCE, placeMs: MAX_JOIN_WAIT_MS },
  );

  return {
    async insert({ id: _id, ...draft }) {
      const stored = await optimisticWrite({
        load: () => slotsInUse(draft.guildId),
        decide: (used) => anyOf(freeSlots(used), Math.random()) ?? refuse("TOO_MANY_ANNOUNCEMENTS"),
        save(slot) {
          const row = { _id, ...draft, slot };
          return saveRevision(model, row, stampedNewRecord(row, ["standsSince", "sequence"]));
        },
        findDone: async () => (await wasMade(model, { _id, guildId: draft.guildId })) || undefined,
      });
      return isRefusal(stored) ? stored : undefined;
    },

    wasInserted: (guildId, _id) => wasMade(model, { _id, guildId }),

    revisionWritten: (guildId, _id) => revisionWritten(model, { _id, guildId }),

    async find(guildId, id) {
      const row = await one(id);
      // A tombstone has no sequence.
      if (row?.guildId !== guildId || row.sequence === undefined) return null;
      return { ...announcementOf(row, guildId), ...changedByOf(row) };
    },

    replace({ id, ...next }, standsAnew) {
      const row = { _id: id, ...next };
      const former = standsAnew || !next.enabled ? BECOMES_FORMER : kept("former");
      const replacement = standsAnew
        ? stampedReplacement(row, ["standsSince"], { ...kept("sequence", "slot"), ...former })
        : stampedReplacement(row, [], { ...kept("sequence", "slot", "standsSince"), ...former });
      return saveRevision(model, row, replacement);
    },

    remove({ id: _id, guildId, revision }) {
      const tombstone = { _id, guildId, revision: revision + 1 };
      return saveRevision(model, tombstone, stampedTombstone(tombstone, BECOMES_FORMER));
    },

    async removeOfEvent(guildId, eventId) {
      const filter = { guildId, ...EXISTS, $or: namesEvent(eventId) };
      const named = await model.find(filter, { revision: 1 }).lean<Pick<AnnouncementRow, "_id" | "revision">[]>();
      if (named.length === 0) return [];
      await inTime(model.updateMany(filter, [...EACH_TOMBSTONE, ...deadlineStages()], { updatePipeline: true }));
      return named.map(({ _id, revision }) => ({ guildId, id: _id as AnnouncementId, revision: revision + 1 }));
    },

    async list(guildId, limit) {
      const rows = await readRows<ListedRow>(model, inOrder(guildId, limit));
      return rows.map((row) => announcementOf(row, guildId));
    },

    async *listed(guildId, limit) {
      const few = await readRows<ListedRow>(model, inOrder(guildId, Math.min(limit, AT_A_TIME + 1)));
      const isAll = few.length <= AT_A_TIME;
      const rows = isAll ? few : streamRows<ListedRow>(model, { ...inOrder(guildId, limit), batchSize: AT_A_TIME });
      for await (const row of rows) yield announcementOf(row, guildId);
    },

    async listRules(guildId) {
      const rows = await model
        .find({ guildId, ...EXISTS }, RULE)
        .sort({ sequence: 1 })
        .lean<RuleRow[]>();
      return rows.map(ruleOf);
    },

    listFormerRules: (guildId, after) => formerRules(model, guildId, after),

    async listAnnouncing(guildIds) {
      const guildId = { $in: [...guildIds] };
      const found = await Promise.all([
        model.distinct("guildId", { guildId, enabled: true }),
        model.distinct("former.guildId", { "former.guildId": guildId, "former.until": { $exists: true } }),
      ]);
      return [...new Set(found.flat())];
    },

    changesSince: (params) => changesSince(model, params),
  };
}

function inOrder(guildId: GuildId, limit: number) {
  return { filter: { guildId, ...EXISTS }, projection: LISTED, sort: { sequence: 1 }, limit } as const;
}

function ruleOf(row: RuleRow): AnnouncementRule {
  return {
    id: row._id as AnnouncementId,
    channel: row.channel,
    type: row.type,
    eventId: row.eventId,
    eventColor: row.eventColor,
    hours: row.hours,
    minutes: row.minutes,
    enabled: row.enabled,
    revision: row.revision,
    standsSince: row.standsSince.getTime(),
  };
}

/** Field by field: copying all but some took a tenth of what a list costs here. */
function announcementOf(row: ListedRow, guildId: GuildId): Announcement {
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

/** The slots that the guild's announcements have: from the index alone. */
function usedSlots(model: Model<AnnouncementRow>, guildId: GuildId): Promise<number[]> {
  return model.distinct("slot", { guildId, slot: { $gte: 0 } });
}

/** The reference of a series begins those of its occurrences (D12). */
function namesEvent(eventId: string): object[] {
  return [{ eventId }, { eventId: { $gte: `${eventId}_`, $lt: `${eventId}\`` } }];
}

/** Makes each row the tombstone of its own next revision. */
const EACH_TOMBSTONE = [
  { $project: { guildId: 1, revision: { $add: ["$revision", 1] }, writes: 1, ...BECOMES_FORMER } },
  { $set: { changedAt: "$$NOW", deletedAt: "$$NOW" } },
];

/** A failure as a value, so that one guild's fails no other guild's creates. */
function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
