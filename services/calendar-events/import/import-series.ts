import { optimisticWrite } from "../../../mixins/mongo/optimistic-write.ts";
import { bytesFromWriteId, newWriteId, timeOfWriteId } from "../../../mixins/mongo/write-id.ts";
import type { ImportedOutcome, SkipReason } from "../../contracts/event-import.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import type { EpochMs, EventId } from "../../contracts/ids.ts";
import { type Calendar, clockFor } from "../domain/calendar/calendar.ts";
import type { StoredEvent } from "../domain/event/event.ts";
import { ID_RANDOM_BYTES, newEventId } from "../domain/event/event-id.ts";
import { type AppliedEvent, applyEvent, type StoredState } from "../domain/import/apply-event.ts";
import type { ImportedEvent } from "../domain/import/imported-event.ts";
import type { OccurrenceKey } from "../domain/import/imported-instant.ts";
import { withValidOverrides } from "../series-revision.ts";
import { cancelledFields, importOccurrence } from "./import-occurrence.ts";
import { type ImportTarget, skipped, skippedBy } from "./import-target.ts";
import { asOwnWrite } from "./own-write.ts";

/** A VEVENT of a UID. */
export interface ImportedMember {
  /** Its place in the call. */
  readonly at: number;
  readonly imported: ImportedEvent;
  /** The occurrence that it is about; undefined for the event itself. */
  readonly occurrence: OccurrenceKey | undefined;
  /** Whether its series is in the file. */
  readonly isOfSeries: boolean;
  /** Whether its UID is that of a part of a series of this calendar. */
  readonly isPart: boolean;
}

/** The VEVENTs of one UID, the event itself first, and the stored event. */
export interface ImportedGroup {
  readonly members: readonly ImportedMember[];
  readonly stored: StoredEvent | undefined;
  /** Whether the UID is the id of an event of this calendar, as in our own feed. */
  readonly isOwn: boolean;
  /** Whether the event is gone, and a series that was split from it is left. */
  readonly isFollowed: boolean;
}

/** Calls `settle` with the outcome of each VEVENT of the group, until the time is over. */
export async function importGroup(
  target: ImportTarget,
  { members, stored, isOwn, isFollowed }: ImportedGroup,
  settle: (at: number, outcome: ImportedOutcome) => void,
): Promise<void> {
  let event = stored;
  const isInParts = isOwn && event !== undefined && hasParts(event, target.calendar);
  const kept = members.flatMap(({ occurrence, imported }) => (imported.isCancelled ? [] : (occurrence ?? [])));
  for (const { at, imported, occurrence, isOfSeries, isPart } of members) {
    if (target.isOver()) return;
    if (isInParts || isPart) settle(at, skipped("OWN_SERIES"));
    else if (isFollowed && !target.isMirror) settle(at, skipped("SPLIT_SERIES"));
    else if (occurrence !== undefined) settle(at, await importMember(target, event, occurrence, imported, isOfSeries));
    else if (imported.isCancelled) {
      settle(at, await removeEvent(target, event));
      event = undefined;
    } else {
      const written = await importOne(target, event, imported, kept);
      if (written === undefined) return;
      event = written.event;
      settle(at, withId(target, written));
    }
  }
}

/** Whether our feed has the series in parts: one for each zone of its calendar, unless it has dates. */
function hasParts({ recurring, allDay }: StoredEvent, calendar: Calendar): boolean {
  return recurring !== undefined && allDay === undefined && clockFor(recurring.anchor, calendar).length > 1;
}

async function importMember(
  target: ImportTarget,
  series: StoredEvent | undefined,
  occurrence: OccurrenceKey,
  imported: ImportedEvent,
  isOfSeries: boolean,
): Promise<ImportedOutcome> {
  // A dry run has not stored the series of an earlier call.
  if (series === undefined && target.isDryRun && isOfSeries) return { outcome: "created" };
  if (series?.recurring === undefined) return skipped("NO_SERIES");
  const outcome = await importOccurrence(target, series, occurrence, imported);
  if (outcome.skipped === "UNKNOWN_OCCURRENCE" && (await isSplit(target, series))) return skipped("SPLIT_SERIES");
  return outcome.skipped === undefined ? withChanges(outcome, imported.changes) : outcome;
}

/** Whether an event was split (D51), so that its later occurrences are those of another series. */
async function isSplit({ store, isMirror }: ImportTarget, { guildId, id }: StoredEvent): Promise<boolean> {
  return !isMirror && (await store.following(guildId, [id])).length > 0;
}

/** STATUS:CANCELLED of the whole event. */
async function removeEvent(target: ImportTarget, stored: StoredEvent | undefined): Promise<ImportedOutcome> {
  const { store, isDryRun, onWritten } = target;
  if (stored === undefined) return skipped("CANCELLED");
  if (await isSplit(target, stored)) return skipped("SPLIT_SERIES");
  if (isDryRun) return { outcome: "deleted" };
  const removed = await asOwnWrite(() => store.remove(stored));
  if (!removed) return skipped("WRITE_CONFLICT");
  onWritten({ ...stored, revision: stored.revision + 1 });
  return { outcome: "deleted" };
}

