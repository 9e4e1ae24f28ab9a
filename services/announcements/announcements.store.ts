import type { Connection, Model } from "mongoose";
import { complete } from "../../mixins/objects/complete.ts";
import { definedFields } from "../../mixins/objects/defined-fields.ts";
import {
  type ChangeFeed,
  changeFeed,
  unchangedFields,
  saveRevision,
  stampedNewRecord,
  stampedReplacement,
  stampedTombstone,
} from "../../mixins/mongo/change-feed.ts";
import { changedByField } from "../../mixins/mongo/tracked-record.ts";
import { batchedFind } from "../../mixins/mongo/batched-find.ts";
import { optimisticWrite } from "../../mixins/mongo/optimistic-write.ts";
import { reachedInstant } from "../../mixins/mongo/reached-instant.ts";
import { revisionWritten, wasCreated } from "../../mixins/mongo/recent-writes.ts";
import { findPages, findRows } from "../../mixins/mongo/find-command.ts";
import { batched, READ_SLOT_TIMEOUT_MS } from "../../mixins/async/batch.ts";
import { deadlineStages, rejectIfLate } from "../../mixins/mongo/write-context.ts";
import type { Announcement, AnnouncementRule } from "../contracts/announcements.contract.ts";
import type { Changed } from "../contracts/contract.ts";
import { TOMBSTONE_DAYS } from "../contracts/change-feed.contract.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import type { AnnouncementId, EpochMs, GuildId } from "../contracts/ids.ts";
import type { AnnouncementDraft } from "./domain/announcement.ts";
import { pickSlot, freeSlots } from "./domain/free-slots.ts";
import { type AnnouncementRow, announcementSchema } from "./announcement.document.ts";
import { FORMER_RULE, formerRules } from "./former-rules.store.ts";

/** The position of an announcement in the order of creation; it never changes. */
export interface CreatedAnnouncement {
  readonly id: AnnouncementId;
  readonly createdAt: EpochMs;
}

export interface AnnouncementsStore extends ChangeFeed {
  /** Stores a new announcement; refuses if the guild has 1000 already (D26). */
  insert(draft: AnnouncementDraft): Promise<Refusal | undefined>;
  /** Whether an earlier attempt of the current write has stored the new announcement. */
  wasCreated(guildId: GuildId, id: AnnouncementId): Promise<boolean>;
  /** The revision that an earlier attempt of the current write has stored; undefined if none has. */
  revisionWritten(guildId: GuildId, id: AnnouncementId): Promise<number | undefined>;
  /** Null if the guild has no announcement with the id. */
  find(guildId: GuildId, id: string): Promise<Announcement | null>;
  /** The same in queries of their own: dispatch reads up to 256 at once, for which a client must not wait. */
  findForDispatch(guildId: GuildId, id: string): Promise<Announcement | null>;
  /** Stores the next revision; false if another write was stored in the meantime. */
  replace(next: AnnouncementDraft, restartsRule: boolean): Promise<boolean>;
  /** Removes an announcement; false if another write was stored in the meantime. */
  remove(stored: Announcement): Promise<boolean>;
  /** Removes the announcements that name the event, or an occurrence of it. */
  removeOfEvent(guildId: GuildId, eventId: string): Promise<Pick<Announcement, "guildId" | "id" | "revision">[]>;
  /** The first `limit` announcements of the guild, in creation order. */
  list(guildId: GuildId, limit: number): Promise<Announcement[]>;
  /** The same in pages. */
  listInPages(guildId: GuildId, limit: number): AsyncIterable<readonly Announcement[]>;
  /** The ids of all announcements of the guild, with the times of their creation. */
  listIds(guildId: GuildId): Promise<CreatedAnnouncement[]>;
  /** The announcements with these ids, in this order, in pages. */
  listByIds(guildId: GuildId, ids: readonly AnnouncementId[]): AsyncIterable<readonly Announcement[]>;
  /** The rules of all announcements of the guild, in creation order. */
  listRules(guildId: GuildId): Promise<AnnouncementRule[]>;
  /** Former rules that ended after an instant; the latest first. */
  listFormerRules(guildId: GuildId, after: EpochMs): Promise<AnnouncementRule[]>;
  /** The guilds that have an enabled announcement, or had one within the lifetime of a tombstone. */
  listAnnouncing(guildIds: readonly GuildId[]): Promise<GuildId[]>;
}

/** A row as reads of announcements get it: without fields that only the storage needs. */
type StoredAnnouncement = Omit<AnnouncementRow, "changedAt" | "writes" | "deletedAt" | "former">;
const READ_PROJECTION = { changedAt: 0, writes: 0, former: 0 } as const;
/** Excludes also fields that a list does not need: the guild is known, and the index has the order. */
export const LIST_PROJECTION = { ...READ_PROJECTION, guildId: 0, sequence: 0, slot: 0, changedBy: 0 } as const;
type UnlistedFields = "guildId" | "sequence" | "slot" | "changedBy";

