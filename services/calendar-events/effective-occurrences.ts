import type { EpochMs, EventId, GuildId } from "../contracts/ids.ts";
import { MAX_ZONE_MOVE_MS } from "./domain/calendar/calendar-clock.ts";
import type { Calendar } from "./domain/calendar/calendar.ts";
import { longestDurationOf, seriesOf, type ListedEvent } from "./domain/event/event.ts";
import { ruleOccurrenceAt, type Series, type RuleOccurrence } from "./domain/recurrence/occurrences.ts";
import type { Override } from "./domain/event/override.ts";
import {
  type EffectiveOccurrence,
  effectiveOccurrence,
  singleOccurrence,
} from "./domain/event/effective-occurrence.ts";
import type { Window } from "../contracts/window.ts";
import type { EventReads } from "./store/event-reads.store.ts";
import type { EventPage } from "./store/event-rows.ts";

/** The parameters for expanding events to occurrences. */
interface Expansion<Event extends ListedEvent> {
  readonly guildId: GuildId;
  readonly reads: Pick<EventReads, "overrides">;
  readonly eventsOf: (ids: readonly EventId[]) => Promise<readonly Event[]>;
  readonly window: Window;
  readonly calendarOf: (event: Event) => Calendar;
  /** The occurrences of the rule in the window, without those for which `isExcluded` is true. */
  readonly expand: (series: Series, isExcluded: (original: EpochMs) => boolean) => Iterable<RuleOccurrence>;
  /** Whether a single event, or an occurrence with an override of its times, is in the window. */
  readonly isInWindow: (occurrence: EffectiveOccurrence<Event>) => boolean;
}

/**
 * Expands a page to its single events and occurrences, overrides applied. All but the moved occurrences are computed when they
 * are consumed.
 */
export async function effectiveOccurrences<Event extends ListedEvent>(
  found: EventPage<Event>,
  expansion: Expansion<Event>,
): Promise<Iterable<EffectiveOccurrence<Event>>> {
  const overrides = await overridesIn(found.events, expansion);
  const moved = found.moved.length === 0 ? [] : await movedOccurrences(found, expansion);
  return expandAll(found.events, overrides, expansion, moved);
}

function* expandAll<Event extends ListedEvent>(
  events: readonly Event[],
  overrides: Overrides,
  expansion: Expansion<Event>,
  moved: readonly EffectiveOccurrence<Event>[],
): Iterable<EffectiveOccurrence<Event>> {
  for (const event of events) yield* expandEvent(event, overrides, expansion);
  yield* moved;
}

function* expandEvent<Event extends ListedEvent>(
  event: Event,
  overrides: Overrides,
  { calendarOf, expand, isInWindow }: Expansion<Event>,
): Iterable<EffectiveOccurrence<Event>> {
  const calendar = calendarOf(event);
  const series = seriesOf(event, calendar);
  if (series === undefined) {
    const single = singleOccurrence(event, calendar);
    if (isInWindow(single)) yield single;
    return;
  }
  const own = overrides.get(event.id);
  const isExcluded = (original: EpochMs) => isCancelledOrMoved(own?.get(original));
  for (const ruleOccurrence of expand(series, isExcluded)) {
    const occurrence = effectiveOccurrence(event, ruleOccurrence, own?.get(ruleOccurrence.original), calendar);
    if (occurrence !== undefined) yield occurrence;
  }
}

function isCancelledOrMoved(override: Override | undefined): boolean {
  return override !== undefined && (override.cancelled || override.moved !== undefined);
}

type Overrides = ReadonlyMap<EventId, ReadonlyMap<EpochMs, Override>>;

async function overridesIn(
  events: readonly ListedEvent[],
  { guildId, reads, window }: Pick<Expansion<never>, "guildId" | "reads" | "window">,
): Promise<Overrides> {
  const overridden = events.filter(({ recurring }) => recurring?.hasOverrides === true);
  const byEvent = new Map(overridden.map(({ id }) => [id, new Map<EpochMs, Override>()]));
  if (overridden.length === 0) return byEvent;
  const maxDuration = Math.max(...overridden.map(longestDurationOf));
  const originals = { from: window.from - maxDuration - MAX_ZONE_MOVE_MS, until: window.until + MAX_ZONE_MOVE_MS };
  for (const override of await reads.overrides(guildId, [...byEvent.keys()], originals)) {
    byEvent.get(override.eventId)?.set(override.original, override);
  }
  return byEvent;
}

async function movedOccurrences<Event extends ListedEvent>(
  { events, moved }: EventPage<Event>,
  expansion: Expansion<Event>,
): Promise<EffectiveOccurrence<Event>[]> {
  const known = new Map(events.map((event) => [event.id, event]));
  const missing = new Set(moved.map(({ eventId }) => eventId).filter((id) => !known.has(id)));
  if (missing.size > 0) for (const event of await expansion.eventsOf([...missing])) known.set(event.id, event);
  return moved.flatMap((override) => {
    const event = known.get(override.eventId);
    if (event === undefined) return [];
    const occurrence = effectiveOccurrenceAt(event, override.original, override, expansion.calendarOf(event));
    return occurrence !== undefined && expansion.isInWindow(occurrence) ? [occurrence] : [];
  });
}

/** The occurrence with this original start; undefined if the series has none there, or if it is cancelled. */
export function effectiveOccurrenceAt<Event extends ListedEvent>(
  event: Event,
  original: EpochMs,
  override: Override | undefined,
  calendar: Calendar,
): EffectiveOccurrence<Event> | undefined {
  const series = seriesOf(event, calendar);
  const ruleOccurrence = series === undefined ? undefined : ruleOccurrenceAt(series, original);
  return ruleOccurrence === undefined ? undefined : effectiveOccurrence(event, ruleOccurrence, override, calendar);
}
