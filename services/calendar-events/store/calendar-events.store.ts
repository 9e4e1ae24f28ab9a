import type { ClientSession, Connection } from "mongoose";
import {
  type ChangeFeed,
  changeFeed,
  unchangedFields,
  saveRevision,
  stampedNewRecord,
  stampedReplacement,
  stampedTombstone,
} from "../../../mixins/mongo/change-feed.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import { revisionWritten, wasCreated } from "../../../mixins/mongo/recent-writes.ts";
import { batchedInsert } from "../../../mixins/mongo/batched-insert.ts";
import { distinctInSnapshot } from "../../../mixins/mongo/snapshot-reads.ts";
import { inTransaction } from "../../../mixins/mongo/transaction.ts";
import { deadlineStages, rejectIfLate } from "../../../mixins/mongo/write-context.ts";
import { TOMBSTONE_DAYS } from "../../contracts/change-feed.contract.ts";
import type { EpochMs, EventId, GuildId } from "../../contracts/ids.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import {
  documentOf,
  type EventDocument,
  eventSchema,
  type AnyRow,
  overrideDocumentOf,
  type OverrideRow,
} from "./calendar-event.document.ts";
import { occurrenceId } from "../domain/event/occurrence-id.ts";
import type { ChangedEvent } from "../domain/event/change-event.ts";
import type { CalendarEvent, StoredEvent } from "../domain/event/event.ts";
import type { Refusal } from "../../contracts/errors.ts";
import type { ChangedOverride } from "../domain/event/change-occurrence.ts";
import { eventQuota } from "../limits/event-quota.ts";
import {
  formerEvent,
  formerOccurrence,
  type FormerEvent,
  type SeriesKey,
  formerEvents,
  readFormerOverrides,
} from "./former-events.store.ts";
import { type EventReads, eventReads } from "./event-reads.store.ts";
import { areWithoutOverrides } from "./event-rows.ts";
import { newPart, replacementOf, timestampsOf, untrackedReplacement } from "./event-updates.ts";

export interface CalendarEventsStore extends EventReads, ChangeFeed {
  /** Reads in one snapshot, at the time of the first of them. */
  snapshotReads(): EventReads;
  /** As `snapshotReads`, for the reads of a list: of its first rows, overrides are read if there are any. */
  listReads(): EventReads;
  /** The numbers of the guild's calendars that have events, and reads in the same snapshot. */
  calendarsInSnapshot(guildId: GuildId): Promise<{ numbers: readonly number[]; reads: EventReads }>;
  /** The number of events and overrides of the guild. */
  countStored(guildId: GuildId): Promise<number>;
  /** The number of further events and overrides that the guild may have. */
  room(guildId: GuildId): Promise<number>;
  /** Stores a new event, unless another attempt of the write has. Refuses if the guild has reached its limit. */
  insert(event: CalendarEvent): Promise<boolean | Refusal>;
  /**
   * Stores the next revision; false if another write was stored in the meantime. Overrides whose original starts are
   * not in `keep` are deleted (D19).
   *
   * @param hadOverrides - Whether the revision before had overrides.
   */
  replace(next: ChangedEvent, keep: readonly EpochMs[] | "all", hadOverrides?: boolean): Promise<boolean>;
  /**
   * Stores the override of one occurrence, in a write of its series, which has the next revision. `before` is the
   * occurrence before the change. False if another write was stored in the meantime. Refuses if the override is new
   * and the guild has reached its limit.
   */
  saveOverride(series: CalendarEvent, next: ChangedOverride, before: Occurrence): Promise<boolean | Refusal>;
  /**
   * Stores the next revision of a series that ends before an occurrence, and the new series that begins with it, in one
   * transaction. The overrides from the occurrence on become those of the new series. False if another write was stored in
   * the meantime. Refuses if the guild has reached its limit.
   */
  split(parts: SplitWrite): Promise<boolean | Refusal>;
  /** Replaces the event by a tombstone, and deletes its overrides; false if another write was stored in the meantime. */
  remove(event: StoredEvent): Promise<boolean>;
  /** The former states of events that were moved, recolored or removed after an instant; the latest first. */
  formerEvents(guildId: GuildId, after: EpochMs): Promise<FormerEvent[]>;
  /** Whether another attempt of the current write has stored the new event. */
  wasCreated(event: Pick<CalendarEvent, "id" | "guildId">): Promise<boolean>;
  /** The revision that another attempt of the current write has stored; undefined if none has. */
  revisionWritten(guildId: GuildId, eventId: EventId): Promise<number | undefined>;
}

