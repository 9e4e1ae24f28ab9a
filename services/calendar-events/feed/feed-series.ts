import type { Color } from "../../contracts/calendar-events.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import {
  changedOccurrence,
  END_OF_EVENT,
  exceptions,
  type FeedEvent,
  occurrenceEvent,
  seriesEvent,
} from "../domain/feed/event-component.ts";
import type { FeedPosition, SeriesPosition } from "../domain/feed/feed-cursor.ts";
import {
  additionsOf,
  misreadStarts,
  partsOf,
  type RecurringEvent,
  type SeriesPart,
} from "../domain/feed/series-parts.ts";
import type { Override } from "../domain/event/override.ts";
import { effectiveOccurrenceAt } from "../effective-occurrences.ts";
import type { FeedReads } from "../store/feed-reads.store.ts";

export type FeedSeries = FeedEvent & RecurringEvent;

export function isRecurring(event: FeedEvent): event is FeedSeries {
  return event.recurring !== undefined;
}

/** The properties that all series of a feed share. */
export interface SeriesOfFeed {
  readonly reads: Pick<FeedReads, "overrides" | "overridesAt">;
  readonly calendar: Calendar;
  /** The color that the feed is limited to. */
  readonly color: Color | undefined;
  /** Cluster time of the snapshot in which the feed is read. */
  readonly moment: string;
}

/** A piece of a feed, and the position of the next one. */
export interface FeedPiece {
  readonly text: string;
  readonly next: FeedPosition;
}

/** Whether a feed contains events of this color. */
export function isShown(own: Color, { color }: { readonly color?: Color | undefined }): boolean {
  return color === undefined || own === color;
}

/** Number of overrides in one read: at most 2 MB, with the longest texts of 20 kB each. */
const OVERRIDES_AT_ONCE = 100;

/**
 * A series as VEVENTs: its parts with their exceptions (EXDATE), then its additions (RDATE) as separate events, then its changed
 * occurrences. A series may have as many overrides as a guild may have events. So a page may end after each piece, and the
 * next page continues there.
 */
export async function* seriesPieces(
  event: FeedSeries,
  feed: SeriesOfFeed,
  { part: firstPart, after: lastWritten }: SeriesPosition = { part: 0 },
): AsyncIterable<FeedPiece> {
  const { id, changedAt } = event;
  const parts = isShown(event.color, feed) ? partsOf(event, feed.calendar) : [];
  /** An `after` before the first override means: only the text before the overrides is written. */
  const at = (part: number, after?: EpochMs): FeedPosition => ({
    changedAt,
    id,
    within: after === undefined ? { part } : { part, after },
  });
  for (const [place, part] of parts.entries()) {
    if (place < firstPart) continue;
    const after = place === firstPart ? lastWritten : undefined;
    if (after === undefined) yield { text: beginOfPart(event, part, feed), next: at(place, part.from - 1) };
    for await (const overrides of overridesBetween(event, feed, after ?? part.from - 1, part.until)) {
      const text = exceptions(event, part, originalsMissing(event, overrides, feed));
      yield { text, next: at(place, overrides.at(-1)?.original) };
    }
    yield { text: END_OF_EVENT, next: at(place + 1) };
  }
  const after = firstPart === parts.length ? lastWritten : undefined;
  if (after === undefined) yield { text: await eventsBeside(event, parts, feed), next: at(parts.length, -1) };
  const additions = new Set(additionsOf(event, feed.calendar));
  for await (const overrides of overridesBetween(event, feed, after ?? -1, Infinity)) {
    for (const override of overrides) {
      const text = additions.has(override.original) ? "" : changedText(event, override, parts, feed);
      yield { text, next: at(parts.length, override.original) };
    }
  }
  yield { text: "", next: { changedAt, id } };
}

async function* overridesBetween(
  { id, recurring }: FeedSeries,
  { reads, moment, calendar }: SeriesOfFeed,
  from: EpochMs,
  until: EpochMs,
): AsyncIterable<readonly Override[]> {
  if (!recurring.hasOverrides) return;
  for (let after = from; ;) {
    const overrides = await reads.overrides(
      { guildId: calendar.guildId, id },
      { after, until, limit: OVERRIDES_AT_ONCE },
      moment,
    );
    if (overrides.length > 0) yield overrides;
    if (overrides.length < OVERRIDES_AT_ONCE) return;
    after = overrides.at(-1)?.original ?? until;
  }
}

/** The VEVENT of a part without its end, with the exceptions of its rule. */
function beginOfPart(event: FeedSeries, part: SeriesPart, { calendar }: SeriesOfFeed): string {
  const { exDates = [] } = event.recurring.recurrence;
  const own = exDates.filter((original) => original >= part.from && original < part.until);
  return seriesEvent(event, part, calendar) + exceptions(event, part, own);
}

/** The original starts of the occurrences that are cancelled, or have a color that is not in the feed. */
function originalsMissing({ color }: FeedSeries, overrides: readonly Override[], feed: SeriesOfFeed): EpochMs[] {
  return overrides
    .filter((override) => override.cancelled || !isShown(override.color ?? color, feed))
    .map(({ original }) => original);
}

/** The VEVENT of a changed occurrence, which is an event of its own if its series is not in the feed. */
function changedText(event: FeedSeries, override: Override, parts: readonly SeriesPart[], feed: SeriesOfFeed): string {
  const occurrence = effectiveOccurrenceAt(event, override.original, override, feed.calendar);
  if (occurrence === undefined || !isShown(occurrence.color, feed)) return "";
  const part = parts.find(({ from, until }) => override.original >= from && override.original < until);
  return part === undefined
    ? occurrenceEvent(occurrence, feed.calendar)
    : changedOccurrence(part, occurrence, feed.calendar);
}

/** The additions of a series, and the occurrences that calendar programs would read as other instants. */
async function eventsBeside(event: FeedSeries, parts: readonly SeriesPart[], feed: SeriesOfFeed): Promise<string> {
  const { reads, calendar, moment } = feed;
  const additions = additionsOf(event, calendar);
  const misread = parts.length > 0 ? misreadStarts(event, calendar) : [];
  const originals = [...misread, ...additions];
  if (originals.length === 0) return "";
  const stored = event.recurring.hasOverrides
    ? await reads.overridesAt({ guildId: calendar.guildId, id: event.id }, originals, moment)
    : [];
  const overrides = new Map(stored.map((override) => [override.original, override]));
  const texts = additions.map((original) => {
    const occurrence = effectiveOccurrenceAt(event, original, overrides.get(original), calendar);
    return occurrence === undefined || !isShown(occurrence.color, feed) ? "" : occurrenceEvent(occurrence, calendar);
  });
  // A misread occurrence gets a VEVENT with its instant, as if it had an override. A stored override is written with the others.
  const changed = misread.filter((original) => !overrides.has(original));
  const corrections = changed.map((original) =>
    changedText(event, { eventId: event.id, original, cancelled: false, texts: {} }, parts, feed),
  );
  return [...corrections, ...texts].join("");
}
