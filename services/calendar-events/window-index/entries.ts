import { type EpochMs, LAST_EPOCH_MS } from "../../contracts/ids.ts";
import { unwrittenCalendar } from "../domain/calendar/calendar.ts";
import { type CalendarEvent, seriesOf } from "../domain/event/event.ts";
import { seriesEnd } from "../domain/recurrence/occurrences.ts";
import { lastMsOf, type Times } from "../domain/event/window.ts";
import { cycleEntries } from "./cycles.ts";
import { type IndexedInterval, indexedIntervalOf } from "./indexed-interval.ts";

/** The index fields of a stored event, by which the query of a window finds it (README, "How a window is read"). */
export interface IndexFields {
  /** Index entries. The number ranges of single events, moved occurrences and series are disjoint. */
  readonly entries: readonly number[];
  /** The last millisecond of the last occurrence; `LAST_EPOCH_MS` for an endless series. */
  readonly lastAt: EpochMs;
  /** The interval of a series, which the entries do not contain: the query skips series that skip the window. */
  readonly repeats?: IndexedInterval;
}

const HOUR_MS = 3_600_000;

/**
 * Duration classes of single events: up to 64 h, up to 170 days, or longer. New events have the first entry of their
 * class; the others are of shorter classes that version 0.1.0 had. The queries of that version find the new entries, too.
 */
export const DURATION_CLASSES = [
  { entries: [2, 0, 1], maxMs: 64 * HOUR_MS },
  { entries: [4, 3], maxMs: 4_096 * HOUR_MS },
  { entries: [5], maxMs: Infinity },
] as const;

/**
 * The same classes of all-day events. They have entries of their own because a change of the zone moves them: a window
 * searches theirs further.
 */
export const ALL_DAY_CLASSES = [
  { entries: [6], maxMs: 64 * HOUR_MS },
  { entries: [7], maxMs: 4_096 * HOUR_MS },
  { entries: [8], maxMs: Infinity },
] as const;

/** The entry of moved occurrences. The entries of single events are smaller, those of series greater. */
export const MOVED_ENTRY = 100;

/** The index of all entries. `startsAt` is included so that events after the window are not fetched. */
export const ENTRIES_INDEX = { guildId: 1, calendarNumber: 1, entries: 1, lastAt: 1, startsAt: 1 } as const;
/** The order of single events. Also used to find the calendars that have events. */
export const START_INDEX = { guildId: 1, calendarNumber: 1, startsAt: 1 } as const;

/** The index fields of an event in its original time zone. Queries widen the window for later changes of the zone. */
export function indexFieldsOf(event: CalendarEvent): IndexFields {
  const { guildId, calendarNumber, startsAt } = event;
  const series = seriesOf(event, unwrittenCalendar(guildId, calendarNumber));
  if (series === undefined) return singleEventIndexFields(event, classesOf(event));
  const end = seriesEnd(series);
  const lastAt = end === undefined ? LAST_EPOCH_MS : lastMsOf({ startsAt, endsAt: end });
  return { entries: cycleEntries(series), lastAt, repeats: indexedIntervalOf(series) };
}

/** The index fields of an event that does not recur. */
export function singleEventIndexFields(times: Times, durationClasses: DurationClasses = DURATION_CLASSES): IndexFields {
  const length = times.endsAt - times.startsAt;
  const classes = durationClasses.filter(({ maxMs }) => length <= maxMs).slice(0, 1);
  return { entries: classes.map(({ entries: [entry] }) => entry), lastAt: lastMsOf(times) };
}

type DurationClasses = readonly { readonly entries: readonly [number, ...number[]]; readonly maxMs: number }[];

function classesOf({ allDay }: Pick<CalendarEvent, "allDay">): DurationClasses {
  return allDay === undefined ? DURATION_CLASSES : ALL_DAY_CLASSES;
}

/** The index fields of a moved occurrence. */
export function movedIndexFields(times: Times): IndexFields {
  return { entries: [MOVED_ENTRY], lastAt: lastMsOf(times) };
}
