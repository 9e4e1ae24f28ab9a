import type { EpochMs } from "../contracts/ids.ts";
import { clockFor, unwrittenCalendar } from "./domain/calendar.ts";
import type { CalendarEvent } from "./domain/event.ts";
import { forkOf } from "./domain/interval-tree.ts";
import { finestOf, laneOf, nameOfLane, phaseOf, SINGLE } from "./domain/lanes.ts";
import { type Series, seriesEnd } from "./domain/occurrences.ts";
import { nodesOf } from "./domain/span-tree.ts";
import { lastMsOf, type Times } from "./domain/window.ts";

/** One place in a lane, and what is sorted by there. */
export interface FiledAt {
  readonly at: number;
  readonly by: number;
}

/** How something is filed, so that windows find it (README, "How a window is read"). */
export interface Filing {
  /** `<calendar number>/<lane of the domain>`. */
  readonly lane: string;
  /**
   * Of what doesn't recur: at its fork of the interval tree by its last millisecond, and at `startsUnder` that fork by
   * its start. Of a series: at the nodes of the span tree that it goes on in by its phase, and at `BEGINS` by its start.
   */
  readonly filed: readonly FiledAt[];
  /** Of what doesn't recur: its last millisecond. */
  readonly lastAt?: EpochMs;
}

/** Where series are filed by their starts; nodes of the span tree are no negative numbers. */
export const BEGINS = -1;

/** Where what doesn't recur is filed by its start: another number for each fork, and no fork's. */
export function startsUnder(fork: number): number {
  return -1 - fork;
}

/** All that a window looks for: one index, so that it can be one command. */
export const FILED = { guildId: 1, lane: 1, "filed.at": 1, "filed.by": 1, lastAt: 1 } as const;
export const IN_ORDER = { guildId: 1, lane: 1, startsAt: 1 } as const;

/** The indexes that windows are read by. */
export const FILING_INDEXES = [
  { keys: FILED, options: { partialFilterExpression: { filed: { $exists: true } } } },
  { keys: IN_ORDER, options: {} },
] as const;

/** How an event is filed. */
export function filingOf(event: CalendarEvent): Filing {
  const { recurring, calendarNumber } = event;
  if (recurring === undefined) return filedOnce(event, SINGLE, event);
  // Filed by its own zone: windows allow for what changes of the zone have moved.
  const clock = clockFor(recurring.anchor, unwrittenCalendar(event.guildId, calendarNumber));
  return filedSeries(event, { ...event, recurrence: recurring.recurrence, clock });
}

function filedSeries({ calendarNumber }: CalendarEvent, series: Series): Filing {
  const { startsAt } = series;
  const lane = laneOf(series);
  const endsAt = seriesEnd(series);
  const lastAt = endsAt === undefined ? undefined : lastMsOf({ startsAt, endsAt });
  const by = phaseOf(series);
  const nodes = nodesOf(startsAt, lastAt, finestOf(lane)).map((at) => ({ at, by }));
  return { lane: lanePrefix(calendarNumber) + nameOfLane(lane), filed: [{ at: BEGINS, by: startsAt }, ...nodes] };
}

/** How something is filed that doesn't recur. */
export function filedOnce({ calendarNumber }: { calendarNumber: number }, lane: string, times: Times): Filing {
  const lastAt = lastMsOf(times);
  const fork = forkOf(times.startsAt, lastAt);
  const filed = [
    { at: fork, by: lastAt },
    { at: startsUnder(fork), by: times.startsAt },
  ];
  return { lane: lanePrefix(calendarNumber) + lane, filed, lastAt };
}

/** What the names of a calendar's lanes begin with. */
export function lanePrefix(calendarNumber: number): string {
  return `${calendarNumber}/`;
}

/** Finds the rows of a calendar, or of all of a guild's, by the names of their lanes. */
export function lanesOf(calendarNumber: number | undefined): { readonly $gt: string } | { $gte: string; $lt: string } {
  // "0" is the character after "/".
  return calendarNumber === undefined ? { $gt: "" } : { $gte: lanePrefix(calendarNumber), $lt: `${calendarNumber}0` };
}