/** Largest number of guilds whose slots one command reads. */
const MAX_GUILDS_AT_ONCE = 100;

export type ListedRow = Omit<StoredAnnouncement, UnlistedFields>;

const DAY_MS = 86_400_000;

/** Number of rows in one reply whose rows are decoded one after the other. The largest rows have 100 kB. */
const PAGE_ROWS = 20;
/** Number of rows that are decoded without a pause: the largest take 2 to 6 ms each, because of their two thousand ids. */
const ROWS_AT_ONCE = 5;

/** The fields of a rule. */
const RULE_PROJECTION = {
  channel: 1,
  type: 1,
  eventId: 1,
  eventColor: 1,
  hours: 1,
  minutes: 1,
  offsets: 1,
  digest: 1,
  onChange: 1,
  cleanUp: 1,
  enabled: 1,
  revision: 1,
  standsSince: 1,
  pausedUntil: 1,
  pauseEndedAt: 1,
  skipOn: 1,
} as const satisfies Record<Exclude<keyof AnnouncementRule, "id" | "until">, 1>;

type RuleRow = Pick<AnnouncementRow, "_id" | keyof typeof RULE_PROJECTION>;

const EXISTING = { sequence: { $exists: true } };

export function announcementsStore(connection: Connection): AnnouncementsStore {
  const model = connection.model<AnnouncementRow>("Announcement", announcementSchema);
  const findRow = batchedFind(model, READ_PROJECTION, ROWS_AT_ONCE);
  const findRowForDispatch = batchedFind(model, READ_PROJECTION, ROWS_AT_ONCE);

  async function readWith(read: typeof findRow, guildId: GuildId, id: string): Promise<Announcement | null> {
    const row = await read({ _id: id, guildId });
    // A tombstone has no sequence.
    if (row?.sequence === undefined) return null;
    return { ...announcementOf(row, guildId), ...changedByField(row) };
  }

  /** Concurrent creates of a guild share one read. */
  const slotsInUse = batched<GuildId, readonly number[]>(
    (guildIds) => {
      const reads = new Map(
        [...new Set(guildIds)].map((guildId) => [guildId, usedSlots(model, guildId).catch(asError)]),
      );
      return Promise.all(guildIds.map((guildId) => reads.get(guildId) as Promise<readonly number[] | Error>));
    },
    { maxSize: MAX_GUILDS_AT_ONCE, slotTimeoutMs: READ_SLOT_TIMEOUT_MS },
  );

  return {
    async insert({ id: _id, ...draft }) {
      const stored = await optimisticWrite({
        load: () => slotsInUse(draft.guildId),
        decide: (used) => pickSlot(freeSlots(used), Math.random()) ?? refuse("TOO_MANY_ANNOUNCEMENTS"),
        save(slot) {
          const row = { _id, ...draft, slot };
          return saveRevision(model, row, stampedNewRecord(row, ["standsSince", "sequence"]));
        },
        findEarlierAttempt: async () => (await wasCreated(model, { _id, guildId: draft.guildId })) || undefined,
      });
      return isRefusal(stored) ? stored : undefined;
    },

    wasCreated: (guildId, _id) => wasCreated(model, { _id, guildId }),

    revisionWritten: (guildId, _id) => revisionWritten(model, { _id, guildId }),

    find: (guildId, id) => readWith(findRow, guildId, id),
    findForDispatch: (guildId, id) => readWith(findRowForDispatch, guildId, id),

    replace({ id, ...next }, restartsRule) {
      const row = { _id: id, ...next };
      const former = restartsRule || !next.enabled ? FORMER_RULE : unchangedFields("former");
      const computed = { ...former, ...reachedInstant("pauseEndedAt", "pausedUntil") };
      const replacement = restartsRule
        ? stampedReplacement(row, ["standsSince"], { ...unchangedFields("sequence", "slot"), ...computed })
        : stampedReplacement(row, [], { ...unchangedFields("sequence", "slot", "standsSince"), ...computed });
      return saveRevision(model, row, replacement);
    },

    remove({ id: _id, guildId, revision }) {
      const tombstone = { _id, guildId, revision: revision + 1 };
      return saveRevision(model, tombstone, stampedTombstone(tombstone, FORMER_RULE));
    },

    async removeOfEvent(guildId, eventId) {
      const filter = { guildId, ...EXISTING, $or: referencesTo(eventId) };
      const reference = await model.find(filter, { revision: 1 }).lean<Pick<AnnouncementRow, "_id" | "revision">[]>();
      if (reference.length === 0) return [];
      await rejectIfLate(
        model.updateMany(filter, [...TOMBSTONE_UPDATE, ...deadlineStages()], { updatePipeline: true }),
      );
      return reference.map(({ _id, revision }) => ({ guildId, id: _id as AnnouncementId, revision: revision + 1 }));
    },

    async list(guildId, limit) {
      const rows = await findRows<ListedRow>(model, listQuery(guildId, limit));
      return rows.map((row) => announcementOf(row, guildId));
    },

    async *listInPages(guildId, limit) {
      const read = { ...listQuery(guildId, limit), batchSize: PAGE_ROWS };
      for await (const rows of findPages<ListedRow>(model, read)) yield rows.map((row) => announcementOf(row, guildId));
    },

    async listIds(guildId) {
      const read = { filter: { guildId, ...EXISTING }, projection: { sequence: 1 } } as const;
      const rows = await findRows<Pick<AnnouncementRow, "_id" | "sequence">>(model, read);
      return rows.map(({ _id, sequence }) => ({ id: _id as AnnouncementId, createdAt: sequence.getTime() }));
    },

    async *listByIds(guildId, ids) {
      for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
        const some = ids.slice(at, at + ROWS_AT_ONCE);
        const filter = { _id: { $in: some }, guildId, ...EXISTING };
        const rows = await findRows<ListedRow>(model, { filter, projection: LIST_PROJECTION });
        const found = new Map(rows.map((row) => [row._id, announcementOf(row, guildId)]));
        yield some.flatMap((id) => found.get(id) ?? []);
      }
    },

    async listRules(guildId) {
      const rows = await model
        .find({ guildId, ...EXISTING }, RULE_PROJECTION)
        .sort({ sequence: 1 })
        .lean<RuleRow[]>();
      return rows.map(ruleOf);
    },

    listFormerRules: (guildId, after) => formerRules(model, guildId, after),

    async listAnnouncing(guildIds) {
      const guilds = { $in: [...guildIds] };
      const isAnnouncing = { guildId: guilds, enabled: true };
      const recently = new Date(Date.now() - TOMBSTONE_DAYS * DAY_MS);
      const wasAnnouncing = { "former.guildId": guilds, "former.until": { $gt: recently } };
      return model.distinct("guildId", { $or: [isAnnouncing, wasAnnouncing] });
    },

    ...changeFeed(model),
  };
}

