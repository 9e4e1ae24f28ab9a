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
  const places = lanes.flatMap((lane) => phaseFilters(lane, window, zones));
  const filed = (fork: EventFilter) => places.map((place) => Object.assign({ guildId, fork }, place, bounds));
  return {
    byEnd: { $or: filed({ $in: before }) },
    byStart: { $or: [...filed({ $in: after }), ...filed({ $gte: within.first, $lte: within.last })] },
  };
}

function phaseFilters(lane: string, window: Window, zones: readonly Zone[]): EventFilter[] {
  const name = lane.slice(lane.indexOf("/") + 1);
  const phases = phasesIn(readLane(name), window, zones);
  return phases?.map(({ first, last }) => ({ lane, phase: { $gte: first, $lte: last } })) ?? [{ lane }];
}