const DAY_MS = 86_400_000;
/** The parts of a series that is split (D51). */
export interface SplitWrite {
  readonly before: CalendarEvent;
  readonly following: ChangedEvent;
  /** The series as it was; the new one keeps the times of its start and color unless these have changed. */
  readonly stored: StoredEvent;
  /** Original start of the occurrence. */
  readonly from: EpochMs;
  /** The original starts from there on whose overrides the new series has; the others are deleted. */
  readonly keep: readonly EpochMs[];
}

/** Excludes tombstones, which have no calendar number. */
const ANY_CALENDAR = { $gt: 0 } as const;

/** The store of the events; a guild may have `eventsPerGuild` of them. */
export function calendarEventsStore(connection: Connection, eventsPerGuild: number): CalendarEventsStore {
  const model = connection.model<AnyRow>("CalendarEvent", eventSchema);
  const insertNew = batchedInsert(model);
  const quota = eventQuota(eventsPerGuild, countStored, () => performance.now());

  /** Counts events and overrides. The query reads only the index. */
  function countStored(guildId: GuildId): Promise<number> {
    return model.countDocuments({ guildId, calendarNumber: ANY_CALENDAR });
  }

  /** Saves an event or override if the guild has not reached its limit. */
  async function withinQuota(guildId: GuildId, save: () => Promise<boolean>): Promise<boolean | Refusal> {
    const refusal = await quota.reserve(guildId);
    if (refusal !== undefined) return refusal;
    const saved = await save().catch((error: unknown) => {
      quota.release(guildId);
      throw error;
    });
    if (!saved) quota.release(guildId);
    return saved;
  }

  /**
   * Runs both in one transaction; nothing is stored if the first resolves with false. The save is last, because the
   * database checks its deadline.
   */
  function inOneTransaction(
    first: (session: ClientSession) => Promise<unknown>,
    save: (session: ClientSession) => Promise<boolean>,
  ): Promise<boolean> {
    return inTransaction(connection, async (session) => {
      const saved = (await first(session)) !== false && (await save(session));
      if (!saved) await session.abortTransaction();
      return saved;
    });
  }

  /** Saves the series, and deletes its overrides except those with the original starts in `keep`. */
  async function saveAndDeleteOverrides(
    { _id, guildId }: Pick<EventDocument, "_id" | "guildId">,
    keep: readonly EpochMs[],
    save: (session: ClientSession) => Promise<boolean>,
  ): Promise<boolean> {
    let deleted = 0;
    const saved = await inOneTransaction(async (session) => {
      const others = { guildId, eventId: _id, original: { $nin: keep } };
      deleted = (await model.deleteMany(others as never, { session })).deletedCount;
    }, save);
    if (saved) quota.release(guildId, deleted);
    return saved;
  }

  /** Dispatch reads the former occurrences of no earlier time than that of the oldest tombstone. */
  async function formerEventOf(of: SeriesKey, hadOverrides: boolean): Promise<ReturnType<typeof formerEvent>> {
    if (!hadOverrides) return formerEvent();
    return formerEvent(await readFormerOverrides(model, of, Date.now() - TOMBSTONE_DAYS * DAY_MS));
  }

  /** Gives the overrides from an occurrence on to another series. Resolves with the number of those that are deleted. */
  async function moveOverrides({ from, keep, of, to }: MovedOverrides, session: ClientSession): Promise<number> {
    const ofPart = { guildId: to.guildId, eventId: of, original: { $gte: from } } as never;
    const rows = await model.find(ofPart, null, { session }).lean<OverrideRow[]>();
    if (rows.length === 0) return 0;
    const kept = new Set(keep);
    const moved = rows.filter(({ original }) => kept.has(original)).map((row) => overrideRowOf(row, to));
    await model.deleteMany(ofPart, { session });
    await model.insertMany(moved as never[], { session, lean: true });
    return rows.length - moved.length;
  }

  return {
    ...eventReads(model),

    countStored,
    room: (guildId) => quota.room(guildId),

    snapshotReads: () => eventReads(model, {}),
    listReads: () => eventReads(model, { isAlone: areWithoutOverrides }),

    async calendarsInSnapshot(guildId) {
      const held = { guildId, calendarNumber: ANY_CALENDAR };
      const { values, at } = await distinctInSnapshot(model, "calendarNumber", held);
      return { numbers: values as number[], reads: eventReads(model, { at }) };
    },

    insert(event) {
      const row = documentOf(event);
      const replacement = stampedNewRecord(row, ["scheduledAt", "coloredAt", "createdAt"]);
      return withinQuota(event.guildId, () => insertNew({ record: row, replacement }).then(() => true));
    },

    async replace({ event, ...changed }, keep, hadOverrides = false) {
      const row = documentOf(event);
      const storesFormer = [changed.rescheduled, changed.recolored, changed.endChanged, changed.isShortened].includes(
        true,
      );
      const former = storesFormer ? await formerEventOf(event, hadOverrides) : undefined;
      const replacement = replacementOf(row, changed, former);
      if (keep === "all") return saveRevision(model, row, replacement);
      return saveAndDeleteOverrides(row, keep, (session) => saveRevision(model, row, replacement, session));
    },

    async saveOverride(series, { override, ...changed }, before) {
      const row = documentOf(series);
      const overrideRow = overrideDocumentOf(series, override);
      const key = { _id: overrideRow._id, guildId: series.guildId };
      const save = () =>
        inOneTransaction(
          (session) => {
            const [timeFields, unchanged] = timestampsOf(changed);
            const storesFormer = override.cancelled || changed.rescheduled || changed.recolored || changed.endChanged;
            const former = storesFormer ? formerOccurrence(series.guildId, before) : unchangedFields("former");
            const replacement = untrackedReplacement(
              stampedReplacement(overrideRow, timeFields, { ...unchanged, ...former }),
            );
            const update = [...replacement, ...deadlineStages()];
            return rejectIfLate(model.updateOne(key, update, { updatePipeline: true, upsert: true, session }));
          },
          (session) => saveRevision(model, row, replacementOf(row, {}), session),
        );
      const isCounted = (await model.exists(key)) !== null;
      return isCounted ? save() : withinQuota(series.guildId, save);
    },

    async split({ before, following, stored, from, keep }) {
      const row = documentOf(before);
      let deleted = 0;
      const save = () =>
        inOneTransaction(
          async (session) => {
            const part = documentOf(following.event);
            if (!(await saveRevision(model, part, newPart(part, following, stored), session))) return false;
            deleted = await moveOverrides({ from, keep, of: stored.id, to: following.event }, session);
            return true;
          },
          (session) => saveRevision(model, row, replacementOf(row, {}), session),
        );
      const saved = await withinQuota(before.guildId, save);
      if (saved === true) quota.release(before.guildId, deleted);
      return saved;
    },

    async remove({ id: _id, guildId, revision, recurring }) {
      const tombstone = { _id, guildId, revision: revision + 1 };
      const hadOverrides = recurring?.hasOverrides === true;
      const former = await formerEventOf({ id: _id, guildId }, hadOverrides);
      const saveTombstone = (session?: ClientSession) =>
        saveRevision(model, tombstone, stampedTombstone(tombstone, former), session);
      const removed = await (hadOverrides ? saveAndDeleteOverrides(tombstone, [], saveTombstone) : saveTombstone());
      if (removed) quota.release(guildId);
      return removed;
    },

    formerEvents: (guildId, after) => formerEvents(model, guildId, after),

    wasCreated: ({ id: _id, guildId }) => wasCreated(model, { _id, guildId }),

    revisionWritten: (guildId, _id) => revisionWritten(model, { _id, guildId }),

    ...changeFeed(model, ["startsAt"]),
  };
}

interface MovedOverrides extends Pick<SplitWrite, "from" | "keep"> {
  readonly of: EventId;
  readonly to: CalendarEvent;
}

/** The row of an override as one of another series. Its former state, if any, has the series' id, too. */
function overrideRowOf(row: OverrideRow & { readonly former?: object }, { id, follows }: CalendarEvent): OverrideRow {
  const { former } = row;
  return {
    ...row,
    _id: occurrenceId(id, row.original),
    eventId: id,
    ...(former === undefined ? {} : { former: { ...former, eventId: id, ...definedFields({ follows }) } }),
  };
}
