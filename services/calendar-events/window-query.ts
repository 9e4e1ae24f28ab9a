import type { GuildId } from "../contracts/ids.ts";
import { type Calendar, hasMoved, zonesFrom } from "./domain/calendar.ts";
import { forksAround } from "./domain/interval-tree.ts";
import { finestOf, type Lane, longestIn, phasesIn, readLane, SINGLE } from "./domain/lanes.ts";
import { endOfNode, nodesAround } from "./domain/span-tree.ts";
import type { Window } from "./domain/window.ts";
import { BEGINS, startsUnder } from "./event-filing.ts";

/** A condition of a query on events; its values are numbers and names of lanes alone. */
export type EventFilter = Readonly<Record<string, unknown>>;

/** Two clocks of the world are at most that far apart: so far a change of the zone moves what is filed. */
const FURTHEST_MOVE_MS = 26 * 3_600_000;

/**
 * Finds what touches a window in lanes of calendars of a guild, of which there must be some. The index `FILED` has it
 * all; each row is found once.
 */
export function windowFilter(
  guildId: GuildId,
  lanes: readonly string[],
  window: Window,
  calendars: readonly Calendar[],
): EventFilter {
  const slack = calendars.some(hasMoved) ? FURTHEST_MOVE_MS : 0;
  const around = { from: window.from - slack, until: window.until + slack };
  const once = lanes.filter((lane) => readLane(nameOf(lane)) === undefined);
  const places = [
    ...onceIn(once.filter(isSingles), window),
    ...onceIn(
      once.filter((lane) => !isSingles(lane)),
      around,
    ),
    ...seriesIn(seriesLanes(lanes, window, calendars), around),
  ];
  return { $or: places.map((where) => Object.assign({ guildId }, where)) };
}

/** Whether a lane holds what is not moved by a change of the zone. */
export function isSingles(lane: string): boolean {
  return nameOf(lane) === SINGLE;
}

/** What doesn't recur: of what is filed outside the window, its end or its start decides. */
function onceIn(lanes: readonly string[], window: Window): EventFilter[] {
  if (lanes.length === 0) return [];
  const { before, within, after } = forksAround(window);
  const [lane, started, lastAt] = [{ $in: lanes }, { $lt: window.until }, { $gte: window.from }];
  const inWindow = { $gte: startsUnder(within.last), $lte: startsUnder(within.first) };
  return [
    { lane, filed: inPlace({ $in: before }, lastAt) },
    { lane, filed: inPlace({ $in: after.map(startsUnder) }, started) },
    { lane, filed: inPlace(inWindow, started), lastAt },
  ];
}

/** Undefined `by` for all that is filed there. */
function inPlace(at: number | object, by?: object): object {
  return { $elemMatch: by === undefined ? { at } : { at, by } };
}

/** A lane of series, and where in it to look for a window. */
interface SeriesLane {
  readonly name: string;
  readonly finest: number;
  /** Undefined where every phase counts. */
  readonly phases: ReturnType<typeof phasesIn>;
}

/** Series that go on when the window begins, by their phases, and those that begin in it. */
function seriesIn(lanes: readonly SeriesLane[], { from, until }: Window): EventFilter[] {
  return [...Map.groupBy(lanes, ({ finest }) => finest)].flatMap(([finest, some]) => {
    const first = endOfNode(from, finest);
    const lane = { $in: some.map(({ name }) => name) };
    const begun = { lane, filed: inPlace(BEGINS, { $gte: first, $lt: until }) };
    return goingOn(some, nodesAround(from, finest)).concat(first < until ? [begun] : []);
  });
}

/** Lanes in which every phase counts are one place, as each place costs planning. */
function goingOn(lanes: readonly SeriesLane[], around: readonly number[]): EventFilter[] {
  const nodes = { $in: around };
  const whole = lanes.filter(({ phases }) => phases === undefined).map(({ name }) => name);
  const places = lanes.flatMap(({ name: lane, phases = [] }) =>
    phases.map(({ first, last }) => ({ lane, filed: inPlace(nodes, { $gte: first, $lte: last }) })),
  );
  return whole.length === 0 ? places : [{ lane: { $in: whole }, filed: inPlace(nodes) }, ...places];
}

function seriesLanes(lanes: readonly string[], window: Window, calendars: readonly Calendar[]): SeriesLane[] {
  return lanes.flatMap((name) => {
    const lane = readLane(nameOf(name));
    if (lane === undefined) return [];
    const calendar = calendars.find(({ calendarNumber }) => name.startsWith(`${calendarNumber}/`));
    return [{ name, finest: finestOf(lane), phases: phasesOf(lane, window, calendar) }];
  });
}

function phasesOf(lane: Lane, window: Window, calendar: Calendar | undefined): SeriesLane["phases"] {
  const zones = calendar === undefined ? undefined : zonesFrom(calendar, window.from - longestIn(lane));
  return phasesIn(lane, window, zones);
}

function nameOf(lane: string): string {
  return lane.slice(lane.indexOf("/") + 1);
}
