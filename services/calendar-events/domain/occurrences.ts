import type { Recurrence } from "../../contracts/recurrence.ts";
import { type EpochMs, LAST_EPOCH_MS } from "../../contracts/ids.ts";
import { DAY_MS } from "./civil-days.ts";
import { type CalendarClock, movedByZone } from "./calendar-clock.ts";
import { FURTHEST_CLOCK_MS, instantToLocal, localToInstant, type WallMs } from "./local-to-instant.ts";
import { datesOf, type RuleDates } from "./rule-dates.ts";
import { type Times, touches, type Window } from "./window.ts";

/** What recurs: the times of the first occurrence, the rule, and the clock that the rule runs on. */
export interface Series extends Times {
  readonly recurrence: Recurrence;
  readonly clock: CalendarClock;
  /** The day of the last date by a count, where finding it takes reading all dates; see `lastDayOf`. */
  readonly lastDay?: number;
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
  return slotOf(series, instantToLocal(series.startsAt, series.clock[0].zone), series.startsAt);
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
 * than that, and later only where time itself ends (D13) or where the last dates before UNTIL are none of the rule's.
 */
export function seriesEnd(series: Series): EpochMs | undefined {
  const { recurrence, startsAt, endsAt } = series;
  const ruleEnd = lastStart(series);
  if (ruleEnd === undefined) return undefined;
  const last = Math.max(ruleEnd, startsAt, recurrence.rDates?.at(-1) ?? 0);
  return Math.min(last + endsAt - startsAt, LAST_EPOCH_MS);
}

/** No occurrence of the rule starts later. */
function lastStart(series: Series): EpochMs | undefined {
  const { recurrence, startsAt, clock } = series;
  if (recurrence.until !== undefined) return recurrence.until + SECOND_MS;
  const last = seriesDates(series).last();
  if (last === undefined) return undefined;
  return last === instantToLocal(startsAt, clock[0].zone) ? startsAt : localToInstant(last, clock[0].zone);
}

/** Whether anything follows the first occurrence before time ends (D13), exceptions not considered. */
export function recursAtAll(series: Series): boolean {
  const following = slotsBetween(withoutExceptions(series), FOR_ALL_TIME, 2, () => true);
  return [...following].length === 2;
}

/** Whether the exceptions leave any occurrence. */
export function hasOccurrence(series: Series): boolean {
  return occurrencesStarting(series, FOR_ALL_TIME, 1).length === 1;
}

const FOR_ALL_TIME = { from: 0, until: LAST_EPOCH_MS + 1 };
const SECOND_MS = 1_000;

function withoutExceptions({ recurrence: { exDates: _, ...recurrence }, ...series }: Series): Series {
  return { ...series, recurrence };
}

function seriesDates({ recurrence, startsAt, clock, lastDay }: Series): RuleDates {
  return datesOf(recurrence, instantToLocal(startsAt, clock[0].zone), lastDay);
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
  const { exDates } = series.recurrence;
  // One day earlier, so that the first slot in the window knows the one before it that a zone's skipped day moved onto it.
  const next = readSlots(series, { from: from - FURTHEST_CLOCK_MS - DAY_MS, until: until + FURTHEST_CLOCK_MS });
  let found = 0;
  let before: EpochMs | undefined;
  for (let slot = next(); slot !== undefined && found < most; slot = next()) {
    if (slot.endsAt > LAST_EPOCH_MS) break;
    // Where a zone left out a whole day, its occurrence falls on the next day's: a set holds it once.
    const isOwn = slot.original !== before && exDates?.includes(slot.original) !== true && belongs(slot);
    before = slot.original;
    if (!isOwn) continue;
    found += 1;
    yield slot;
  }
}

/** Reads slots in the order of their original starts, one with each call. */
type ReadSlots = () => Slot | undefined;

/** The slots of the rule and of the additions whose wall times lie in a window. */
function readSlots(series: Series, window: Window): ReadSlots {
  const { rDates } = series.recurrence;
  const nextOfRule = readRuleSlots(series, window);
  if (rDates === undefined) return nextOfRule;
  const zone = series.clock[0].zone;
  const walls = rDates.map((original) => ({ original, wall: instantToLocal(original, zone) }));
  const added = walls.filter(({ wall }) => wall >= window.from && wall < window.until);
  let ofRule = nextOfRule();
  let taken = 0;
  return () => {
    const addition = added[taken];
    if (addition === undefined || (ofRule !== undefined && ofRule.original <= addition.original)) {
      const slot = ofRule;
      ofRule = nextOfRule();
      return slot;
    }
    taken += 1;
    return slotOf(series, addition.wall, addition.original);
  };
}

function readRuleSlots(series: Series, { from, until }: Window): ReadSlots {
  const { recurrence, startsAt, clock } = series;
  const zone = clock[0].zone;
  const start = instantToLocal(startsAt, zone);
  const next = seriesDates(series).read(from, until);
  const end = recurrence.until === undefined ? Infinity : secondOf(recurrence.until);
  return () => {
    const wall = next();
    if (wall === undefined) return undefined;
    // The first occurrence is when it was said to be, also at a wall time that occurs twice.
    const slot = slotOf(series, wall, wall === start ? startsAt : localToInstant(wall, zone));
    return secondOf(slot.original) > end ? undefined : slot;
  };
}

function secondOf(at: EpochMs): number {
  return Math.floor(at / SECOND_MS);
}

function slotOf({ startsAt, endsAt, clock }: Series, wall: WallMs, original: EpochMs): Slot {
  const duration = endsAt - startsAt;
  const isFirst = original === startsAt;
  const slot = { original, startsAt: original, endsAt: original + duration, isFirst };
  if (clock.length === 1) return slot;
  const moved = movedByZone(clock, wall, original);
  return moved === undefined
    ? slot
    : { ...slot, startsAt: moved.at, endsAt: moved.at + duration, movedAt: moved.since };
}
