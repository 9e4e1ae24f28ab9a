import type { ClientSession, Connection } from "mongoose";
import {
  changesSince,
  unchangedFields,
  saveRevision,
  stampedNewRecord,
  stampedReplacement,
  stampedTombstone,
} from "../../../mixins/mongo/change-feed.ts";
import { revisionWritten, wasCreated } from "../../../mixins/mongo/recent-writes.ts";
import { batchedInsert } from "../../../mixins/mongo/batched-insert.ts";
import { distinctInSnapshot } from "../../../mixins/mongo/find-command.ts";
import { inTransaction } from "../../../mixins/mongo/transaction.ts";
import { deadlineStages, rejectIfLate } from "../../../mixins/mongo/write-context.ts";
import type { ChangesSinceParams, ChangesSinceResult } from "../../contracts/change-feed.contract.ts";
import type { EpochMs, EventId, GuildId } from "../../contracts/ids.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import {
  documentOf,
  type EventDocument,
  eventSchema,
  type AnyRow,
  overrideDocumentOf,
} from "./calendar-event.document.ts";
import type { ChangedEvent } from "../domain/event/change-event.ts";
import type { CalendarEvent, StoredEvent } from "../domain/event/event.ts";
import type { Refusal } from "../../contracts/errors.ts";
import type { ChangedOverride } from "../domain/event/change-occurrence.ts";
import { eventQuota } from "../limits/event-quota.ts";
import { FORMER_EVENT, formerOccurrence, type FormerEvent, formerEvents } from "./former-events.store.ts";
import { type EventReads, eventReads } from "./event-reads.store.ts";

export interface CalendarEventsStore extends EventReads {
  /** Reads of the moment of the first of them: what is written after it is not seen. */
  snapshotReads(): EventReads;
  /** The numbers of the guild's calendars that hold anything, and reads of that very moment. */
  calendarsInSnapshot(guildId: GuildId): Promise<{ numbers: readonly number[]; reads: EventReads }>;
  /** Stores a new event, unless the guild may not hold it; false when another has its id. */
  insert(event: CalendarEvent): Promise<boolean | Refusal>;
  /**
   * Stores the next revision; false when another write came between. Where single occurrences were changed, those with
   * the original starts in `keep` stay so, and the others are forgotten (D19).
   */
  replace(next: ChangedEvent, keep: readonly EpochMs[] | "all"): Promise<boolean>;
  /**
   * Stores what one occurrence has of its own, as a write of its series, which has the next revision; it was as `before`.
   * False when another write came between. Refused where it has nothing of its own yet, and the guild may not hold it.
   */
  saveOverride(series: CalendarEvent, next: ChangedOverride, before: Occurrence): Promise<boolean | Refusal>;
  remove(event: StoredEvent): Promise<boolean>;
  /** What was moved, recoloured or removed after an instant, as it was before; the latest first. */
  formerEvents(guildId: GuildId, after: EpochMs): Promise<FormerEvent[]>;
  /** Whether another try of the write that is being made has stored the new event. */
  wasCreated(event: Pick<CalendarEvent, "id" | "guildId">): Promise<boolean>;
  /** The revision that another try of the write that is being made has stored of the event; undefined where none has. */
  revisionWritten(guildId: GuildId, eventId: EventId): Promise<number | undefined>;
  changesSince(params: ChangesSinceParams): Promise<ChangesSinceResult>;
}

/** Tombstones have none. */
const ANY_CALENDAR = { $gt: 0 } as const;

