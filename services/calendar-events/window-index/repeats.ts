import type { Frequency } from "../../contracts/calendar-events.contract.ts";
import { DAY_MS } from "../domain/civil-days.ts";
import { instantToLocal, type WallMs } from "../domain/local-to-instant.ts";
import type { Series } from "../domain/occurrences.ts";
import { LONGEST_IN_SLOTS_MS } from "./cycles.ts";
import { dateOf, timeInto } from "./wall-clock.ts";

/** How often a series comes back, by the day or by the month, on the wall clock. */
export interface Repeats {
  readonly unit: Unit;
  /** In the unit, from one occurrence to the next. */
  readonly every: number;
  /** The number of the day or month in which the first one begins, from 1970 on. */
  readonly from: number;
  /** How many days or months further an occurrence may reach. */
  readonly reaches: number;
}

type Unit = "day" | "month";

const UNITS: Readonly<Record<Frequency, { readonly unit: Unit; readonly size: number }>> = {
  DAILY: { unit: "day", size: 1 },
  WEEKLY: { unit: "day", size: 7 },
  MONTHLY: { unit: "month", size: 1 },
  YEARLY: { unit: "month", size: 12 },
};

/** How far clocks may change while something goes on. */
const CLOCKS_MS = 26 * 3_600_000;
const SHORTEST_MONTH_MS = 28 * DAY_MS;

export function repeatsOf({ recurrence: { frequency, interval }, startsAt, endsAt, clock }: Series): Repeats {
  const { unit, size } = UNITS[frequency];
  const wall = instantToLocal(startsAt, clock[0].zone);
  const length = Math.max(1, endsAt - startsAt);
  const toEnd = length - 1 + (length > LONGEST_IN_SLOTS_MS ? CLOCKS_MS : 0);
  const intoUnit = timeInto(DAY_MS, wall) + (unit === "day" ? 0 : (dateOf(wall).day - 1) * DAY_MS);
  const reaches = Math.floor((intoUnit + toEnd) / (unit === "day" ? DAY_MS : SHORTEST_MONTH_MS));
  return { unit, every: size * interval, from: numberOf(wall, unit), reaches };
}

/** An aggregation expression: whether something of the row may be between two wall times, both included, by its interval. */
export function mayRepeatBetween(from: WallMs, last: WallMs): object {
  const byUnit = (number: (unit: Unit) => number) => ({
    $cond: [{ $eq: ["$repeats.unit", "month"] }, number("month"), number("day")],
  });
  const sinceOne = {
    $mod: [{ $subtract: [byUnit((unit) => numberOf(last, unit)), "$repeats.from"] }, "$repeats.every"],
  };
  const width = byUnit((unit) => numberOf(last, unit) - numberOf(from, unit));
  return { $lte: [sinceOne, { $add: [width, "$repeats.reaches"] }] };
}

function numberOf(wall: WallMs, unit: Unit): number {
  if (unit === "day") return Math.floor(wall / DAY_MS);
  const { year, month } = dateOf(wall);
  return (year - 1970) * 12 + month - 1;
}
