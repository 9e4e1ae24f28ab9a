import { daysInMonth } from "./civil-days.ts";

/** The same day of every so many months: some of them lack it, and are skipped (D16). */
export interface MonthSteps {
  /** Months from the year 0 to the first step's. */
  readonly firstMonth: number;
  /** 1 … 31. */
  readonly dayOfMonth: number;
  /** In months, 1 or more. */
  readonly every: number;
}

/** Year and month (1 … 12) of a step, counted from 0. */
export function monthOfStep({ firstMonth, every }: MonthSteps, step: number): { year: number; month: number } {
  const months = firstMonth + step * every;
  return { year: Math.floor(months / 12), month: (months % 12) + 1 };
}

/** How many of the first `steps` steps exist. */
export type ExistingSteps = (steps: number) => number;

/**
 * Counts existing steps by arithmetic. Every so many steps fall on the same month of the year: such a class exists
 * as a whole or not at all, save for 29 February, where the leap years among its years are counted.
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

/** How many of the years `first`, `first + every`, … are leap years. */
function leapYearsAmong(first: number, every: number): ExistingSteps {
  const [fours, hundreds, fourHundreds] = [4, 100, 400].map((divisor) => multiplesAmong(first, every, divisor));
  return (steps) => (fours?.(steps) ?? 0) - (hundreds?.(steps) ?? 0) + (fourHundreds?.(steps) ?? 0);
}

/** How many of the numbers `first`, `first + every`, … are multiples of the divisor: they come in even distances. */
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