/** The store of a guild's events, of which it may hold so many at most. */
export function calendarEventsStore(connection: Connection, eventsPerGuild: number): CalendarEventsStore {
  const model = connection.model<AnyRow>("CalendarEvent", eventSchema);
  const insertNew = batchedInsert(model);
  const quota = eventQuota(eventsPerGuild, countStored, () => performance.now());

  /** Events, and occurrences that have something of their own. The index alone answers it. */
  function countStored(guildId: GuildId): Promise<number> {
    return model.countDocuments({ guildId, calendarNumber: ANY_CALENDAR });
  }

  /** Saves one more of what the guild holds, unless it may not. */
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

  /** Does both, or neither when another write came between. The save is last: the database holds it to the deadline. */
  function inOneTransaction(
    first: (session: ClientSession) => Promise<unknown>,
    save: (session: ClientSession) => Promise<boolean>,
  ): Promise<boolean> {
    return inTransaction(connection, async (session) => {
      await first(session);
      const saved = await save(session);
      if (!saved) await session.abortTransaction();
      return saved;
    });
  }

  /** Saves the series and forgets its changed occurrences but those with the original starts in `keep`. */
  async function saveAndDeleteOverrides(
    { _id, guildId }: Pick<EventDocument, "_id" | "guildId">,
    keep: readonly EpochMs[],
    save: (session: ClientSession) => Promise<boolean>,
  ): Promise<boolean> {
    let deleted = 0;
    const saved = await inOneTransaction(async (session) => {
      const others = { eventId: _id, original: { $nin: keep } };
      deleted = (await model.deleteMany(others as never, { session })).deletedCount;
    }, save);
    if (saved) quota.release(guildId, deleted);
    return saved;
  }

  return {
    ...eventReads(model),

    snapshotReads: () => eventReads(model, {}),

    async calendarsInSnapshot(guildId) {
      const held = { guildId, calendarNumber: ANY_CALENDAR };
      const { values, at } = await distinctInSnapshot(model, "calendarNumber", held);
      return { numbers: values as number[], reads: eventReads(model, { at }) };
    },

    insert(event) {
      const row = documentOf(event);
      const replacement = stampedNewRecord(row, ["scheduledAt", "coloredAt"]);
      return withinQuota(event.guildId, () => insertNew({ record: row, replacement }));
    },

    replace({ event, rescheduled, recolored }, keep) {
      const row = documentOf(event);
      const replacement = replacementOf(row, { rescheduled, recolored });
      if (keep === "all") return saveRevision(model, row, replacement);
      return saveAndDeleteOverrides(row, keep, (session) => saveRevision(model, row, replacement, session));
    },

    async saveOverride(series, { override, ...changed }, before) {
      const row = documentOf(series);
      const own = overrideDocumentOf(series, override);
      const save = () =>
        inOneTransaction(
          (session) => {
            const [now, computedFields] = stampsOf(changed);
            const isFormer = override.cancelled || changed.rescheduled || changed.recolored;
            const formerEvents = isFormer ? formerOccurrence(series.guildId, before) : unchangedFields("former");
            const replacement = untrackedReplacement(
              stampedReplacement(own, now, { ...computedFields, ...formerEvents }),
            );
            const update = [...replacement, ...deadlineStages()];
            return rejectIfLate(
              model.updateOne({ _id: own._id }, update, { updatePipeline: true, upsert: true, session }),
            );
          },
          (session) => saveRevision(model, row, replacementOf(row, {}), session),
        );
      const isCounted = (await model.exists({ _id: own._id })) !== null;
      return isCounted ? save() : withinQuota(series.guildId, save);
    },

    async remove({ id: _id, guildId, revision, recurring }) {
      const tombstone = { _id, guildId, revision: revision + 1 };
      const saveTombstone = (session?: ClientSession) =>
        saveRevision(model, tombstone, stampedTombstone(tombstone, FORMER_EVENT), session);
      const removed = await (recurring?.hasOverrides === true
        ? saveAndDeleteOverrides(tombstone, [], saveTombstone)
        : saveTombstone());
      if (removed) quota.release(guildId);
      return removed;
    },

    formerEvents: (guildId, after) => formerEvents(model, guildId, after),

    wasCreated: ({ id: _id, guildId }) => wasCreated(model, { _id, guildId }),

    revisionWritten: (guildId, _id) => revisionWritten(model, { _id, guildId }),

    changesSince: (params) => changesSince(model, params),
  };
}

interface ChangedFields {
  readonly rescheduled?: boolean;
  readonly recolored?: boolean;
}

/** The next revision of an event; with another start, rule or colour what it was before stays beside it. */
function replacementOf(row: EventDocument, changed: ChangedFields): ReturnType<typeof stampedReplacement> {
  const [now, computedFields] = stampsOf(changed);
  const isFormer = changed.rescheduled === true || changed.recolored === true;
  return stampedReplacement(row, now, {
    ...computedFields,
    ...(isFormer ? FORMER_EVENT : unchangedFields("former")),
  });
}

/** Which of the stamps are set anew, and which stay. */
function stampsOf(changed: ChangedFields): [now: string[], unchangedFields: Record<string, string>] {
  const { rescheduled = false, recolored = false } = changed;
  const stamps = [
    ["scheduledAt", rescheduled],
    ["coloredAt", recolored],
  ] as const;
  const named = (wanted: boolean) => stamps.filter(([, changed]) => changed === wanted).map(([field]) => field);
  return [named(true), unchangedFields(...named(false))];
}

/** An override is no record of its own in the feed: its series is. */
function untrackedReplacement(replacement: ReturnType<typeof stampedReplacement>): object[] {
  return [...replacement, { $unset: "changedAt" }];
}
