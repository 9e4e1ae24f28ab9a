import { newChance } from "../../simulator/chance.ts";
import { ANY_OF_MANY } from "./bench-data.ts";
import { ROWS, type Row } from "./rows.ts";

/** Different requests of a row; they are sent in turn. */
const DIFFERENT = 4_000;

/** The rows of the bench that services answer, each request to a guild chosen at random out of 200. */
export function anywhere(): Row[] {
  const chance = newChance(20_261_124);
  return ROWS.flatMap((row) => {
    const { bodies: [body] = [], isOfGateway, shownBeside } = row;
    if (body === undefined || isOfGateway === true || shownBeside !== undefined) return [];
    const bodies = Array.from({ length: DIFFERENT }, () => {
      const { guildId: guild_id, eventIds } = chance.oneOf(ANY_OF_MANY);
      return { ...body, guild_id, ...("event_id" in body ? { event_id: chance.oneOf(eventIds) } : {}) };
    });
    return [{ ...row, bodies }];
  });
}
