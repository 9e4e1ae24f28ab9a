import type { Recurrence } from "../../contracts/calendar-events.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { civilOfDays } from "./civil-days.ts";
import { instantToLocal, wallsAround, type WallMs } from "./local-to-instant.ts";
import type { Series } from "./occurrences.ts";
import type { Window } from "./window.ts";
import type { Zone } from "./zone.ts";

/**
 * Lanes sort events by how often they recur and how long they take, so that a window finds the series that have an
 * occurrence in it among those that only go on around it.
 *
 * A lane's series come back after the same number of days or months. Where in that period a series starts is its
 * phase, in hours: a window shorter than the period takes in a part of the phases, and an index finds those.
 */
export interface Lane {
  /** `d` counts its period in days, `m` in months; `none` holds what doesn't recur. */
  readonly unit: "d" | "m" | "none";
  /** In the unit. */
  readonly period: number;
  /** No event in the lane is longer. */
  readonly hours: number;
}

/** From `first` to `last`, both included. */
export interface PhaseRange {
  readonly first: number;
  readonly last: number;
}

const HOUR_MS = 3_600_000;
/** A month has at most 31 · 24 hours. */
const MONTH_HOURS = 744;
/** Lengths are sorted into classes: up to 1, 2, 4 and 8 hours, and from there four to an octave. */
const WHOLE_OCTAVES = 3;
const CLASSES_PER_OCTAVE = 4;
/** An interval above these is filed under the interval of one, whose phase it has as well: that bounds the number of lanes. */
const MOST_PERIODS = { DAILY: 31, WEEKLY: 8, MONTHLY: 12, YEARLY: 10 } as const;

/** The name under which an event that doesn't recur is filed. */
export const SINGLE = "one";
/** The name under which an occurrence is filed that was moved by hand. */
export const MOVED = "moved";

/** The name of a series' lane, such as `d7/0`; inverse of `readLane`. */
export function laneOf({ recurrence, startsAt, endsAt }: Series): string {
  const hours = Math.max(1, (endsAt - startsAt) / HOUR_MS);
  return `${periodOf(recurrence)}/${lengthClassOf(hours)}`;
}

/** Inverse of `longestIn`, as far as it goes: the class of a length. */
function lengthClassOf(hours: number): number {
  const octaves = Math.log2(hours);
  if (octaves <= WHOLE_OCTAVES) return Math.ceil(octaves);
  return WHOLE_OCTAVES + Math.ceil((octaves - WHOLE_OCTAVES) * CLASSES_PER_OCTAVE);
}

/** The longest length in a class, in hours. */
function longestIn(lengthClass: number): number {
  if (lengthClass <= WHOLE_OCTAVES) return 2 ** lengthClass;
  return Math.ceil(2 ** (WHOLE_OCTAVES + (lengthClass - WHOLE_OCTAVES) / CLASSES_PER_OCTAVE));
}

function periodOf({ frequency, interval }: Recurrence): string {
  const period = interval > MOST_PERIODS[frequency] ? 1 : interval;
  switch (frequency) {
    case "DAILY":
      return `d${period}`;
    case "WEEKLY":
      return `d${7 * period}`;
    case "MONTHLY":
      return `m${period}`;
    case "YEARLY":
      return `m${12 * period}`;
  }
}

/** What a lane's name says. */
export function readLane(name: string): Lane {
  const [, unit, period, lengthClass] = /^([dm])(\d+)\/(\d+)$/.exec(name) ?? [];
  if (unit === undefined) return { unit: "none", period: 0, hours: 0 };
  return { unit: unit as "d" | "m", period: Number(period), hours: longestIn(Number(lengthClass)) };
}

/** Where in its lane's period a series starts, on the wall clock that its rule runs on. */
export function phaseOf(series: Series): number {
  const lane = readLane(laneOf(series));
  return hourIn(lane, instantToLocal(series.startsAt, series.clock[0].zone)) % hoursOfPeriod(lane);
}

/**
 * The phases of a lane that a window takes in, on the wall clocks that its series may run on; undefined for all.
 * It takes in an occurrence that starts before it as far back as the lane's longest lasts.
 */
export function phasesIn(lane: Lane, { from, until }: Window, zones: readonly Zone[]): PhaseRange[] | undefined {
  const period = hoursOfPeriod(lane);
  const first = hourIn(lane, earliestWall(from - lane.hours * HOUR_MS, zones));
  const last = hourIn(lane, latestWall(until, zones));
  if (last - first + 1 >= period) return undefined;
  const [start, end] = [modulo(first, period), modulo(last, period)];
  return start <= end
    ? [{ first: start, last: end }]
    : [
        { first: 0, last: end },
        { first: start, last: period - 1 },
      ];
}

function hoursOfPeriod({ unit, period }: Lane): number {
  return period * (unit === "d" ? 24 : MONTH_HOURS);
}

/** The hour of a wall time, counted on through days or through months of 31 days: it grows with the wall time. */
function hourIn({ unit }: Lane, wall: WallMs): number {
  const hour = Math.floor(wall / HOUR_MS);
  if (unit === "d") return hour;
  const days = Math.floor(hour / 24);
  const { year, month, day } = civilOfDays(days);
  return (year * 12 + month - 1) * MONTH_HOURS + (day - 1) * 24 + (hour - days * 24);
}

function earliestWall(at: EpochMs, zones: readonly Zone[]): WallMs {
  return Math.min(...zones.map((zone) => wallsAround(at, zone).earliest));
}

function latestWall(at: EpochMs, zones: readonly Zone[]): WallMs {
  return Math.max(...zones.map((zone) => wallsAround(at - 1, zone).latest));
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
