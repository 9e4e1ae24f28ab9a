import type { GuildId } from "../contracts/ids.ts";
import { type Calendar, hasMoved, zonesOf } from "./domain/calendar.ts";
import { forksAround } from "./domain/interval-tree.ts";
import { phasesIn, type PhaseRange, readLane, SINGLE } from "./domain/lanes.ts";
import type { Window } from "./domain/window.ts";

/** A condition of a query on events; its values are numbers and names of lanes alone. */
export type EventFilter = Readonly<Record<string, unknown>>;

/** What touches a window, as conditions for the two indexes that find it; each row meets exactly one of them. */
export interface WindowQuery {
  /** For the index by the last millisecond. */
  readonly byEnd: readonly EventFilter[];
  /** For the index by the start. */
  readonly byStart: readonly EventFilter[];
}

/** Two clocks of the world are at most that far apart: so far a change of the zone moves what is filed. */
const FURTHEST_MOVE_MS = 26 * 3_600_000;

/** The query for what touches a window in the lanes of calendars of a guild. */
export function windowQuery(
  guildId: GuildId,
  lanes: readonly string[],
  window: Window,
  calendars: readonly Calendar[],
): WindowQuery {
  const slack = calendars.some(hasMoved) ? FURTHEST_MOVE_MS : 0;
  const singles = lanes.filter(isSingles);
  const places = placesIn(
    lanes.filter((lane) => !isSingles(lane)),
    window,
    calendars,
  );
  const queries = [
    ...(singles.length === 0 ? [] : [filed(guildId, [{ lane: { $in: singles } }], window)]),
    filed(guildId, places, { from: window.from - slack, until: window.until + slack }),
  ];
  return { byEnd: queries.flatMap(({ byEnd }) => byEnd), byStart: queries.flatMap(({ byStart }) => byStart) };
}

/** Whether a lane holds what is not moved by a change of the zone. */
export function isSingles(lane: string): boolean {
  return nameOf(lane) === SINGLE;
}

function filed(guildId: GuildId, places: readonly EventFilter[], window: Window): WindowQuery {
  const { before, within, after } = forksAround(window);
  const bounds = { startsAt: { $lt: window.until }, lastAt: { $gte: window.from } };
  const at = (fork: EventFilter) => places.map((place) => Object.assign({ guildId, fork }, place, bounds));
  return {
    byEnd: at({ $in: before }),
    byStart: [...at({ $in: after }), ...at({ $gte: within.first, $lte: within.last })],
  };
}

/** Where to look in each lane; the lanes in which every phase counts are one place, as each place costs planning. */
function placesIn(lanes: readonly string[], window: Window, calendars: readonly Calendar[]): EventFilter[] {
  const whole: string[] = [];
  const places: EventFilter[] = [];
  for (const lane of lanes) {
    const phases = phasesOf(lane, window, calendars);
    if (phases === undefined) whole.push(lane);
    else for (const { first, last } of phases) places.push({ lane, phase: { $gte: first, $lte: last } });
  }
  return whole.length === 0 ? places : [{ lane: { $in: whole } }, ...places];
}

function phasesOf(lane: string, window: Window, calendars: readonly Calendar[]): PhaseRange[] | undefined {
  const calendar = calendars.find(({ calendarNumber }) => lane.startsWith(`${calendarNumber}/`));
  const zones = calendar === undefined ? undefined : zonesOf(calendar);
  return zones === undefined ? undefined : phasesIn(readLane(nameOf(lane)), window, zones);
}

function nameOf(lane: string): string {
  return lane.slice(lane.indexOf("/") + 1);
}
