import type { EpochMs, EventId, GuildId } from "../../contracts/ids.ts";
import { type Calendar, hasZoneChange, zonesFrom } from "../domain/calendar/calendar.ts";
import { MAX_ZONE_MOVE_MS } from "../domain/calendar/calendar-clock.ts";
import { MAX_UTC_OFFSET_MS, type WallMs, wallsAround } from "../domain/calendar/local-to-instant.ts";
import type { Window } from "../../contracts/window.ts";
import type { Zone } from "../domain/calendar/zone.ts";
import { entryNumbersBetween, MAX_SLOTTED_DURATION_MS } from "./cycles.ts";
import { MOVED_ENTRY, DURATION_CLASSES } from "./entries.ts";
import { mayRepeatBetween } from "./indexed-interval.ts";

/** A filter for events. It contains only numbers, and the id of the guild. */
export type EventFilter = Readonly<Record<string, unknown>>;

/**
 * The query for events that overlap a window, in one or more calendars of a guild. It needs `ENTRIES_INDEX` as its
 * hint. `recurring` excludes single events; `also` is a further condition. Some of the found series have no
 * occurrence in the window.
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
    $expr: mayRepeatBetween(walls.from, walls.last),
  };
  const recurring = seriesEntries(walls).map((entries) => Object.assign({ entries }, isActive));
  const conditions = which === "all" ? [...singleEventConditions(window), ...recurring] : recurring;
  const common = { ...inCalendars(guildId, calendars), ...also };
  return { $or: conditions.map((condition) => Object.assign({}, common, condition)) };
}

/** Filters the events of some calendars of a guild. */
export function inCalendars(guildId: GuildId, calendars: readonly Calendar[]): EventFilter {
  const numbers = calendars.map(({ calendarNumber }) => calendarNumber);
  return { guildId, calendarNumber: numbers.length === 1 ? numbers[0] : { $in: numbers } };
}

/** Filters one series in some calendars, and its moved occurrences, by id. */
export function seriesQuery(guildId: GuildId, calendars: readonly Calendar[], eventId: EventId): EventFilter {
  const recurring = { ...inCalendars(guildId, calendars), entries: { $gte: MOVED_ENTRY } };
  return {
    $or: [
      { _id: eventId, ...recurring },
      { eventId, ...recurring },
    ],
  };
}

/** One condition for each duration class of single events. */
function singleEventConditions({ from, until }: Window): EventFilter[] {
  return DURATION_CLASSES.map(({ entry, maxMs }) => ({
    entries: entry,
    lastAt: maxMs === Infinity ? { $gte: from } : { $gte: from, $lt: until + maxMs },
    startsAt: { $lt: until },
  }));
}

/** One condition for the entries of series and moved occurrences, and one for each range of slots. */
function seriesEntries({ from, last }: Walls): EventFilter[] {
  const { numbers, ranges } = entryNumbersBetween(from, last);
  return [
    { $in: [MOVED_ENTRY, ...numbers] },
    ...ranges.map(([lowest, highest]) => ({ $elemMatch: { $gte: lowest, $lte: highest } })),
  ];
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
