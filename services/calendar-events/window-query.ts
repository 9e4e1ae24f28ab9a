import type { GuildId } from "../contracts/ids.ts";
import { type Calendar, hasMoved, zonesFrom } from "./domain/calendar.ts";
import { forksAround } from "./domain/interval-tree.ts";
import { finestOf, type Lane, longestIn, phasesIn, readLane, SINGLE } from "./domain/lanes.ts";
import { endOfNode, nodesAround } from "./domain/span-tree.ts";
import type { Window } from "./domain/window.ts";
import { BY_END, BY_PHASE, BY_START, IN_ORDER } from "./event-filing.ts";

/** A condition of a query on events; its values are numbers and names of lanes alone. */
export type EventFilter = Readonly<Record<string, unknown>>;

/** A place of an index in which to look. */
interface Place {
  readonly index: Scan["index"];
  readonly where: EventFilter;
}

/** What to look for in an index: any of the conditions. */
export interface Scan {
  readonly index: Record<string, 1>;
  readonly conditions: readonly EventFilter[];
}

/** Two clocks of the world are at most that far apart: so far a change of the zone moves what is filed. */
const FURTHEST_MOVE_MS = 26 * 3_600_000;

/** How what touches a window is found in lanes of calendars of a guild; each row is found once. */
export function windowScans(
  guildId: GuildId,
  lanes: readonly string[],
  window: Window,
  calendars: readonly Calendar[],
): Scan[] {
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
  return [...Map.groupBy(places, ({ index }) => index)].map(([index, some]) => ({
    index,
    conditions: some.map(({ where }) => ({ guildId, ...where })),
  }));
}

/** Whether a lane holds what is not moved by a change of the zone. */
export function isSingles(lane: string): boolean {
  return nameOf(lane) === SINGLE;
}

/** What doesn't recur: of what is filed outside the window, its end or its start decides. */
function onceIn(lanes: readonly string[], window: Window): Place[] {
  if (lanes.length === 0) return [];
  const { before, within, after } = forksAround(window);
  const [lane, startsAt, lastAt] = [{ $in: lanes }, { $lt: window.until }, { $gte: window.from }];
  return [
    { index: BY_END, where: { lane, fork: { $in: before }, lastAt } },
    { index: BY_START, where: { lane, fork: { $in: after }, startsAt } },
    { index: BY_START, where: { lane, fork: { $gte: within.first, $lte: within.last }, startsAt, lastAt } },
  ];
}

/** A lane of series, and where in it to look for a window. */
interface SeriesLane {
  readonly name: string;
  readonly finest: number;
  /** Undefined where every phase counts. */
  readonly phases: ReturnType<typeof phasesIn>;
}

/** Series that go on when the window begins, by their phases, and those that begin in it. */
function seriesIn(lanes: readonly SeriesLane[], { from, until }: Window): Place[] {
  return [...Map.groupBy(lanes, ({ finest }) => finest)].flatMap(([finest, some]) => {
    const first = endOfNode(from, finest);
    const where = { lane: { $in: some.map(({ name }) => name) }, startsAt: { $gte: first, $lt: until } };
    return goingOn(some, nodesAround(from, finest)).concat(first < until ? [{ index: IN_ORDER, where }] : []);
  });
}

/** Lanes in which every phase counts are one place, as each place costs planning. */
function goingOn(lanes: readonly SeriesLane[], around: readonly number[]): Place[] {
  const nodes = { $in: around };
  const whole = lanes.filter(({ phases }) => phases === undefined).map(({ name }) => name);
  const places = lanes.flatMap(({ name: lane, phases = [] }) =>
    phases.map(({ first, last }) => ({ index: BY_PHASE, where: { lane, nodes, phase: { $gte: first, $lte: last } } })),
  );
  return whole.length === 0 ? places : [{ index: BY_PHASE, where: { lane: { $in: whole }, nodes } }, ...places];
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
