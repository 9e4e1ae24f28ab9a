import type { Recurrence } from "../../../contracts/recurrence.ts";
import { type EpochMs, LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import { DAY_MS } from "./civil-days.ts";
import { type CalendarClock, movedByZone } from "../calendar/calendar-clock.ts";
import { MAX_UTC_OFFSET_MS, instantToLocal, localToInstant, type WallMs } from "../calendar/local-to-instant.ts";
import { datesOf, type RuleDates } from "./rule-dates.ts";
import { type Times, overlaps, type Window } from "../event/window.ts";

/** A series: the times of the first occurrence, the rule, and the wall clock of the rule. */
export interface Series extends Times {
  readonly recurrence: Recurrence;
  readonly clock: CalendarClock;
  /** The day of the last date by a count, where finding it takes reading all dates; see `lastDayOf`. */
  readonly lastDay?: number;
}

/** One occurrence of a series as its rule has it. */
export interface RuleOccurrence extends Times {
  /** Its start by the zone in which the series was set; it names the occurrence (D12) and never changes. */
  readonly original: EpochMs;
  readonly isFirst: boolean;
  /** Since when it has this start by a change of the zone; undefined when the series' own times say it. */
  readonly movedAt?: EpochMs;
}

/**
 * The occurrences that touch a window, in the order of their original starts; at most `limit`. It costs what it
 * answers: nothing before the window is walked. `isExcluded` leaves out what was cancelled or moved by hand.
 */
export function occurrencesOverlapping(...parameters: Parameters<typeof eachOccurrenceOverlapping>): RuleOccurrence[] {
  return [...eachOccurrenceOverlapping(...parameters)];
}

/** The same, each computed when it is taken: a caller may pause between them. */
export function eachOccurrenceOverlapping(
  series: Series,
  window: Window,
  limit: number,
  isExcluded: (original: EpochMs) => boolean = excludeNothing,
): Iterable<RuleOccurrence> {
  const duration = series.endsAt - series.startsAt;
  const around = { from: window.from - duration, until: window.until };
  return ruleOccurrencesBetween(
    series,
    around,
    limit,
    (ruleOccurrence) => overlaps(ruleOccurrence, window) && !isExcluded(ruleOccurrence.original),
  );
}

/** The occurrences that start in a window, in the order of their original starts; at most `limit`. */
export function occurrencesStarting(...parameters: Parameters<typeof eachOccurrenceStarting>): RuleOccurrence[] {
  return [...eachOccurrenceStarting(...parameters)];
}

/** The same, each computed when it is taken. */
export function eachOccurrenceStarting(
  series: Series,
  window: Window,
  limit: number,
  isExcluded: (original: EpochMs) => boolean = excludeNothing,
): Iterable<RuleOccurrence> {
  const starts = ({ startsAt }: RuleOccurrence) => startsAt >= window.from && startsAt < window.until;
  return ruleOccurrencesBetween(
    series,
    window,
    limit,
    (ruleOccurrence) => starts(ruleOccurrence) && !isExcluded(ruleOccurrence.original),
  );
}

function excludeNothing(): boolean {
  return false;
}

/** The first occurrence by the rule. */
export function firstRuleOccurrence(series: Series): RuleOccurrence {
  return ruleOccurrenceOf(series, instantToLocal(series.startsAt, series.clock[0].zone), series.startsAt);
}

/** When something is now that was set to an instant, and since when a change of the zone has it there, or 0. */
export function movedInstant(instant: EpochMs, clock: CalendarClock): { at: EpochMs; since: EpochMs } {
  return movedByZone(clock, instantToLocal(instant, clock[0].zone), instant) ?? { at: instant, since: 0 };
}

/** The occurrence with this original start; undefined when there is none. */
export function ruleOccurrenceAt(series: Series, original: EpochMs): RuleOccurrence | undefined {
  const around = { from: original, until: original + 1 };
  return [...ruleOccurrencesBetween(series, around, 1, (ruleOccurrence) => ruleOccurrence.original === original)][0];
}

/** Rules of a zone that change move its clock by an hour, rarely by two or three; dates of a rule are further apart. */
const MAX_RULE_MOVE_MS = 3 * 3_600_000;

/**
 * Where an original start has moved by rules of the zone that changed: the one date of the series within three hours of it,
 * exceptions not considered. Undefined where it is a date itself, or there is none or more than one.
 */
export function originalUnderNewRules(series: Series, original: EpochMs): EpochMs | undefined {
  const around = { from: original - MAX_RULE_MOVE_MS, until: original + MAX_RULE_MOVE_MS + 1 };
  const near = occurrencesStarting(withoutExceptions(series), around, 2);
  return near.length === 1 && near[0]?.original !== original ? near[0]?.original : undefined;
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
export function hasSecondOccurrence(series: Series): boolean {
  const following = ruleOccurrencesBetween(withoutExceptions(series), FOR_ALL_TIME, 2, () => true);
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
 * The ruleOccurrences that `matches` takes among those whose start, or original start, may lie in a window: wall time and
 * instant differ by hours at most, so few more are looked at.
 */
function* ruleOccurrencesBetween(
  series: Series,
  { from, until }: Window,
  limit: number,
  matches: (ruleOccurrence: RuleOccurrence) => boolean,
): Iterable<RuleOccurrence> {
  const { exDates } = series.recurrence;
  // One day earlier, so that the first ruleOccurrence in the window knows the one before it that a zone's skipped day moved onto it.
  const next = readOccurrences(series, { from: from - MAX_UTC_OFFSET_MS - DAY_MS, until: until + MAX_UTC_OFFSET_MS });
  let found = 0;
  let before: EpochMs | undefined;
  for (let ruleOccurrence = next(); ruleOccurrence !== undefined && found < limit; ruleOccurrence = next()) {
    if (ruleOccurrence.endsAt > LAST_EPOCH_MS) break;
    // Where a zone left out a whole day, its occurrence falls on the next day's: a set holds it once.
    const isOwn =
      ruleOccurrence.original !== before &&
      exDates?.includes(ruleOccurrence.original) !== true &&
      matches(ruleOccurrence);
    before = ruleOccurrence.original;
    if (!isOwn) continue;
    found += 1;
    yield ruleOccurrence;
  }
}

/** Reads ruleOccurrences in the order of their original starts, one with each call. */
type ReadNext = () => RuleOccurrence | undefined;

/** The ruleOccurrences of the rule and of the additions whose wall times lie in a window. */
function readOccurrences(series: Series, window: Window): ReadNext {
  const { rDates } = series.recurrence;
  const nextOfRule = readRuleOccurrences(series, window);
  if (rDates === undefined) return nextOfRule;
  const zone = series.clock[0].zone;
  const walls = rDates.map((original) => ({ original, wall: instantToLocal(original, zone) }));
  const added = walls.filter(({ wall }) => wall >= window.from && wall < window.until);
  let ofRule = nextOfRule();
  let taken = 0;
  return () => {
    const addition = added[taken];
    if (addition === undefined || (ofRule !== undefined && ofRule.original <= addition.original)) {
      const ruleOccurrence = ofRule;
      ofRule = nextOfRule();
      return ruleOccurrence;
    }
    taken += 1;
    return ruleOccurrenceOf(series, addition.wall, addition.original);
  };
}

function readRuleOccurrences(series: Series, { from, until }: Window): ReadNext {
  const { recurrence, startsAt, clock } = series;
  const zone = clock[0].zone;
  const start = instantToLocal(startsAt, zone);
  const next = seriesDates(series).read(from, until);
  const end = recurrence.until === undefined ? Infinity : secondOf(recurrence.until);
  return () => {
    const wall = next();
    if (wall === undefined) return undefined;
    // The first occurrence is when it was said to be, also at a wall time that occurs twice.
    const ruleOccurrence = ruleOccurrenceOf(series, wall, wall === start ? startsAt : localToInstant(wall, zone));
    return secondOf(ruleOccurrence.original) > end ? undefined : ruleOccurrence;
  };
}

function secondOf(at: EpochMs): number {
  return Math.floor(at / SECOND_MS);
}

function ruleOccurrenceOf({ startsAt, endsAt, clock }: Series, wall: WallMs, original: EpochMs): RuleOccurrence {
  const duration = endsAt - startsAt;
  const isFirst = original === startsAt;
  const ruleOccurrence = { original, startsAt: original, endsAt: original + duration, isFirst };
  if (clock.length === 1) return ruleOccurrence;
  const moved = movedByZone(clock, wall, original);
  return moved === undefined
    ? ruleOccurrence
    : { ...ruleOccurrence, startsAt: moved.at, endsAt: moved.at + duration, movedAt: moved.since };
}
