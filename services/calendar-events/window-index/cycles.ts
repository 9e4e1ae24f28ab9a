import { type Frequency, FREQUENCIES } from "../../contracts/recurrence.ts";
import { type CivilDate, civilOfDays, DAY_MS, daysOfCivil } from "../domain/recurrence/civil-days.ts";
import type { WallMs } from "../domain/calendar/local-to-instant.ts";
import { type Series, wallDuration } from "../domain/recurrence/occurrences.ts";
import { dateOf, timeInto } from "./wall-clock.ts";
import { candidateDates } from "./candidate-dates.ts";

/*
 * Each frequency has a cycle: a daily series repeats at the same time of day, a weekly one at the same time of the
 * week, whatever its interval. The cycle is divided into slots on the wall clock. A series has an entry for each slot
 * that its occurrences occupy, and the query of a window searches the slots that the window overlaps.
 */
interface Cycle {
  readonly slotMs: number;
  readonly slots: number;
  /** A window of this length or longer overlaps every slot, whatever the lengths of months and years. */
  readonly wholeMs: number;
  /** The slot of a wall time, from 0. */
  slotOf(wall: WallMs): number;
  /**
   * Sample wall times of the same position in the cycle: occurrences that start at the samples occupy every slot that
   * any occurrence at this position occupies.
   */
  samplesOf(wall: WallMs): readonly WallMs[];
}

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * DAY_MS;
const MAX_DAYS_OF_MONTH = 31;

/** Months of 28, 29, 30 and 31 days. */
const MONTHS = [
  { year: 2023, month: 2 },
  { year: 2024, month: 2 },
  { year: 2023, month: 4 },
  { year: 2023, month: 1 },
] as const;
/** A common year and a leap year. */
const YEARS = [2023, 2024] as const;

const CYCLES: Readonly<Record<Frequency, Cycle>> = {
  DAILY: evenCycle(DAY_MS, HOUR_MS),
  WEEKLY: evenCycle(WEEK_MS, 3 * HOUR_MS),
  MONTHLY: {
    slotMs: DAY_MS / 2,
    slots: 2 * MAX_DAYS_OF_MONTH,
    wholeMs: 27 * DAY_MS,
    slotOf(wall) {
      const { day } = dateOf(wall);
      return 2 * (day - 1) + Math.floor((2 * timeInto(DAY_MS, wall)) / DAY_MS);
    },
    samplesOf: (wall) =>
      datesThatExist(
        MONTHS.map(({ year, month }) => ({ year, month, day: dateOf(wall).day })),
        wall,
      ),
  },
  YEARLY: {
    slotMs: DAY_MS,
    slots: 12 * MAX_DAYS_OF_MONTH,
    wholeMs: 363 * DAY_MS,
    slotOf(wall) {
      const { month, day } = dateOf(wall);
      return (month - 1) * MAX_DAYS_OF_MONTH + day - 1;
    },
    samplesOf(wall) {
      const { month, day } = dateOf(wall);
      return datesThatExist(
        YEARS.map((year) => ({ year, month, day })),
        wall,
      );
    },
  },
};

/**
 * Longest duration of an occurrence with slots. An occurrence with slots that overlaps a window starts at most this long before
 * it; the query knows the offsets of the clock for that time alone (`wallsAround`).
 */
export const MAX_SLOTTED_DURATION_MS = 2 * DAY_MS;
/** Largest number of slots; a series with more has no entries of this cycle. */
const MAX_SLOTS = 20;

/** Each cycle has a thousand entry numbers. */
const ENTRIES_PER_CYCLE = 1_000;
/** The first two entry numbers of a cycle are not slots. */
const [EVERY_WINDOW, WHOLE_CYCLE, FIRST_SLOT] = [0, 1, 2];

/**
 * The entries of a series: one for windows as long as the whole cycle, and one for each slot; or a single one that
 * every window searches.
 */
export function cycleEntries(series: Series): number[] {
  const { cycles, walls } = candidateDates(series);
  const length = wallDuration(series);
  for (const frequency of cycles) {
    const slots = occupiedSlots(CYCLES[frequency], walls, length);
    const first = firstEntryOf(frequency);
    if (slots !== undefined) return [first + WHOLE_CYCLE, ...slots.map((slot) => first + FIRST_SLOT + slot)];
  }
  return [firstEntryOf(cycles[0]) + EVERY_WINDOW];
}

/** The slots that the occurrences occupy; undefined for long occurrences, all slots, or more than `MAX_SLOTS`. */
function occupiedSlots(cycle: Cycle, walls: readonly WallMs[], length: number): number[] | undefined {
  if (length > MAX_SLOTTED_DURATION_MS) return undefined;
  const slots = new Set<number>();
  for (const from of walls.flatMap((wall) => cycle.samplesOf(wall))) {
    const last = from + Math.max(0, length - 1);
    for (let at = from; at < last; at += cycle.slotMs) slots.add(cycle.slotOf(at));
    slots.add(cycle.slotOf(last));
  }
  return slots.size > MAX_SLOTS || slots.size === cycle.slots ? undefined : [...slots].sort((a, b) => a - b);
}

/** The entry numbers that a window searches. A series with an occurrence in the window has at least one of them. */
export interface EntryNumbers {
  readonly numbers: readonly number[];
  /** Ranges of numbers, both ends included. */
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

/** The entry numbers of series of all frequencies for a window between two wall times, both included. */
export function entryNumbersBetween(from: WallMs, last: WallMs): EntryNumbers {
  const perFrequency = FREQUENCIES.map((frequency) =>
    entryNumbersIn(CYCLES[frequency], firstEntryOf(frequency), from, last),
  );
  return {
    numbers: perFrequency.flatMap(({ numbers }) => numbers),
    ranges: perFrequency.flatMap(({ ranges }) => ranges),
  };
}

function entryNumbersIn(cycle: Cycle, number: number, from: WallMs, last: WallMs): EntryNumbers {
  if (last - from >= cycle.wholeMs) return { numbers: [number + EVERY_WINDOW, number + WHOLE_CYCLE], ranges: [] };
  const zero = number + FIRST_SLOT;
  const [a, b] = [zero + cycle.slotOf(from), zero + cycle.slotOf(last)];
  const ranges =
    a <= b
      ? ([[a, b]] as const)
      : ([
          [zero, b],
          [a, zero + cycle.slots - 1],
        ] as const);
  return { numbers: [number + EVERY_WINDOW], ranges };
}

function firstEntryOf(frequency: Frequency): number {
  return ENTRIES_PER_CYCLE * (1 + FREQUENCIES.indexOf(frequency));
}

/** A cycle of constant length. */
function evenCycle(length: number, slotMs: number): Cycle {
  return {
    slotMs,
    slots: length / slotMs,
    wholeMs: length - slotMs,
    slotOf: (wall) => Math.floor(timeInto(length, wall) / slotMs),
    samplesOf: (wall) => [wall],
  };
}

/** The time of day of a wall time on each of the dates that exist. */
function datesThatExist(dates: readonly CivilDate[], wall: WallMs): WallMs[] {
  const existing = dates.filter((date) => civilOfDays(daysOfCivil(date)).day === date.day);
  return existing.map((date) => daysOfCivil(date) * DAY_MS + timeInto(DAY_MS, wall));
}
