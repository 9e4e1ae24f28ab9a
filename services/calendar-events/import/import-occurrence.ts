import { optimisticWrite } from "../../../mixins/mongo/optimistic-write.ts";
import type { ImportedOutcome, SkipReason } from "../../contracts/event-import.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import { announcedOccurrence } from "../domain/event/effective-occurrence.ts";
import { seriesOf, type StoredEvent } from "../domain/event/event.ts";
import { occurrenceId } from "../domain/event/occurrence-id.ts";
import {
  type AppliedOccurrence,
  applyOccurrence,
  type OccurrenceFields,
  type StoredOccurrence,
} from "../domain/import/apply-occurrence.ts";
import type { ImportedEvent } from "../domain/import/imported-event.ts";
import { type OccurrenceKey, occurrenceOf } from "../domain/import/imported-instant.ts";
import { changedSeries } from "../series-revision.ts";
import { skippedBy, type ImportTarget, skipped } from "./import-target.ts";
import { asOwnWrite } from "./own-write.ts";

/** The fields of an occurrence that an EXDATE cancels. */
export function cancelledFields({ zone }: Pick<ImportedEvent, "zone">): OccurrenceFields {
  return { startsAt: 0, endsAt: 0, days: undefined, texts: {}, color: undefined, zone, isCancelled: true };
}

interface Decision {
  readonly reason?: SkipReason;
  readonly applied?: AppliedOccurrence | undefined;
  readonly found?: StoredOccurrence;
}

/** Writes the override of an occurrence of a series. */
export async function importOccurrence(
  target: ImportTarget,
  series: StoredEvent,
  key: OccurrenceKey,
  fields: OccurrenceFields,
): Promise<ImportedOutcome> {
  const { store, calendar, isDryRun, onWritten } = target;

  function decide(found: StoredOccurrence | undefined): Decision {
    // An occurrence that does not exist is cancelled already.
    if (found === undefined) return fields.isCancelled ? {} : { reason: "UNKNOWN_OCCURRENCE" };
    const applied = applyOccurrence(fields, found, calendar);
    return typeof applied === "string" ? { reason: applied } : { applied, found };
  }

  const written = await asOwnWrite(() =>
    optimisticWrite({
      load: () => loadOccurrence(target, series, key),
      decide,
      async save({ applied, found }) {
        if (applied === undefined || found === undefined || isDryRun) return true;
        const next = changedSeries(found.event);
        const saved = await store.saveOverride(next, applied.next, announcedOccurrence(applied.before, calendar));
        if (saved === true) onWritten(next);
        return saved;
      },
    }),
  );
  if (isRefusal(written)) return skippedBy(written);
  const { reason, applied, found } = written;
  if (reason !== undefined) return skipped(reason);
  if (applied === undefined) return { outcome: "unchanged" };
  if (fields.isCancelled) return { outcome: "deleted" };
  return { outcome: found?.override === undefined ? "created" : "updated" };
}

/** The occurrence with its override. */
async function loadOccurrence(
  { store, calendar, isDryRun }: ImportTarget,
  { guildId, id, ...series }: StoredEvent,
  key: OccurrenceKey,
): Promise<StoredOccurrence | undefined> {
  // In a dry run the series may not be stored.
  const event = isDryRun ? { guildId, id, ...series } : (await store.find(guildId, id))?.event;
  const dates = event && seriesOf(event, calendar);
  const ruleOccurrence = dates && occurrenceOf(dates, key);
  if (event === undefined || ruleOccurrence === undefined) return undefined;
  const stored = await store.find(guildId, id, occurrenceId(id, ruleOccurrence.original));
  return { event, ruleOccurrence, override: stored?.override };
}
