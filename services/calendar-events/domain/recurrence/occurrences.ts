import type { Recurrence } from "../../../contracts/recurrence.ts";
import { type EpochMs, LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import { DAY_MS } from "./civil-days.ts";
import { type CalendarClock, movedByZone } from "../calendar/calendar-clock.ts";
import { LAST_END_DAY, midnightAround } from "../calendar/days.ts";
import {
  MAX_UTC_OFFSET_MS,
  instantToLocal,
  localToInstant,
  type WallMs,
  wallsAround,
} from "../calendar/local-to-instant.ts";
import { inOriginalOrder, originalOf } from "./original-order.ts";
import { datesOf, type RuleDates } from "./rule-dates.ts";
import { hasTimes } from "./times-of-day.ts";
import type { Window } from "../../../contracts/window.ts";
import type { Zone } from "../calendar/zone.ts";
import { type Times, overlaps } from "../event/window.ts";

/** A series: the times of the first occurrence, the rule, and the wall clock of the rule. */
export interface Series extends Times {
  readonly recurrence: Recurrence;
  readonly clock: CalendarClock;
  /**
   * The wall time of the first occurrence by the rule. Absent if the clock shows it at `startsAt`; the clock differs if the wall
   * time does not exist on that date.
   */
  readonly startWall?: WallMs;
  /** Number of days of an all-day event, whose occurrences begin and end at midnight (D50). */
  readonly days?: number;
  /** The last date by the count of a rule, which is expensive to compute; see `lastWallOf`. */
  readonly lastWall?: WallMs;
}

/** One occurrence of a series by its rule, without overrides. */
export interface RuleOccurrence extends Times {
  /** Its start in the zone in which the series was set. It identifies the occurrence (D12) and never changes. */
  readonly original: EpochMs;
  /** Its wall time by the rule; the clock differs if that time does not exist. */
  readonly wall: WallMs;
  readonly isFirst: boolean;
  /** Instant of the zone change that caused this start; undefined if none did. */
  readonly movedAt?: EpochMs;
}

/**
 * The occurrences that overlap a window, in the order of their original starts; at most `limit`. Occurrences before
 * the window cost nothing. `isExcluded` excludes cancelled and moved occurrences.
 */
export function occurrencesOverlapping(...parameters: Parameters<typeof eachOccurrenceOverlapping>): RuleOccurrence[] {
  return [...eachOccurrenceOverlapping(...parameters)];
}

/**
 * The same as an iterable that computes each occurrence when it is consumed, so that a caller can pause in between.
 */
export function eachOccurrenceOverlapping(
  series: Series,
  window: Window,
  limit: number,
  isExcluded: (original: EpochMs) => boolean = excludeNothing,
): Iterable<RuleOccurrence> {
  const range = { from: window.from - longestDuration(series), until: window.until };
  return ruleOccurrencesBetween(
    series,
    wallsOfWindow(range),
    limit,
    (ruleOccurrence) => overlaps(ruleOccurrence, window) && !isExcluded(ruleOccurrence.original),
  );
}

/** The occurrences that start in a window, in the order of their original starts; at most `limit`. */
export function occurrencesStarting(...parameters: Parameters<typeof eachOccurrenceStarting>): RuleOccurrence[] {
  return [...eachOccurrenceStarting(...parameters)];
}

/** The same as an iterable that computes each occurrence when it is consumed. */
export function eachOccurrenceStarting(
  series: Series,
  window: Window,
  limit: number,
  isExcluded: (original: EpochMs) => boolean = excludeNothing,
): Iterable<RuleOccurrence> {
  const starts = ({ startsAt }: RuleOccurrence) => startsAt >= window.from && startsAt < window.until;
  return ruleOccurrencesBetween(
    series,
    wallsOfWindow(window),
    limit,
    (ruleOccurrence) => starts(ruleOccurrence) && !isExcluded(ruleOccurrence.original),
  );
}

function excludeNothing(): boolean {
  return false;
}

/** The wall time of the first occurrence. */
export function startWallOf({ startWall, startsAt, clock }: Series): WallMs {
  return startWall ?? instantToLocal(startsAt, clock[0].zone);
}

/** The duration of each occurrence on the wall clock. */
export function wallDuration({ startsAt, endsAt, days }: Pick<Series, "startsAt" | "endsAt" | "days">): number {
  return days === undefined ? endsAt - startsAt : days * DAY_MS;
}

/** The longest duration of an occurrence. A change of the clock makes a day longer by an hour, rarely by a whole day. */
export function longestDuration(series: Pick<Series, "startsAt" | "endsAt" | "days">): number {
  return wallDuration(series) + (series.days === undefined ? 0 : DAY_MS);
}

/** The first occurrence by the rule. */
export function firstRuleOccurrence(series: Series): RuleOccurrence {
  return ruleOccurrenceOf(series, startWallOf(series), series.startsAt);
}

/**
 * The present instant of a time that was set in the first zone of the clock, and the instant of the zone change that
 * moved it there; 0 if none did.
 */
export function movedInstant(instant: EpochMs, clock: CalendarClock): { at: EpochMs; since: EpochMs } {
  const moved = movedByZone(clock, instantToLocal(instant, clock[0].zone), instant);
  return { at: moved?.at ?? instant, since: moved?.since ?? 0 };
}

/** The occurrence with this original start; undefined if there is none. */
export function ruleOccurrenceAt(series: Series, original: EpochMs): RuleOccurrence | undefined {
  const { earliest, latest } = wallsAround(original, series.clock[0].zone);
  const walls = { from: earliest, until: latest + 1 };
  return [...ruleOccurrencesBetween(series, walls, 1, (ruleOccurrence) => ruleOccurrence.original === original)][0];
}

/**
 * The end of the last occurrence, without changes of the zone; undefined for an endless series. The result may be later than
 * the true end, and is never earlier: it is the last instant (D13) if the rule has fewer dates than its count, and it is counted
 * from UNTIL even if UNTIL is not a date of the rule.
 */
export function seriesEnd(series: Series): EpochMs | undefined {
  const { recurrence, startsAt } = series;
  const ruleEnd = lastStart(series);
  if (ruleEnd === undefined) return undefined;
  const last = Math.max(ruleEnd, startsAt, recurrence.rDates?.at(-1) ?? 0);
  return Math.min(last + longestDuration(series), LAST_EPOCH_MS);
}

/** The latest possible start of an occurrence of the rule; undefined for an endless rule. */
function lastStart(series: Series): EpochMs | undefined {
  const { recurrence } = series;
  if (recurrence.until !== undefined) return recurrence.until + SECOND_MS;
  const dates = seriesDates(series);
  const last = dates.last();
  if (last === undefined) return undefined;
  const start = startWallOf(series);
  let latest = originalOf(series, start, last);
  if (!hasTimes(recurrence)) return latest;
  // A clock change may have moved an earlier date of the day past the last one.
  const next = dates.read(last - DAY_MS, last);
  for (let wall = next(); wall !== undefined; wall = next()) latest = Math.max(latest, originalOf(series, start, wall));
  return latest;
}

/** Whether the series has a second occurrence before the end of time (D13), EXDATEs ignored. */
export function hasSecondOccurrence(series: Series): boolean {
  const following = ruleOccurrencesBetween(withoutExceptions(series), wallsOfWindow(FOR_ALL_TIME), 2, () => true);
  return [...following].length === 2;
}

/** The number of dates of a rule with a count before a wall time: at most the count. */
export function countDatesBefore(series: Series, until: WallMs): number {
  const next = seriesDates(series).read(startWallOf(series), until);
  let count = 0;
  while (next() !== undefined) count += 1;
  return count;
}

/** Whether the EXDATEs leave any occurrence. */
export function hasOccurrence(series: Series): boolean {
  return occurrencesStarting(series, FOR_ALL_TIME, 1).length === 1;
}

const FOR_ALL_TIME = { from: 0, until: LAST_EPOCH_MS + 1 };
const SECOND_MS = 1_000;

function withoutExceptions({ recurrence: { exDates: _, ...recurrence }, ...series }: Series): Series {
  return { ...series, recurrence };
}

function seriesDates(series: Series): RuleDates {
  return datesOf(series.recurrence, startWallOf(series), series.lastWall);
}

/**
 * The wall times of the occurrences whose start, or original start, can be in a window. Wall time and instant differ by hours at
 * most, so few more are computed. They start one day earlier: if the zone skipped a day, the first occurrence in the window must
 * be compared with the one before it.
 */
function wallsOfWindow({ from, until }: Window): Window {
  return { from: from - MAX_UTC_OFFSET_MS - DAY_MS, until: until + MAX_UTC_OFFSET_MS };
}

/** The occurrences for which `matches` is true, among those between two wall times. */
function* ruleOccurrencesBetween(
  series: Series,
  walls: Window,
  limit: number,
  matches: (ruleOccurrence: RuleOccurrence) => boolean,
): Iterable<RuleOccurrence> {
  const { exDates } = series.recurrence;
  const next = readOccurrences(series, walls);
  let found = 0;
  let before: EpochMs | undefined;
  for (let ruleOccurrence = next(); ruleOccurrence !== undefined && found < limit; ruleOccurrence = next()) {
    if (endsTooLate(ruleOccurrence, series)) break;
    // If a zone skipped a day, its occurrence falls on the one of the next day: a recurrence set contains an instant
    // once.
    const isIncluded =
      ruleOccurrence.original !== before &&
      exDates?.includes(ruleOccurrence.original) !== true &&
      matches(ruleOccurrence);
    before = ruleOccurrence.original;
    if (!isIncluded) continue;
    found += 1;
    yield ruleOccurrence;
  }
}

/** Whether the occurrence would end after the year 9999 (D40). The end of an all-day event has to be a date of that year, too. */
function endsTooLate({ wall, endsAt }: RuleOccurrence, { days }: Series): boolean {
  return endsAt > LAST_EPOCH_MS || (days !== undefined && wall / DAY_MS + days > LAST_END_DAY);
}

/** Returns the next occurrence, in the order of original starts; undefined after the last one. */
type ReadNext = () => RuleOccurrence | undefined;

/** Reads the occurrences of the rule and of the RDATEs whose wall times are in a window. */
function readOccurrences(series: Series, window: Window): ReadNext {
  const { rDates } = series.recurrence;
  const nextOfRule = readRuleOccurrences(series, window);
  if (rDates === undefined) return nextOfRule;
  const zone = series.clock[0].zone;
  const wallOf = series.days === undefined ? instantToLocal : midnightAround;
  const walls = rDates.map((original) => ({ original, wall: wallOf(original, zone) }));
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

function readRuleOccurrences(series: Series, window: Window): ReadNext {
  const { until } = series.recurrence;
  const end = until === undefined ? Infinity : secondOf(until);
  if (!hasTimes(series.recurrence)) return readByWall(series, window, end);
  const next = inOriginalOrder(readByWall(series, window, Infinity), series.clock[0].zone);
  return () => {
    const ruleOccurrence = next();
    return ruleOccurrence === undefined || secondOf(ruleOccurrence.original) > end ? undefined : ruleOccurrence;
  };
}

/** Reads the occurrences of the rule in the order of their wall times, up to the first one after the second `end`. */
function readByWall(series: Series, { from, until }: Window, end: number): ReadNext {
  const start = startWallOf(series);
  const next = seriesDates(series).read(from, until);
  return () => {
    const wall = next();
    if (wall === undefined) return undefined;
    const ruleOccurrence = ruleOccurrenceOf(series, wall, originalOf(series, start, wall));
    return secondOf(ruleOccurrence.original) > end ? undefined : ruleOccurrence;
  };
}

function secondOf(at: EpochMs): number {
  return Math.floor(at / SECOND_MS);
}

function ruleOccurrenceOf(series: Series, wall: WallMs, original: EpochMs): RuleOccurrence {
  const { startsAt, endsAt, days, clock } = series;
  const isFirst = original === startsAt;
  const endOf = (start: EpochMs, zone: Zone) =>
    days === undefined ? start + endsAt - startsAt : localToInstant(wall + days * DAY_MS, zone);
  const ruleOccurrence = { original, wall, startsAt: original, endsAt: endOf(original, clock[0].zone), isFirst };
  if (clock.length === 1) return ruleOccurrence;
  const moved = movedByZone(clock, wall, original);
  return moved === undefined
    ? ruleOccurrence
    : { ...ruleOccurrence, startsAt: moved.at, endsAt: endOf(moved.at, moved.zone), movedAt: moved.since };
}
