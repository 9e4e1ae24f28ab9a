import type { GuildId } from "../contracts/ids.ts";
import { forksAround } from "./domain/interval-tree.ts";
import { phasesIn, readLane } from "./domain/lanes.ts";
import type { Window } from "./domain/window.ts";
import type { Zone } from "./domain/zone.ts";

/** A condition of a query on events; its values are numbers and names of lanes alone. */
export type EventFilter = Readonly<Record<string, unknown>>;

/** What touches a window, as conditions for the two indexes that find it; each event meets exactly one of them. */
export interface WindowQuery {
  /** For the index by the last millisecond. */
  readonly byEnd: EventFilter;
  /** For the index by the start. */
  readonly byStart: EventFilter;
}

/** The query for what touches a window in the lanes of a guild, which run on the clocks of the zones. */
export function windowQuery(
  guildId: GuildId,
  lanes: readonly string[],
  window: Window,
  zones: readonly Zone[],
): WindowQuery {
  const { before, within, after } = forksAround(window);
  const bounds = { startsAt: { $lt: window.until }, lastAt: { $gte: window.from } };
  const places = placesIn(lanes, window, zones);
  const filed = (fork: EventFilter) => places.map((place) => Object.assign({ guildId, fork }, place, bounds));
  return {
    byEnd: { $or: filed({ $in: before }) },
    byStart: { $or: [...filed({ $in: after }), ...filed({ $gte: within.first, $lte: within.last })] },
  };
}

/** Where to look in each lane; the lanes in which every phase counts are one place, as each place costs planning. */
function placesIn(lanes: readonly string[], window: Window, zones: readonly Zone[]): EventFilter[] {
  const whole: string[] = [];
  const places: EventFilter[] = [];
  for (const lane of lanes) {
    const phases = phasesIn(readLane(lane.slice(lane.indexOf("/") + 1)), window, zones);
    if (phases === undefined) whole.push(lane);
    else for (const { first, last } of phases) places.push({ lane, phase: { $gte: first, $lte: last } });
  }
  return whole.length === 0 ? places : [{ lane: { $in: whole } }, ...places];
}
