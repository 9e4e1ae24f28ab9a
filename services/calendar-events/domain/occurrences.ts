import type { Recurrence } from "../../contracts/calendar-events.contract.ts";
import { type EpochMs, LAST_EPOCH_MS } from "../../contracts/ids.ts";
import { type CalendarClock, movedByZone } from "./calendar-clock.ts";
import { FURTHEST_CLOCK_MS, instantToLocal, localToInstant, type WallMs } from "./local-to-instant.ts";
import { type Steps, stepsOf } from "./recurrence.ts";
import { type Times, touches, type Window } from "./window.ts";

/** What recurs: the times of the first occurrence, the rule, and the clock that the rule runs on. */
export interface Series extends Times {
  readonly recurrence: Recurrence;
  readonly clock: CalendarClock;
}

/** One occurrence of a series as its rule has it. */
export interface Slot extends Times {
  /** Its start by the zone in which the series was set; it names the occurrence (D12) and never changes. */
  readonly original: EpochMs;
  readonly isFirst: boolean;
  /** Since when it has this start by a change of the zone; undefined when the series' own times say it. */
  readonly movedAt?: EpochMs;
}

/**
 * The occurrences that touch a window, in the order of their original starts; at most `most`. It costs what it
 * answers: nothing before the window is walked. `isElsewhere` leaves out what was cancelled or moved by hand.
 */
export function occurrencesTouching(...asked: Parameters<typeof eachOccurrenceTouching>): Slot[] {
  return [...eachOccurrenceTouching(...asked)];
}

/** The same, each computed when it is taken: a caller may pause between them. */
export function eachOccurrenceTouching(
  series: Series,
  window: Window,
  most: number,
  isElsewhere: (original: EpochMs) => boolean = nowhere,
): Iterable<Slot> {
  const duration = series.endsAt - series.startsAt;
  const around = { from: window.from - duration, until: window.until };
  return slotsBetween(series, around, most, (slot) => touches(slot, window) && !isElsewhere(slot.original));
}

/** The occurrences that start in a window, in the order of their original starts; at most `most`. */
export function occurrencesStarting(...asked: Parameters<typeof eachOccurrenceStarting>): Slot[] {
  return [...eachOccurrenceStarting(...asked)];
}

/** The same, each computed when it is taken. */
export function eachOccurrenceStarting(
  series: Series,
  window: Window,
  most: number,
  isElsewhere: (original: EpochMs) => boolean = nowhere,
): Iterable<Slot> {
  const starts = ({ startsAt }: Slot) => startsAt >= window.from && startsAt < window.until;
  return slotsBetween(series, window, most, (slot) => starts(slot) && !isElsewhere(slot.original));
}

function nowhere(): boolean {
  return false;
}

/** The first occurrence by the rule. */
export function firstSlot(series: Series): Slot {
  return slotOf(series, 0, instantToLocal(series.startsAt, series.clock[0].zone));
}

/** When something is now that was set to an instant, and since when a change of the zone has it there, or 0. */
export function movedInstant(instant: EpochMs, clock: CalendarClock): { at: EpochMs; since: EpochMs } {
  return movedByZone(clock, instantToLocal(instant, clock[0].zone), instant) ?? { at: instant, since: 0 };
}

/** The occurrence with this original start; undefined when there is none. */
export function occurrenceAt(series: Series, original: EpochMs): Slot | undefined {
  const around = { from: original, until: original + 1 };
  return [...slotsBetween(series, around, 1, (slot) => slot.original === original)][0];
}

/**
 * When the last occurrence ends, without changes of the zone; undefined for a series without an end. Never earlier
 * than that, and later only where time itself ends (D13).
 */
export function seriesEnd(series: Series): EpochMs | undefined {
  if (series.recurrence.count === -1) return undefined;
  const steps = seriesSteps(series);
  let last = steps.last;
  while (last > 0 && steps.wallOf(last) === undefined) last -= 1;
  const wall = steps.wallOf(last) ?? series.startsAt;
  const { original } = slotOf(series, last, wall);
  return Math.min(original + series.endsAt - series.startsAt, LAST_EPOCH_MS);
}

/** Whether anything follows the first occurrence before time ends (D13). */
export function recursAtAll(series: Series): boolean {
  const steps = seriesSteps(series);
  for (let step = 1; step <= steps.last; step += 1) {
    const wall = steps.wallOf(step);
    if (wall !== undefined) return slotOf(series, step, wall).endsAt <= LAST_EPOCH_MS;
  }
  return false;
}

function seriesSteps({ recurrence, startsAt, clock }: Series): Steps {
  return stepsOf(recurrence, instantToLocal(startsAt, clock[0].zone));
}

/**
 * The slots that `belongs` takes among those whose start, or original start, may lie in a window: wall time and
 * instant differ by hours at most, so few more are looked at.
 */
function* slotsBetween(
  series: Series,
  { from, until }: Window,
  most: number,
  belongs: (slot: Slot) => boolean,
): Iterable<Slot> {
  const steps = seriesSteps(series);
  let found = 0;
  let before: EpochMs | undefined;
  // One step earlier, so that the first slot looked at knows the one before it.
  const first = Math.max(0, steps.stepFrom(from - FURTHEST_CLOCK_MS) - 1);
  for (let step = first; step <= steps.last && found < most; step += 1) {
    const wall = steps.wallOf(step);
    if (wall === undefined) continue;
    if (wall >= until + FURTHEST_CLOCK_MS) break;
    const slot = slotOf(series, step, wall);
    if (slot.endsAt > LAST_EPOCH_MS) break;
    // Where a zone left out a whole day, its occurrence falls on the next day's: a set holds it once.
    const isOwn = slot.original !== before && belongs(slot);
    before = slot.original;
    if (!isOwn) continue;
    found += 1;
    yield slot;
  }
}

function slotOf({ startsAt, endsAt, clock }: Series, step: number, wall: WallMs): Slot {
  // The first occurrence is when it was said to be, also at a wall time that occurs twice.
  const original = step === 0 ? startsAt : localToInstant(wall, clock[0].zone);
  const duration = endsAt - startsAt;
  const slot = { original, startsAt: original, endsAt: original + duration, isFirst: step === 0 };
  if (clock.length === 1) return slot;
  const moved = movedByZone(clock, wall, original);
  return moved === undefined
    ? slot
    : { ...slot, startsAt: moved.at, endsAt: moved.at + duration, movedAt: moved.since };
}
