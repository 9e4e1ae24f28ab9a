import type { ClientSession, Connection, Model } from "mongoose";
import { changesSince, saveRevision, stampedReplacement, stampedTombstone } from "../../mixins/change-feed.ts";
import type { ChangesSinceParams, ChangesSinceResult } from "../contracts/change-feed.contract.ts";
import type { EpochMs, EventId } from "../contracts/ids.ts";
import { documentOf, eventSchema, type AnyRow, overrideDocumentOf } from "./calendar-event.document.ts";
import type { ChangedEvent } from "./domain/change-event.ts";
import type { CalendarEvent, StoredEvent } from "./domain/event.ts";
import type { ChangedOverride } from "./domain/override.ts";
import { type EventReads, eventReads } from "./event-reads.store.ts";

export interface CalendarEventsStore extends EventReads {
  /** Several reads of one moment: what is written between them is not seen. */
  atOnce<T>(work: (reads: EventReads) => Promise<T>): Promise<T>;
  insert(event: CalendarEvent): Promise<boolean>;
  /**
   * Stores the next revision; false when another write came between. Where single occurrences were changed, those
   * with the original starts in `keep` stay so, and the others are forgotten (D19).
   */
  replace(next: ChangedEvent, keep: readonly EpochMs[] | "all"): Promise<boolean>;
  /** Stores what one occurrence has of its own, as a write of its series; `series` has the next revision. */
  saveOverride(series: CalendarEvent, next: ChangedOverride): Promise<boolean>;
  remove(event: StoredEvent): Promise<boolean>;
  changesSince(params: ChangesSinceParams): Promise<ChangesSinceResult>;
}

export function calendarEventsStore(connection: Connection): CalendarEventsStore {
  const model = connection.model<AnyRow>("CalendarEvent", eventSchema);

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
      return saveRevision(model, row, stampedReplacement(row, ["scheduledAt", "coloredAt"]));
    },

    replace({ event, rescheduled, recolored }, keep) {
      const row = documentOf(event);
      const replacement = stampedReplacement(row, ...stampsOf({ rescheduled, recolored }));
      if (keep === "all") return saveRevision(model, row, replacement);
      return together(
        (session) => saveRevision(model, row, replacement, session),
        (session) => forgetOverrides(model, event.id, keep, session),
      );
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
      const bury = (session?: ClientSession) => saveRevision(model, tombstone, stampedTombstone(tombstone), session);
      if (recurring?.hasOverrides !== true) return bury();
      return together(bury, (session) => forgetOverrides(model, _id, [], session));
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
