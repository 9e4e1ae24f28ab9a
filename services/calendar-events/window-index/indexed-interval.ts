import type { Frequency, Recurrence } from "../../contracts/recurrence.ts";
import { hasByParts } from "../domain/recurrence/by-rule-parts.ts";
import { DAY_MS } from "../domain/recurrence/civil-days.ts";
import { MAX_ZONE_MOVE_MS } from "../domain/calendar/calendar-clock.ts";
import type { WallMs } from "../domain/calendar/local-to-instant.ts";
import { type Series, startWallOf, wallDuration } from "../domain/recurrence/occurrences.ts";
import { weekOf } from "../domain/recurrence/day-periods.ts";
import { timesOfDay } from "../domain/recurrence/times-of-day.ts";
import { MAX_SLOTTED_DURATION_MS } from "./cycles.ts";
import { dateOf } from "./wall-clock.ts";

/** The interval of a series in days or months of the wall clock. */
export interface IndexedInterval {
  readonly unit: Unit;
  /** Distance between two periods, in the unit. */
  readonly every: number;
  /** Number of the first day or month, counted from 1970. */
  readonly from: number;
  /** Number of further days or months that an occurrence may extend into. */
  readonly reaches: number;
}

type Unit = "day" | "month";

const UNITS: Readonly<Record<Frequency, { readonly unit: Unit; readonly size: number }>> = {
  DAILY: { unit: "day", size: 1 },
  WEEKLY: { unit: "day", size: 7 },
  MONTHLY: { unit: "month", size: 1 },
  YEARLY: { unit: "month", size: 12 },
};

const SHORTEST_MONTH_MS = 28 * DAY_MS;

export function indexedIntervalOf(series: Series): IndexedInterval {
  const { recurrence } = series;
  // RDATEs do not follow the interval, so any day may have one.
  if (recurrence.rDates !== undefined) return { unit: "day", every: 1, from: 0, reaches: 0 };
  const { unit, size } = UNITS[recurrence.frequency];
  const wall = startWallOf(series);
  const length = Math.max(1, wallDuration(series));
  const toEnd = length - 1 + (length > MAX_SLOTTED_DURATION_MS ? MAX_ZONE_MOVE_MS : 0);
  const { from, last } = firstPeriod(recurrence, wall);
  const latestTime = timesOfDay(recurrence, wall).at(-1) ?? 0;
  const intoUnit = latestTime + last * DAY_MS;
  const reaches = Math.floor((intoUnit + toEnd) / (unit === "day" ? DAY_MS : SHORTEST_MONTH_MS));
  return { unit, every: size * recurrence.interval, from, reaches };
}

/**
 * Returns the number of the day or month in which the first period of a rule begins, and the number of days from
 * there to the last possible date of a period.
 */
function firstPeriod(recurrence: Recurrence, wall: WallMs): { readonly from: number; readonly last: number } {
  const day = Math.floor(wall / DAY_MS);
  const month = numberOf(wall, "month");
  if (!hasByParts(recurrence)) {
    return UNITS[recurrence.frequency].unit === "day"
      ? { from: day, last: 0 }
      : { from: month, last: dateOf(wall).day - 1 };
  }
  switch (recurrence.frequency) {
    case "DAILY":
      return { from: day, last: 0 };
    case "WEEKLY":
      return { from: weekOf(day, recurrence.weekStart), last: 6 };
    case "MONTHLY":
      return { from: month, last: 30 };
    case "YEARLY":
      return { from: month - (month % 12), last: 365 };
  }
}

/**
 * An aggregation expression: whether the interval of a series leaves a period between two wall times, both included.
 */
export function mayRepeatBetween(from: WallMs, last: WallMs): object {
  const byUnit = (number: (unit: Unit) => number) => ({
    $cond: [{ $eq: ["$repeats.unit", "month"] }, number("month"), number("day")],
  });
  const sincePeriod = {
    $mod: [{ $subtract: [byUnit((unit) => numberOf(last, unit)), "$repeats.from"] }, "$repeats.every"],
  };
  const width = byUnit((unit) => numberOf(last, unit) - numberOf(from, unit));
  return { $lte: [sincePeriod, { $add: [width, "$repeats.reaches"] }] };
}

function numberOf(wall: WallMs, unit: Unit): number {
  if (unit === "day") return Math.floor(wall / DAY_MS);
  const { year, month } = dateOf(wall);
  return (year - 1970) * 12 + month - 1;
}
