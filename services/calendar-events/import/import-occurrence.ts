import { optimisticWrite } from "../../../mixins/mongo/optimistic-write.ts";
import type { ImportedOutcome, SkipReason } from "../../contracts/event-import.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { announcedOccurrence } from "../domain/event/effective-occurrence.ts";
import { seriesOf, type StoredEvent } from "../domain/event/event.ts";
import { occurrenceId } from "../domain/event/occurrence-id.ts";
import { type AppliedOccurrence, applyOccurrence, type StoredOccurrence } from "../domain/import/apply-occurrence.ts";
import type { ImportedEvent } from "../domain/import/imported-event.ts";
import { occurrencesStarting } from "../domain/recurrence/occurrences.ts";
import { changedSeries } from "../series-revision.ts";
import { skippedBy, type ImportTarget, skipped } from "./import-target.ts";
import { asOwnWrite } from "./own-write.ts";

/** What a VEVENT says of one occurrence. */
export type OccurrenceFields = Parameters<typeof applyOccurrence>[0];

/** A cancelled occurrence, as an EXDATE says. */
export function cancelledFields({ zone }: Pick<ImportedEvent, "zone">): OccurrenceFields {
  return { startsAt: 0, endsAt: 0, texts: {}, color: undefined, zone, isCancelled: true };
}

interface Decision {
  readonly reason?: SkipReason;
  readonly applied?: AppliedOccurrence | undefined;
  readonly found?: StoredOccurrence;
}

/** Writes the override of the occurrence of a series that starts at an instant, by its present start. */
export async function importOccurrence(
  target: ImportTarget,
  series: StoredEvent,
  at: EpochMs,
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
      load: () => loadOccurrence(target, series, at),
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

/** The occurrence that starts within the second, with its override. Times of iCalendar are to the second. */
async function loadOccurrence(
  { store, calendar, isDryRun }: ImportTarget,
  { guildId, id, ...series }: StoredEvent,
  at: EpochMs,
): Promise<StoredOccurrence | undefined> {
  // In a dry run the series may not be stored.
  const event = isDryRun ? { guildId, id, ...series } : (await store.find(guildId, id))?.event;
  const dates = event && seriesOf(event, calendar);
  const ruleOccurrence = dates && occurrencesStarting(dates, { from: at, until: at + 1_000 }, 1)[0];
  if (event === undefined || ruleOccurrence === undefined) return undefined;
  const stored = await store.find(guildId, id, occurrenceId(id, ruleOccurrence.original));
  return { event, ruleOccurrence, override: stored?.override };
}
