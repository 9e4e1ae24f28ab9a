import { type EpochMs, LAST_EPOCH_MS } from "../../contracts/ids.ts";
import { clockFor, unwrittenCalendar } from "../domain/calendar.ts";
import type { CalendarEvent } from "../domain/event.ts";
import { seriesEnd } from "../domain/occurrences.ts";
import { lastMsOf, type Times } from "../domain/window.ts";
import { cycleEntries } from "./cycles.ts";
import { type Repeats, repeatsOf } from "./repeats.ts";

/** What is stored of an event so that windows find it (README, "How a window is read"). */
export interface Entries {
  /** Numbers under which it is filed; of different things, so that one index holds them all. */
  readonly entries: readonly number[];
  /** The last millisecond that it takes, with all its occurrences; the last of all times for a series without an end. */
  readonly lastAt: EpochMs;
  /** Of a series: windows leave it out where its interval does, which no entry tells. */
  readonly repeats?: Repeats;
}

const HOUR_MS = 3_600_000;

/** Single events are filed by how long they take: up to 1 h, 8 h, 64 h, 21 days, 170 days, or longer. */
export const SINGLE_CLASSES = [1, 8, 64, 512, 4_096, Infinity].map((hours, entry) => ({
  entry,
  longestMs: hours * HOUR_MS,
}));

/** Occurrences that were moved by hand; what single events have is less, and what series have is more. */
export const MOVED_ENTRY = 100;

/** The index of all entries; `startsAt` is in it so that nothing is read that begins after the window. */
export const ENTRIES_INDEX = { guildId: 1, calendarNumber: 1, entries: 1, lastAt: 1, startsAt: 1 } as const;
/** Single events in their order; also which calendars have any. */
export const IN_ORDER_INDEX = { guildId: 1, calendarNumber: 1, startsAt: 1 } as const;

/** The entries of an event, by the zone that it was set in: windows allow for what changes of the zone have moved. */
export function entriesOf(event: CalendarEvent): Entries {
  const { recurring, guildId, calendarNumber, startsAt, endsAt } = event;
  if (recurring === undefined) return singleEntries(event);
  const clock = clockFor(recurring.anchor, unwrittenCalendar(guildId, calendarNumber));
  const series = { startsAt, endsAt, recurrence: recurring.recurrence, clock };
  const end = seriesEnd(series);
  const lastAt = end === undefined ? LAST_EPOCH_MS : lastMsOf({ startsAt, endsAt: end });
  return { entries: cycleEntries(series), lastAt, repeats: repeatsOf(series) };
}

/** The entries of an event that doesn't recur. */
export function singleEntries(times: Times): Entries {
  const length = times.endsAt - times.startsAt;
  const entries = SINGLE_CLASSES.filter(({ longestMs }) => length <= longestMs).slice(0, 1);
  return { entries: entries.map(({ entry }) => entry), lastAt: lastMsOf(times) };
}

/** The entries of an occurrence that was moved by hand. */
export function movedEntries(times: Times): Entries {
  return { entries: [MOVED_ENTRY], lastAt: lastMsOf(times) };
}
