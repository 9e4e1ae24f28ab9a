import type { Recurrence } from "../../contracts/calendar-events.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { civilOfDays, DAY_MS } from "./civil-days.ts";
import { FURTHEST_CLOCK_MS, instantToLocal, wallsAround, type WallMs } from "./local-to-instant.ts";
import type { Series } from "./occurrences.ts";
import { levelWithin } from "./span-tree.ts";
import type { Window } from "./window.ts";
import type { Zone } from "./zone.ts";

/**
 * Lanes sort series by how often they recur and how long they take, so that a window finds those that have an
 * occurrence in it among those that only go on around it.
 *
 * A lane's series come back after exactly the same number of days or months. Where in that period a series starts is
 * its phase: a window shorter than the period takes in a part of the phases, and an index finds those.
 */
export interface Lane {
  /** `d` counts its period in days, `m` in months. */
  readonly unit: "d" | "m";
  /** In the unit. */
  readonly period: number;
  /** Which lengths it holds: see `longestIn`. */
  readonly lengthClass: number;
}

/** From `first` to `last`, both included; in milliseconds from the start of the period. */
export interface PhaseRange {
  readonly first: number;
  readonly last: number;
}

const HOUR_MS = 3_600_000;
/** A month has at most 31 days. */
const MONTH_MS = 31 * DAY_MS;
const SHORTEST_MONTH_MS = 28 * DAY_MS;
/** Lengths are sorted into classes: up to 1, 2, 4 and 8 hours, and from there four to an octave. */
const WHOLE_OCTAVES = 3;
const CLASSES_PER_OCTAVE = 4;

/**
 * So many kinds of series, by period and length, may a calendar have: each costs a window a look at the index, so
 * what a window costs beside its answer has a limit.
 */
export const MOST_KINDS = 100;

/** The name under which an event that doesn't recur is filed. */
export const SINGLE = "one";
/** The name under which an occurrence is filed that was moved by hand. */
export const MOVED = "moved";

/** The lane of a series. */
export function laneOf({ recurrence, startsAt, endsAt }: Series): Lane {
  const period = periodOf(recurrence);
  // What takes a whole period is always on: then no phase is looked at, and its length is all the same.
  const length = Math.min(endsAt - startsAt, msOfPeriod(period));
  return { ...period, lengthClass: lengthClassOf(Math.max(1, length / HOUR_MS)) };
}

/** The name of a lane, such as `d7/0`; inverse of `readLane`. */
export function nameOfLane({ unit, period, lengthClass }: Lane): string {
  return `${unit}${period}/${lengthClass}`;
}

/** Inverse of `longestIn`, as far as it goes: the class of a length in hours. */
function lengthClassOf(hours: number): number {
  const octaves = Math.log2(hours);
  if (octaves <= WHOLE_OCTAVES) return Math.ceil(octaves);
  return WHOLE_OCTAVES + Math.ceil((octaves - WHOLE_OCTAVES) * CLASSES_PER_OCTAVE);
}

/** The longest length in a lane, in milliseconds; where that is a period or more, some occurrence is always on. */
export function longestIn({ lengthClass }: Lane): number {
  if (lengthClass <= WHOLE_OCTAVES) return 2 ** lengthClass * HOUR_MS;
  return Math.ceil(2 ** (WHOLE_OCTAVES + (lengthClass - WHOLE_OCTAVES) / CLASSES_PER_OCTAVE)) * HOUR_MS;
}

type Period = Pick<Lane, "unit" | "period">;

function periodOf({ frequency, interval }: Recurrence): Period {
  switch (frequency) {
    case "DAILY":
      return { unit: "d", period: interval };
    case "WEEKLY":
      return { unit: "d", period: 7 * interval };
    case "MONTHLY":
      return { unit: "m", period: interval };
    case "YEARLY":
      return { unit: "m", period: 12 * interval };
  }
}

/** Whether a calendar whose lanes have these names may have a series in that one; a lane of no series is no kind. */
export function mayHoldKind(lanes: readonly string[], lane: string): boolean {
  if (lanes.includes(lane)) return true;
  return lanes.filter((name) => readLane(name) !== undefined).length < MOST_KINDS;
}

/** What the name of a series' lane says; undefined for a lane of what doesn't recur. */
export function readLane(name: string): Lane | undefined {
  const [, unit, period, lengthClass] = /^([dm])(\d+)\/(\d+)$/.exec(name) ?? [];
  if (unit === undefined) return undefined;
  return { unit: unit as "d" | "m", period: Number(period), lengthClass: Number(lengthClass) };
}

/**
 * The finest level of the nodes that a lane's series are filed under (`span-tree.ts`): a quarter of its period. What
 * ended less than a period ago has nothing in a window before its next time, and so is not found for it.
 */
export function finestOf({ unit, period }: Lane): number {
  return levelWithin((period * (unit === "d" ? DAY_MS : SHORTEST_MONTH_MS)) / 4);
}

/** Where in its lane's period a series starts, on the wall clock that its rule runs on. */
export function phaseOf({ recurrence, startsAt, clock }: Series): number {
  const period = periodOf(recurrence);
  return modulo(msIn(period, instantToLocal(startsAt, clock[0].zone)), msOfPeriod(period));
}

/**
 * The phases of a lane that a window takes in, on the wall clocks that its series may run on, or on any clock when
 * those are not known; undefined for all phases. It takes in an occurrence that starts before it as far back as the
 * lane's longest lasts.
 */
export function phasesIn(
  lane: Lane,
  { from, until }: Window,
  zones: readonly Zone[] | undefined,
): PhaseRange[] | undefined {
  const period = msOfPeriod(lane);
  const longest = longestIn(lane);
  if (longest >= period) return undefined;
  const first = msIn(lane, earliestWall(from - longest + 1, zones));
  const last = msIn(lane, latestWall(until - 1, zones));
  if (last - first + 1 >= period) return undefined;
  const [start, end] = [modulo(first, period), modulo(last, period)];
  return start <= end
    ? [{ first: start, last: end }]
    : [
        { first: 0, last: end },
        { first: start, last: period - 1 },
      ];
}

function msOfPeriod({ unit, period }: Period): number {
  return period * (unit === "d" ? DAY_MS : MONTH_MS);
}

/** A wall time, counted on through days or through months of 31 days: it grows with the wall time. */
function msIn({ unit }: Period, wall: WallMs): number {
  if (unit === "d") return wall;
  const days = Math.floor(wall / DAY_MS);
  const { year, month, day } = civilOfDays(days);
  return (year * 12 + month - 1) * MONTH_MS + (day - 1) * DAY_MS + (wall - days * DAY_MS);
}

function earliestWall(at: EpochMs, zones: readonly Zone[] | undefined): WallMs {
  if (zones === undefined) return at - FURTHEST_CLOCK_MS;
  return Math.min(...zones.map((zone) => wallsAround(at, zone).earliest));
}

function latestWall(at: EpochMs, zones: readonly Zone[] | undefined): WallMs {
  if (zones === undefined) return at + FURTHEST_CLOCK_MS;
  return Math.max(...zones.map((zone) => wallsAround(at, zone).latest));
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
