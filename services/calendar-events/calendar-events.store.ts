import type { ClientSession, Connection, Model } from "mongoose";
import { changesSince, saveRevision, stampedReplacement, stampedTombstone } from "../../mixins/change-feed.ts";
import type { ChangesSinceParams, ChangesSinceResult } from "../contracts/change-feed.contract.ts";
import type { EpochMs, EventId } from "../contracts/ids.ts";
import { documentOf, eventSchema, type AnyRow, overrideDocumentOf } from "./calendar-event.document.ts";
import type { ChangedEvent } from "./domain/change-event.ts";
import type { CalendarEvent, StoredEvent } from "./domain/event.ts";
import type { Refusal } from "../contracts/errors.ts";
import type { ChangedOverride } from "./domain/override.ts";
import { guildLimits } from "./guild-limits.store.ts";
import { type EventReads, eventReads } from "./event-reads.store.ts";

export interface CalendarEventsStore extends EventReads {
  /** Several reads of one moment: what is written between them is not seen. */
  atOnce<T>(work: (reads: EventReads) => Promise<T>): Promise<T>;
  /** Stores a new event, unless the guild may not hold it; false when another has its id. */
  insert(event: CalendarEvent): Promise<boolean | Refusal>;
  /**
   * Stores the revision after `stored`, unless the guild may not hold a series of its kind; false when another write
   * came between. Where single occurrences were changed, those
   * with the original starts in `keep` stay so, and the others are forgotten (D19).
   */
  replace(next: ChangedEvent, keep: readonly EpochMs[] | "all", stored: StoredEvent): Promise<boolean | Refusal>;
  /** Stores what one occurrence has of its own, as a write of its series; `series` has the next revision. */
  saveOverride(series: CalendarEvent, next: ChangedOverride): Promise<boolean>;
  remove(event: StoredEvent): Promise<boolean>;
  changesSince(params: ChangesSinceParams): Promise<ChangesSinceResult>;
}

/** The store of a guild's events, of which it may hold so many at most. */
export function calendarEventsStore(connection: Connection, eventsPerGuild: number): CalendarEventsStore {
  const model = connection.model<AnyRow>("CalendarEvent", eventSchema);
  const limits = guildLimits(connection, model, eventsPerGuild);

  /** Does both, or neither when another write came between. */
  function together(first: (session: ClientSession) => Promise<boolean>, then: (session: ClientSession) => unknown) {
    return connection.transaction(async (session) => {
      const saved = await first(session);
      if (saved) await then(session);
      return saved;
    });
  }

  return {
    ...eventReads(model),

    async atOnce(work) {
      const session = await connection.startSession({ snapshot: true });
      try {
        return await work(eventReads(model, session));
      } finally {
        await session.endSession();
      }
    },

    insert(event) {
      const row = documentOf(event);
      return connection.transaction(async (session) => {
        const refusal = await limits.admit(row, session);
        if (refusal !== undefined) return refusal;
        const saved = await saveRevision(model, row, stampedReplacement(row, ["scheduledAt", "coloredAt"]), session);
        if (!saved) await session.abortTransaction();
        return saved;
      });
    },

    replace({ event, rescheduled, recolored }, keep, stored) {
      const row = documentOf(event);
      const replacement = stampedReplacement(row, ...stampsOf({ rescheduled, recolored }));
      const isOfNewKind = row.recurrence !== undefined && row.lane !== documentOf(stored).lane;
      if (keep === "all" && !isOfNewKind) return saveRevision(model, row, replacement);
      return connection.transaction(async (session) => {
        const refusal = isOfNewKind ? await limits.admitKind(row, session) : undefined;
        if (refusal !== undefined) return refusal;
        const saved = await saveRevision(model, row, replacement, session);
        if (saved && keep !== "all") await forgetOverrides(model, event.id, keep, session);
        return saved;
      });
    },

    saveOverride(series, { override, ...isNew }) {
      const row = documentOf(series);
      const own = overrideDocumentOf(series, override);
      return together(
        (session) => saveRevision(model, row, stampedReplacement(row, ...stampsOf({})), session),
        (session) =>
          model.updateOne({ _id: own._id }, withoutFeed(stampedReplacement(own, ...stampsOf(isNew))), {
            upsert: true,
            updatePipeline: true,
            session,
          }),
      );
    },

    remove({ id: _id, guildId, revision, recurring }) {
      const tombstone = { _id, guildId, revision: revision + 1 };
      return together(
        (session) => saveRevision(model, tombstone, stampedTombstone(tombstone), session),
        async (session) => {
          if (recurring?.hasOverrides === true) await forgetOverrides(model, _id, [], session);
          await limits.release(guildId, session);
        },
      );
    },

    changesSince: (params) => changesSince(model, params),
  };
}

/** Which of the stamps are set anew, and which stay. */
function stampsOf(isNew: { rescheduled?: boolean; recolored?: boolean }): [now: string[], kept: string[]] {
  const { rescheduled = false, recolored = false } = isNew;
  const stamps = [
    ["scheduledAt", rescheduled],
    ["coloredAt", recolored],
  ] as const;
  const named = (wanted: boolean) => stamps.filter(([, changed]) => changed === wanted).map(([field]) => field);
  return [named(true), named(false)];
}

/** An override is no record of its own in the feed: its series is. */
function withoutFeed(replacement: ReturnType<typeof stampedReplacement>): object[] {
  return [...replacement, { $unset: "changedAt" }];
}

async function forgetOverrides(
  model: Model<AnyRow>,
  eventId: EventId,
  keep: readonly EpochMs[],
  session: ClientSession,
): Promise<void> {
  await model.deleteMany({ eventId, original: { $nin: keep } } as never, { session });
}
