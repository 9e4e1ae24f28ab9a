import { daysInMonth } from "./civil-days.ts";

/** The same day of every nth month. Months without the day are skipped (D16). */
export interface MonthSteps {
  /** Number of the first month, counted from the year 0. */
  readonly firstMonth: number;
  /** 1 … 31. */
  readonly dayOfMonth: number;
  /** The interval in months, 1 or more. */
  readonly every: number;
}

/** Year and month (1 … 12) of a step, counted from 0. */
export function monthOfStep({ firstMonth, every }: MonthSteps, step: number): { year: number; month: number } {
  const months = firstMonth + step * every;
  return { year: Math.floor(months / 12), month: (months % 12) + 1 };
}

/** Returns how many of the first `steps` steps have the day. */
export type ExistingSteps = (steps: number) => number;

/**
 * Counts the steps that have the day, by arithmetic. The steps fall into classes, one for each month of the year that
 * they reach. All steps of a class have the day, or none; only 29 February depends on the year, so its leap years are
 * counted.
 */
export function existingSteps(days: MonthSteps): ExistingSteps {
  if (days.dayOfMonth <= 28) return (steps) => steps;
  const cycle = 12 / greatestCommonDivisor(12, days.every);
  const classes = Array.from({ length: cycle }, (_, at) => existingInClass(days, at, cycle));
  return (steps) => {
    let existing = 0;
    for (const [at, count] of classes.entries()) if (steps > at) existing += count(Math.ceil((steps - at) / cycle));
    return existing;
  };
}

function existingInClass(days: MonthSteps, first: number, cycle: number): ExistingSteps {
  const { year, month } = monthOfStep(days, first);
  if (month === 2 && days.dayOfMonth === 29) return leapYearsAmong(year, (days.every * cycle) / 12);
  return days.dayOfMonth <= daysInMonth(year, month) ? (steps) => steps : () => 0;
}

/** Counts the leap years among the years `first`, `first + every`, …. */
function leapYearsAmong(first: number, every: number): ExistingSteps {
  const [fours, hundreds, fourHundreds] = [4, 100, 400].map((divisor) => multiplesAmong(first, every, divisor));
  return (steps) => (fours?.(steps) ?? 0) - (hundreds?.(steps) ?? 0) + (fourHundreds?.(steps) ?? 0);
}

/** Counts the multiples of the divisor among the numbers `first`, `first + every`, …. They have equal distances. */
function multiplesAmong(first: number, every: number, divisor: number): ExistingSteps {
  const distance = divisor / greatestCommonDivisor(every, divisor);
  let start = 0;
  while (start < distance && (first + start * every) % divisor !== 0) start += 1;
  if (start === distance) return () => 0;
  return (steps) => (steps <= start ? 0 : Math.floor((steps - 1 - start) / distance) + 1);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
