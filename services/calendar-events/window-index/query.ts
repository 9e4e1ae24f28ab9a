import type { EpochMs, EventId, GuildId } from "../../contracts/ids.ts";
import { type Calendar, hasZoneChange, zonesFrom } from "../domain/calendar/calendar.ts";
import { MAX_ZONE_MOVE_MS } from "../domain/calendar/calendar-clock.ts";
import { MAX_UTC_OFFSET_MS, type WallMs, wallsAround } from "../domain/calendar/local-to-instant.ts";
import type { Window } from "../../contracts/window.ts";
import type { Zone } from "../domain/calendar/zone.ts";
import { entryNumbersBetween, MAX_SLOTTED_DURATION_MS } from "./cycles.ts";
import { ALL_DAY_CLASSES, DURATION_CLASSES, MOVED_ENTRY } from "./entries.ts";
import { mayRepeatBetween } from "./indexed-interval.ts";

/** Events of the last duration class have no longest duration. */
const LONG_EVENT_ENTRIES = [...DURATION_CLASSES[2].entries, ...ALL_DAY_CLASSES[2].entries];
const SHORT_CLASSES = DURATION_CLASSES.slice(0, 2);
const SHORT_ALL_DAY_CLASSES = ALL_DAY_CLASSES.slice(0, 2);
/** Largest number of slots of a range that are searched as single numbers. */
const MAX_SINGLE_NUMBERS = 16;

/** A filter for events. It contains no text that a client may choose freely. */
export type EventFilter = Readonly<Record<string, unknown>>;

/**
 * The query for events that overlap a window, in one or more calendars of a guild. It needs `ENTRIES_INDEX` as its
 * hint. The value `recurring` of `which` excludes single events; `also` is a further condition. Some of the found series have no
 * occurrence in the window, and a long or all-day event may be outside of it by `MAX_ZONE_MOVE_MS`.
 */
export function windowQuery(
  guildId: GuildId,
  calendars: readonly Calendar[],
  window: Window,
  { which = "all", also = {} }: { readonly which?: "all" | "recurring"; readonly also?: EventFilter } = {},
): EventFilter {
  const slack = calendars.some(hasZoneChange) ? MAX_ZONE_MOVE_MS : 0;
  const walls = wallsOf(calendars, window);
  const isActive = {
    lastAt: { $gte: window.from - slack },
    startsAt: { $lt: window.until + slack },
    // True for a row without `repeats`: null is not greater than null.
    $expr: mayRepeatBetween(walls.from, walls.last),
  };
  const longEvents = which === "all" ? LONG_EVENT_ENTRIES : [];
  const active = activeEntries(walls, longEvents).map((entries) => Object.assign({ entries }, isActive));
  const conditions = which === "all" ? [...shortEventConditions(window, slack), ...active] : active;
  const common = { ...inCalendars(guildId, calendars), ...also };
  return { $or: conditions.map((condition) => Object.assign({}, common, condition)) };
}

/** Filters the events of some calendars of a guild. */
export function inCalendars(guildId: GuildId, calendars: readonly Calendar[]): EventFilter {
  const numbers = calendars.map(({ calendarNumber }) => calendarNumber);
  return { guildId, calendarNumber: numbers.length === 1 ? numbers[0] : { $in: numbers } };
}

/** Filters series in some calendars, and their moved occurrences, by id. */
export function seriesQuery(
  guildId: GuildId,
  calendars: readonly Calendar[],
  eventIds: readonly EventId[],
): EventFilter {
  const ids = { $in: eventIds };
  const recurring = { ...inCalendars(guildId, calendars), entries: { $gte: MOVED_ENTRY } };
  return {
    $or: [
      { _id: ids, ...recurring },
      { eventId: ids, ...recurring },
    ],
  };
}

/**
 * One condition for each duration class with a limit: their events end at most that long after the window. A change of
 * the zone moves all-day events.
 */
function shortEventConditions(window: Window, slack: number): EventFilter[] {
  const widened = { from: window.from - slack, until: window.until + slack };
  return [
    ...SHORT_CLASSES.map((each) => shortEventCondition(each, window)),
    ...SHORT_ALL_DAY_CLASSES.map((each) => shortEventCondition(each, widened)),
  ];
}

function shortEventCondition(
  { entries, maxMs }: { readonly entries: readonly number[]; readonly maxMs: number },
  { from, until }: Window,
): EventFilter {
  return { entries: { $in: entries }, lastAt: { $gte: from, $lt: until + maxMs }, startsAt: { $lt: until } };
}

/**
 * Conditions for the entries of long events, moved occurrences and series. Short ranges of slots are searched as single
 * numbers: each range is a query of its own for the database, and each number only a seek in the index.
 */
function activeEntries({ from, last }: Walls, longEvents: readonly number[]): EventFilter[] {
  const { numbers, ranges } = entryNumbersBetween(from, last);
  const short = ranges.filter(([lowest, highest]) => highest - lowest < MAX_SINGLE_NUMBERS);
  const long = ranges.filter((range) => !short.includes(range));
  return [
    { $in: [...longEvents, MOVED_ENTRY, ...numbers, ...short.flatMap(numbersOf)] },
    ...long.map(([lowest, highest]) => ({ $elemMatch: { $gte: lowest, $lte: highest } })),
  ];
}

function numbersOf([lowest, highest]: readonly [number, number]): number[] {
  return Array.from({ length: highest - lowest + 1 }, (_, at) => lowest + at);
}

/** A range of wall times, both ends included. */
interface Walls {
  readonly from: WallMs;
  readonly last: WallMs;
}

/** The wall times of a window in the time zones of the calendars. */
function wallsOf(calendars: readonly Calendar[], { from, until }: Window): Walls {
  const zones = zonesOf(calendars, from - MAX_SLOTTED_DURATION_MS);
  return { from: earliestWall(from, zones), last: latestWall(until - 1, zones) };
}

/** The zones that apply to events that start at an instant or later; undefined if they are not known. */
function zonesOf(calendars: readonly Calendar[], from: EpochMs): readonly Zone[] | undefined {
  const zones = new Set<Zone>();
  for (const calendar of calendars) {
    const own = zonesFrom(calendar, from);
    if (own === undefined) return undefined;
    for (const zone of own) zones.add(zone);
  }
  return [...zones];
}

function earliestWall(at: EpochMs, zones: readonly Zone[] | undefined): WallMs {
  if (zones === undefined) return at - MAX_UTC_OFFSET_MS;
  return Math.min(...zones.map((zone) => wallsAround(at, zone).earliest));
}

function latestWall(at: EpochMs, zones: readonly Zone[] | undefined): WallMs {
  if (zones === undefined) return at + MAX_UTC_OFFSET_MS;
  return Math.max(...zones.map((zone) => wallsAround(at, zone).latest));
}
