import type { EpochMs, EventId } from "../contracts/ids.ts";
import type { Calendar } from "./domain/calendar/calendar.ts";
import { seriesOf, type ShownEvent } from "./domain/event/event.ts";
import { occurrenceAt, type Series, type RuleOccurrence } from "./domain/recurrence/occurrences.ts";
import type { Override } from "./domain/event/override.ts";
import {
  type EffectiveOccurrence,
  effectiveOccurrence,
  singleOccurrence,
} from "./domain/event/effective-occurrence.ts";
import type { Window } from "./domain/event/window.ts";
import type { EventReads, EventPage } from "./store/event-reads.store.ts";

/** The largest distance by which a change of the time zone moves an occurrence from its original start. */
const FURTHEST_MOVE_MS = 26 * 3_600_000;

/** How found events are expanded to occurrences. */
interface Expansion<Event extends ShownEvent> {
  readonly reads: EventReads;
  readonly eventsOf: (ids: readonly EventId[]) => Promise<readonly Event[]>;
  readonly window: Window;
  readonly calendarOf: (event: Event) => Calendar;
  /** The occurrences that the rule puts into the window, without those for which `isElsewhere` is true. */
  readonly expand: (series: Series, isElsewhere: (original: EpochMs) => boolean) => Iterable<RuleOccurrence>;
  /** Whether an occurrence with an override of its times belongs to the answer. */
  readonly belongs: (placed: EffectiveOccurrence<Event>) => boolean;
}

/** The single events and the occurrences of a page, with their overrides, computed one after the other. */
export async function effectiveOccurrences<Event extends ShownEvent>(
  found: EventPage<Event>,
  placing: Expansion<Event>,
): Promise<Iterable<EffectiveOccurrence<Event>>> {
  const overrides = await overridesIn(found.events, placing);
  const moved = found.moved.length === 0 ? [] : await movedByHand(found, placing);
  return expandAll(found.events, overrides, placing, moved);
}

function* expandAll<Event extends ShownEvent>(
  events: readonly Event[],
  overrides: Overrides,
  placing: Expansion<Event>,
  moved: readonly EffectiveOccurrence<Event>[],
): Iterable<EffectiveOccurrence<Event>> {
  for (const event of events) yield* expandEvent(event, overrides, placing);
  yield* moved;
}

function* expandEvent<Event extends ShownEvent>(
  event: Event,
  overrides: Overrides,
  { calendarOf, expand }: Expansion<Event>,
): Iterable<EffectiveOccurrence<Event>> {
  const calendar = calendarOf(event);
  const series = seriesOf(event, calendar);
  if (series === undefined) {
    yield singleOccurrence(event);
    return;
  }
  const own = overrides.get(event.id);
  const isElsewhere = (original: EpochMs) => isCancelledOrMoved(own?.get(original));
  for (const ruleOccurrence of expand(series, isElsewhere)) {
    const placed = effectiveOccurrence(event, ruleOccurrence, own?.get(ruleOccurrence.original), calendar);
    if (placed !== undefined) yield placed;
  }
}

function isCancelledOrMoved(override: Override | undefined): boolean {
  return override !== undefined && (override.cancelled || override.moved !== undefined);
}

type Overrides = ReadonlyMap<EventId, ReadonlyMap<EpochMs, Override>>;

async function overridesIn(
  events: readonly ShownEvent[],
  { reads, window }: Pick<Expansion<never>, "reads" | "window">,
): Promise<Overrides> {
  const overridden = events.filter(({ recurring }) => recurring?.hasOverrides === true);
  const byEvent = new Map(overridden.map(({ id }) => [id, new Map<EpochMs, Override>()]));
  if (overridden.length === 0) return byEvent;
  const longest = Math.max(...overridden.map(({ startsAt, endsAt }) => endsAt - startsAt));
  const originals = { from: window.from - longest - FURTHEST_MOVE_MS, until: window.until + FURTHEST_MOVE_MS };
  for (const override of await reads.overrides([...byEvent.keys()], originals)) {
    byEvent.get(override.eventId)?.set(override.original, override);
  }
  return byEvent;
}

async function movedByHand<Event extends ShownEvent>(
  { events, moved }: EventPage<Event>,
  placing: Expansion<Event>,
): Promise<EffectiveOccurrence<Event>[]> {
  const known = new Map(events.map((event) => [event.id, event]));
  const missing = new Set(moved.map(({ eventId }) => eventId).filter((id) => !known.has(id)));
  if (missing.size > 0) for (const event of await placing.eventsOf([...missing])) known.set(event.id, event);
  return moved.flatMap((override) => {
    const event = known.get(override.eventId);
    if (event === undefined) return [];
    const placed = occurrenceNamed(event, override.original, override, placing.calendarOf(event));
    return placed !== undefined && placing.belongs(placed) ? [placed] : [];
  });
}

/** The occurrence with this original start; undefined if the series has none there, or if it is cancelled. */
export function occurrenceNamed<Event extends ShownEvent>(
  event: Event,
  original: EpochMs,
  override: Override | undefined,
  calendar: Calendar,
): EffectiveOccurrence<Event> | undefined {
  const series = seriesOf(event, calendar);
  const ruleOccurrence = series === undefined ? undefined : occurrenceAt(series, original);
  return ruleOccurrence === undefined ? undefined : effectiveOccurrence(event, ruleOccurrence, override, calendar);
}
