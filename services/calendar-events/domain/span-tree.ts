import type { EpochMs } from "../../contracts/ids.ts";
import { LAST_UNIT, UNIT_MS, unitOf } from "./time-units.ts";

/**
 * A segment tree over all of time (Bentley, 1977) with four children to a node: the time in which a series goes on is
 * filed under the few nodes that make it up, so all that is filed under the nodes around an instant goes on then, and
 * no comparison of ends is needed to find it.
 *
 * A node of level n is 4^n units long. The ends of the time are rounded outwards to nodes of a finest level, which
 * each lane has of its own: between two occurrences, what goes on needs no sharper end.
 */

/** Level of the one node that is all of time. */
const TOP = 16;

function unitsAt(level: number): number {
  return 4 ** level;
}

/** One number for the node with that place on its level. */
function numberOf(level: number, place: number): number {
  return place * unitsAt(level) * 32 + level;
}

/** The finest level whose nodes are no longer than that. */
export function levelWithin(longestMs: number): number {
  let level = 0;
  while (level < TOP && unitsAt(level + 1) * UNIT_MS <= longestMs) level += 1;
  return level;
}

/** The nodes that make up a stretch of time; without a last millisecond it goes on for ever. */
export function nodesOf(startsAt: EpochMs, lastAt: EpochMs | undefined, finest: number): number[] {
  const nodes: number[] = [];
  let first = Math.floor(unitOf(startsAt) / unitsAt(finest));
  let last = Math.floor((lastAt === undefined ? LAST_UNIT : unitOf(lastAt)) / unitsAt(finest));
  for (let level = finest; ; level += 1) {
    // Whole families are filed under their parents; the top has none.
    const [up, down] = level === TOP ? [1, 0] : [Math.ceil(first / 4) * 4, Math.floor((last + 1) / 4) * 4];
    if (up >= down) return [...nodes, ...numbersOf(level, first, last + 1)];
    nodes.push(...numbersOf(level, first, up), ...numbersOf(level, down, last + 1));
    [first, last] = [up / 4, down / 4 - 1];
  }
}

function numbersOf(level: number, first: number, until: number): number[] {
  return Array.from({ length: until - first }, (_, at) => numberOf(level, first + at));
}

/** The nodes around an instant, one of each level: what goes on then is filed under exactly one of them. */
export function nodesAround(at: EpochMs, finest: number): number[] {
  const unit = unitOf(at);
  return Array.from({ length: TOP - finest + 1 }, (_, above) => {
    const level = finest + above;
    return numberOf(level, Math.floor(unit / unitsAt(level)));
  });
}

/** The first millisecond after the finest node around an instant: what starts from then on is in none of its nodes. */
export function endOfNode(at: EpochMs, finest: number): EpochMs {
  return (Math.floor(unitOf(at) / unitsAt(finest)) + 1) * unitsAt(finest) * UNIT_MS;
}