interface Decision {
  readonly reason?: SkipReason;
  readonly applied?: AppliedEvent;
  readonly state?: StoredState | undefined;
  /** There was no turn for a costly decision: the VEVENT has no outcome in this call. */
  readonly isPostponed?: boolean;
}

/** Creates or updates an event; undefined if it, or its cancelled occurrences, were not completed in time. */
async function importOne(
  target: ImportTarget,
  stored: StoredEvent | undefined,
  imported: ImportedEvent,
  kept: readonly OccurrenceKey[],
): Promise<{ readonly event: StoredEvent | undefined; readonly outcome: ImportedOutcome } | undefined> {
  const { store, calendar, isDryRun, decisions, onWritten } = target;
  const id = stored?.id ?? freshId();

  async function load(): Promise<StoredState | undefined> {
    const found = stored === undefined ? undefined : (await store.find(stored.guildId, stored.id))?.event;
    if (found === undefined) return undefined;
    const cancelled =
      found.recurring?.hasOverrides === true ? await store.cancelledStarts(found.guildId, found.id) : [];
    return { event: found, cancelledSeconds: new Set(cancelled.map((start) => Math.floor(start / 1_000))) };
  }

  /** A new rule would give a series the occurrences that its later part has. */
  async function wouldRepeat({ applied, state }: Decision): Promise<boolean> {
    const isNewRule = state?.event.recurring !== undefined && applied?.next?.rescheduled === true;
    return isNewRule && (await isSplit(target, state.event));
  }

  function decide(state: StoredState | undefined): Decision {
    const newId = state === undefined && stored !== undefined ? freshId() : id;
    const applied = applyEvent(imported, newId, { calendar, stored: state, kept });
    return typeof applied === "string" ? { reason: applied } : { applied, state };
  }

  const written = await asOwnWrite(() =>
    optimisticWrite<StoredState | undefined, Decision>({
      load,
      async decide(state) {
        const decision = (await decisions.decide(imported, () => decide(state))) ?? { isPostponed: true };
        return (await wouldRepeat(decision)) ? { reason: "SPLIT_SERIES" } : decision;
      },
      async save({ applied, state }) {
        if (applied?.next === undefined || isDryRun) return true;
        if (state === undefined) return store.insert(applied.event);
        const { next, keep, hadOverrides } = await withValidOverrides(store, state.event, applied.next, calendar);
        return store.replace(next, keep, hadOverrides);
      },
    }),
  );
  if (isRefusal(written)) return { event: stored, outcome: skippedBy(written) };
  const { reason, applied, state, isPostponed } = written;
  if (isPostponed === true) return undefined;
  if (reason !== undefined || applied === undefined) {
    return { event: stored, outcome: skipped(reason ?? "WRITE_CONFLICT") };
  }
  if (applied.next !== undefined && !isDryRun) onWritten(applied.event);
  const event = { ...applied.event, scheduledAt: 0, coloredAt: 0 };
  if (!(await cancelOccurrences(target, event, imported, applied.cancelled))) return undefined;
  const isSame = applied.next === undefined && applied.cancelled.length === 0;
  const outcome = state === undefined ? "created" : isSame ? "unchanged" : "updated";
  return { event, outcome: withChanges({ outcome }, applied.changes) };
}

/** Cancels occurrences one by one; false if the time is over before. */
async function cancelOccurrences(
  target: ImportTarget,
  event: StoredEvent,
  imported: ImportedEvent,
  starts: readonly EpochMs[],
): Promise<boolean> {
  if (target.isDryRun) return true;
  for (const start of starts) {
    if (target.isOver()) return false;
    // Dates may have been set in a former zone.
    const key = imported.days === undefined ? { at: start } : { original: start };
    await importOccurrence(target, event, key, cancelledFields(imported));
  }
  return true;
}

/** The outcome with the id of the event, if it is stored. */
function withId(
  { isDryRun }: ImportTarget,
  { event, outcome }: { readonly event: StoredEvent | undefined; readonly outcome: ImportedOutcome },
): ImportedOutcome {
  const isNew = outcome.outcome === "created";
  return event === undefined || (isNew && isDryRun) ? outcome : { ...outcome, id: event.id };
}

function withChanges(outcome: ImportedOutcome, changes: ImportedOutcome["changes"] = []): ImportedOutcome {
  return changes.length === 0 ? outcome : { ...outcome, changes };
}

function freshId(): EventId {
  const writeId = newWriteId();
  return newEventId(timeOfWriteId(writeId), bytesFromWriteId(writeId, ID_RANDOM_BYTES));
}
