import type { EpochMs } from "../contracts/ids.ts";
import { clockFor, unwrittenCalendar } from "./domain/calendar.ts";
import type { CalendarEvent } from "./domain/event.ts";
import { forkOf } from "./domain/interval-tree.ts";
import { finestOf, laneOf, nameOfLane, phaseOf, SINGLE } from "./domain/lanes.ts";
import { type Series, seriesEnd } from "./domain/occurrences.ts";
import { nodesOf } from "./domain/span-tree.ts";
import { lastMsOf, type Times } from "./domain/window.ts";

/** How something is filed, so that windows find it (README, "How a window is read"). */
export interface Filing {
  /** `<calendar number>/<lane of the domain>`. */
  readonly lane: string;
  /** Of what doesn't recur: where it is in the interval tree. */
  readonly fork?: number;
  /** Of what doesn't recur: its last millisecond. */
  readonly lastAt?: EpochMs;
  /** Of a series: the nodes of the span tree that it goes on in. */
  readonly nodes?: readonly number[];
  /** Of a series: where in its period it starts. */
  readonly phase?: number;
}

/** What doesn't recur, by its last millisecond or by its start, under a number of the interval tree. */
export const BY_END = { guildId: 1, lane: 1, fork: 1, lastAt: 1 } as const;
export const BY_START = { guildId: 1, lane: 1, fork: 1, startsAt: 1, lastAt: 1 } as const;
/** Series by their phases, under a node of the span tree. */
export const BY_PHASE = { guildId: 1, lane: 1, nodes: 1, phase: 1 } as const;
export const IN_ORDER = { guildId: 1, lane: 1, startsAt: 1 } as const;

/** The indexes that windows are read by. */
export const FILING_INDEXES = [
  { keys: BY_END, options: { partialFilterExpression: { fork: { $exists: true } } } },
  { keys: BY_START, options: { partialFilterExpression: { fork: { $exists: true } } } },
  { keys: BY_PHASE, options: { partialFilterExpression: { nodes: { $exists: true } } } },
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
  const nodes = nodesOf(startsAt, lastAt, finestOf(lane));
  return { lane: lanePrefix(calendarNumber) + nameOfLane(lane), nodes, phase: phaseOf(series) };
}

/** How something is filed that doesn't recur. */
export function filedOnce({ calendarNumber }: { calendarNumber: number }, lane: string, times: Times): Filing {
  const lastAt = lastMsOf(times);
  return { lane: lanePrefix(calendarNumber) + lane, fork: forkOf(times.startsAt, lastAt), lastAt };
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
