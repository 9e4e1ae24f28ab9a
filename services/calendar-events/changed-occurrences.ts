import { type EpochMs, type EventId, type GuildId, type OccurrenceId } from "../contracts/ids.ts";
import type { Window } from "../contracts/window.ts";
import type { Calendar } from "./domain/calendar/calendar.ts";
import { type EffectiveOccurrence, singleOccurrence } from "./domain/event/effective-occurrence.ts";
import type { StoredEvent } from "./domain/event/event.ts";
import { occurrenceId } from "./domain/event/occurrence-id.ts";
import type { Override } from "./domain/event/override.ts";
import { changedTimesAt, nextOriginal } from "./domain/event/rescheduled.ts";
import { soonestOccurrences } from "./domain/event/soonest-occurrences.ts";
import { effectiveOccurrenceAt } from "./effective-occurrences.ts";
import type { ChangeStamps } from "./store/change-stamps.store.ts";
import type { EventReads } from "./store/event-reads.store.ts";

/** Events, or occurrences, in one command. */
const PER_COMMAND = 500;

interface ChangeSearch {
  readonly guildId: GuildId;
  readonly calendars: readonly Calendar[];
  readonly calendarOf: (event: StoredEvent) => Calendar;
  /** Number of changes that are read; the soonest. */
  readonly limit: number;
  readonly texts: boolean;
  /** Throws if the search has taken too long. */
  readonly checkDeadline: () => void;
}

/** A change of an event (D69), or of one occurrence that was moved itself. */
interface Change {
  readonly eventId: EventId;
  readonly original?: EpochMs;
  readonly at: EpochMs;
}

/**
 * The occurrences that stand for the changes in a window, in pages. At first nothing but the stamps is read: a guild may change all
 * its events at once.
 */
export async function* changedOccurrences(
  reads: Pick<EventReads, "changedIn" | "overriddenSince" | "movedSince" | "eventsWithIds" | "overridesWithIds">,
  search: ChangeSearch,
  window: Window,
): AsyncGenerator<readonly EffectiveOccurrence[]> {
  const { guildId, texts, calendarOf } = search;
  const changes = Map.groupBy(await soonestChanges(reads, search, window), ({ eventId }) => eventId);
  for (const ids of chunksOf([...changes.keys()])) {
    for await (const events of reads.eventsWithIds(guildId, ids, { texts })) {
      const wanted = events.flatMap((event) => {
        const next = nextOf(event, calendarOf(event));
        const originals = changes.get(event.id)?.flatMap(({ original }) => original ?? next ?? []) ?? [];
        return [...new Set(originals)].map((original) => ({ event, original, id: occurrenceId(event.id, original) }));
      });
      yield events
        .filter(({ recurring }) => recurring === undefined)
        .map((event) => singleOccurrence(event, calendarOf(event)));
      for (const part of chunksOf(wanted)) {
        const overrides = await overridesOf(
          reads,
          search,
          part.filter(({ event }) => event.recurring?.hasOverrides === true).map(({ id }) => id),
        );
        yield part.flatMap(
          ({ event, original, id }) =>
            effectiveOccurrenceAt(event, original, overrides.get(id), calendarOf(event)) ?? [],
        );
      }
    }
  }
}

/** The occurrences of an event in memory that may stand for a change: itself, its next one, and those that were moved themselves. */
export function changedInMemory(
  event: StoredEvent,
  overrides: ReadonlyMap<EpochMs, Override>,
  calendar: Calendar,
): EffectiveOccurrence[] {
  if (event.recurring === undefined) return [singleOccurrence(event, calendar)];
  const moved = [...overrides.values()].filter((override) => override.moved !== undefined);
  const originals = new Set(moved.map(({ original }) => original));
  const next = nextOf(event, calendar);
  if (next !== undefined) originals.add(next);
  return [...originals].flatMap(
    (original) => effectiveOccurrenceAt(event, original, overrides.get(original), calendar) ?? [],
  );
}

/** The original start of the occurrence that stands for a change of its series. */
function nextOf(event: StoredEvent, calendar: Calendar): EpochMs | undefined {
  const at = event.recurring === undefined ? undefined : changedTimesAt(event, event);
  return at === undefined ? undefined : nextOriginal(event, calendar, at);
}

async function soonestChanges(
  reads: Pick<EventReads, "changedIn" | "overriddenSince" | "movedSince">,
  search: ChangeSearch,
  window: Window,
): Promise<Change[]> {
  const { guildId, calendars, limit, checkDeadline } = search;
  const soonest = soonestOccurrences<Change>(
    // One more shows that there are more.
    limit + 1,
    ({ eventId, original = "" }) => `${eventId} ${original}`,
    ({ at }) => at,
  );
  for await (const changes of changedEvents(reads, search, window)) {
    for (const change of changes) soonest.add(change);
  }
  const series = new Map<EventId, ChangeStamps>();
  for await (const page of reads.overriddenSince(guildId, calendars, window.from)) {
    for (const stamps of page) series.set(stamps.id, stamps);
    checkDeadline();
  }
  for (const ids of chunksOf([...series.keys()])) {
    for await (const page of reads.movedSince(guildId, ids, window.from)) {
      for (const { eventId, original, ...stamps } of page) {
        const changed = series.get(eventId);
        const at = changed === undefined ? undefined : changedTimesAt(changed, stamps);
        if (at !== undefined && at >= window.from && at < window.until) soonest.add({ eventId, original, at });
      }
      checkDeadline();
    }
  }
  return soonest.list();
}

/** The changes of single events and of series, the soonest first, until there are enough. */
async function* changedEvents(
  reads: Pick<EventReads, "changedIn">,
  { guildId, calendars, limit, checkDeadline }: ChangeSearch,
  window: Window,
): AsyncGenerator<readonly Change[]> {
  let left = limit + 1;
  for await (const page of reads.changedIn(guildId, calendars, window)) {
    checkDeadline();
    const changes = page.flatMap((stamps) => {
      const at = changedTimesAt(stamps, stamps);
      return at === undefined ? [] : { eventId: stamps.id, at };
    });
    yield changes;
    left -= changes.length;
    if (left <= 0) return;
  }
}

async function overridesOf(
  reads: Pick<EventReads, "overridesWithIds">,
  { guildId, texts }: ChangeSearch,
  ids: readonly OccurrenceId[],
): Promise<ReadonlyMap<OccurrenceId, Override>> {
  const found = ids.length === 0 ? [] : await reads.overridesWithIds(guildId, ids, { texts });
  return new Map(found.map((override) => [occurrenceId(override.eventId, override.original), override]));
}

function* chunksOf<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += PER_COMMAND) yield items.slice(at, at + PER_COMMAND);
}
