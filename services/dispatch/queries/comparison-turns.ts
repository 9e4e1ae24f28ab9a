import { PacedTurns } from "../../../mixins/async/paced-turns.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";

/** The gateway waits six seconds for a response, of which a comparison at its bound takes one. */
const TURNS = { maxWaiting: 32, maxWaitMs: 3_000, restFactor: 3, maxRestMs: 2_000 };

/**
 * Runs the comparisons of plans in a replica one after the other, with a pause of three times as long as each took: one key that
 * compared 10 000 posts again and again took 514 MiB with a shorter pause, and a key with many guilds may request eight at once. The
 * result refuses one that gets no turn.
 */
export function newComparisonTurns(): <Result>(compare: () => Promise<Result>) => Promise<Result | Refusal> {
  const turns = new PacedTurns(TURNS);
  return async (compare) => {
    const compared = await turns.run(async () => ({ result: await compare() }));
    if (compared !== undefined) return compared.result;
    return refuse("TOO_MANY_REQUESTS", undefined, "Too many plans are compared at the same moment; try again later");
  };
}
