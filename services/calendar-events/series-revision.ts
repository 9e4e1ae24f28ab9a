import type { EpochMs } from "../contracts/ids.ts";
import type { Calendar } from "./domain/calendar/calendar.ts";
import type { ChangedEvent } from "./domain/event/change-event.ts";
import { type CalendarEvent, seriesOf, type StoredEvent, withoutStamps } from "./domain/event/event.ts";
import { ruleOccurrenceAt } from "./domain/recurrence/occurrences.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";

/** The next revision of a series, and which overrides it keeps. */
interface SeriesRevision {
  readonly next: ChangedEvent;
  readonly keep: readonly EpochMs[] | "all";
  /** Whether the revision before had overrides. */
  readonly hadOverrides: boolean;
}

/** Decides which overrides remain valid when the series gets another start or rule (D19). */
export async function withValidOverrides(
  store: Pick<CalendarEventsStore, "overriddenStarts">,
  stored: StoredEvent,
  next: ChangedEvent,
  calendar: Calendar,
): Promise<SeriesRevision> {
  const hadOverrides = stored.recurring?.hasOverrides === true;
  if (!next.rescheduled || !hadOverrides) return { next, keep: "all", hadOverrides };
  const keep = validStarts(next.event, calendar, await store.overriddenStarts(stored.guildId, stored.id));
  return { next: { ...next, event: withOverrides(next.event, keep.length > 0) }, keep, hadOverrides };
}

/** The original starts at which the event still has an occurrence. */
export function validStarts(event: CalendarEvent, calendar: Calendar, starts: readonly EpochMs[]): EpochMs[] {
  const series = seriesOf(event, calendar);
  return series === undefined ? [] : starts.filter((start) => ruleOccurrenceAt(series, start) !== undefined);
}

export function withOverrides(event: CalendarEvent, hasOverrides: boolean): CalendarEvent {
  return event.recurring === undefined ? event : { ...event, recurring: { ...event.recurring, hasOverrides } };
}

/** The next revision of a series whose occurrence has changed. */
export function changedSeries(stored: StoredEvent): CalendarEvent {
  const event = withoutStamps(stored);
  return withOverrides({ ...event, revision: stored.revision + 1 }, true);
}
