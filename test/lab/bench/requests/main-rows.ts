import { databaseOf, inArena, inWordsOf, type Start } from "../dispatch/arena.ts";
import { startGuildcal } from "../dispatch/guildcal-contender.ts";
import type { RaceShape, Result } from "../dispatch/race.ts";
import { startRival } from "../dispatch/rival-process.ts";
import type { Line } from "../line.ts";
import { benchListing } from "../listing.bench.ts";
import { benchRecurrence } from "../recurrence.bench.ts";
import type { Stage } from "./stage.ts";

/** The main rows of `npm run bench:calendar`: a rule that has gone on for twenty years, and a month in a large calendar. */
export async function calendarRows(): Promise<Line[]> {
  return [...benchRecurrence("WEEKLY/2"), ...(await benchListing())];
}

const STEADY: RaceShape = { posts: 7_500, spreadMs: 15_000, guilds: 500, warmUpMs: 5_000 };

/**
 * The main row of `npm run bench:dispatch`: 500 posts a second, beside a bare timer that remembers nothing. It may ring
 * in the millisecond before, by the clock that messages are noted by: Node counts its milliseconds from another moment.
 */
export async function dispatchRows({ given }: Pick<Stage, "given">): Promise<Line[]> {
  const lines: Line[] = [];
  const startTimer: Start = (arena) => startRival("setTimeout", "timer-rival.ts", arena);
  for (const start of [startTimer, startGuildcal]) {
    await inArena(databaseOf(given.mongoUrl, `race${lines.length}`), async (_, meet) => {
      const result = await meet(start, STEADY);
      const held = eachOnce(result) && (start === startTimer || result.early === 0);
      lines.push({ held, text: `500 posts a second for 10 s: ${inWordsOf(result)}` });
    });
  }
  return lines;
}

function eachOnce({ due, received, doubled }: Result): boolean {
  return received === due && doubled === 0;
}