function listQuery(guildId: GuildId, limit: number) {
  return { filter: { guildId, ...EXISTING }, projection: LIST_PROJECTION, sort: { sequence: 1 }, limit } as const;
}

function ruleOf(row: RuleRow): AnnouncementRule {
  const { offsets, digest, onChange, cleanUp, pausedUntil, pauseEndedAt, skipOn } = row;
  return complete<Omit<AnnouncementRule, "until">>()({
    id: row._id as AnnouncementId,
    channel: row.channel,
    type: row.type,
    eventId: row.eventId,
    eventColor: row.eventColor,
    hours: row.hours,
    minutes: row.minutes,
    ...definedFields({ offsets, digest, onChange, cleanUp, pausedUntil, pauseEndedAt, skipOn }),
    enabled: row.enabled,
    revision: row.revision,
    standsSince: row.standsSince.getTime(),
  });
}

/** Copies field by field: an object rest took a tenth of the time of a list. */
export function announcementOf(row: ListedRow, guildId: GuildId): Announcement {
  return complete<Omit<Announcement, keyof Changed>>()({
    id: row._id as AnnouncementId,
    guildId,
    channel: row.channel,
    type: row.type,
    eventId: row.eventId,
    eventColor: row.eventColor,
    hours: row.hours,
    minutes: row.minutes,
    ...(row.offsets === undefined ? undefined : { offsets: row.offsets }),
    ...(row.digest === undefined ? undefined : { digest: row.digest }),
    info: row.info,
    ...(row.template === undefined ? undefined : { template: row.template }),
    ...(row.onChange === undefined ? undefined : { onChange: row.onChange }),
    ...(row.cleanUp === undefined ? undefined : { cleanUp: row.cleanUp }),
    ...(row.pausedUntil === undefined ? undefined : { pausedUntil: row.pausedUntil }),
    ...(row.pauseEndedAt === undefined ? undefined : { pauseEndedAt: row.pauseEndedAt }),
    ...(row.skipOn === undefined ? undefined : { skipOn: row.skipOn }),
    enabled: row.enabled,
    infoOnly: row.infoOnly,
    subscribersRole: row.subscribersRole,
    subscribersUser: row.subscribersUser,
    revision: row.revision,
    standsSince: row.standsSince.getTime(),
  });
}

/** The slots in use of the guild; the query reads only the index. */
function usedSlots(model: Model<AnnouncementRow>, guildId: GuildId): Promise<number[]> {
  return model.distinct("slot", { guildId, slot: { $gte: 0 } });
}

/** Occurrence ids begin with the id of their series (D12). */
function referencesTo(eventId: string): object[] {
  return [{ eventId }, { eventId: { $gte: `${eventId}_`, $lt: `${eventId}\`` } }];
}

/** Replaces each row by a tombstone with the next revision. */
const TOMBSTONE_UPDATE = [
  { $project: { guildId: 1, revision: { $add: ["$revision", 1] }, writes: 1, ...FORMER_RULE } },
  { $set: { changedAt: "$$NOW", deletedAt: "$$NOW" } },
];

/** Returns the failure as a value: the failure of one guild must not fail the creates of others. */
function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
