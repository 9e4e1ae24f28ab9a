import { type EpochMs, LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import type { Calendar } from "../calendar/calendar.ts";
import { eachOccurrenceStarting, type RuleOccurrence } from "../recurrence/occurrences.ts";
import { timeOfEventId } from "./event-id.ts";
import { seriesOf, type StoredEvent } from "./event.ts";
import type { Override } from "./override.ts";

/** A change so soon after the creation belongs to it: an import stores the moved occurrences of a series after the series. */
const PART_OF_CREATION_MS = 60_000;

/** An occurrence, as far as its changes are concerned. */
interface ChangeableOccurrence {
  readonly event: StoredEvent;
  /** Undefined for a single event. */
  readonly ruleOccurrence: Pick<RuleOccurrence, "original"> | undefined;
  readonly override: Override | undefined;
}

/**
 * The time at which an occurrence got its present times by a change of its event (D69); undefined if it has the times of its
 * creation. Another start or rule of a series is a change of one occurrence: the next one.
 */
export function rescheduledAt(
  { event, ruleOccurrence, override }: ChangeableOccurrence,
  calendar: Calendar,
): EpochMs | undefined {
  if (override?.moved !== undefined) return changedTimesAt(event, override);
  const at = changedTimesAt(event, event);
  if (at === undefined || ruleOccurrence === undefined) return at;
  return nextOriginal(event, calendar, at) === ruleOccurrence.original ? at : undefined;
}

/** The original start of the occurrence that stands for a change of a series: the first that starts after it. */
export function nextOriginal(event: StoredEvent, calendar: Calendar, changedAt: EpochMs): EpochMs | undefined {
  const known = nextOriginals.get(event);
  if (known?.calendar === calendar) return known.original;
  const series = seriesOf(event, calendar);
  const after = { from: changedAt + 1, until: LAST_EPOCH_MS + 1 };
  const [next] = series === undefined ? [] : eachOccurrenceStarting(series, after, 1, () => false);
  nextOriginals.set(event, { calendar, original: next?.original });
  return next?.original;
}

/** A list has many occurrences of one event. */
const nextOriginals = new WeakMap<
  StoredEvent,
  { readonly calendar: Calendar; readonly original: EpochMs | undefined }
>();

/** The time at which a series, a single event or a moved occurrence got its times, if that was not its creation. */
export function changedTimesAt(
  event: Pick<StoredEvent, "id" | "createdAt" | "follows">,
  { scheduledAt = 0, endSetAt = 0 }: Pick<Override, "scheduledAt" | "endSetAt">,
): EpochMs | undefined {
  const changedAt = Math.max(scheduledAt, endSetAt);
  const createdAt = event.createdAt ?? timeOfEventId(event.id);
  // A series that was split from another one has the times of that one, or others since the split, which created it.
  const isPart = event.follows !== undefined && event.createdAt !== undefined;
  return changedAt >= (isPart ? createdAt : createdAt + PART_OF_CREATION_MS) ? changedAt : undefined;
}
