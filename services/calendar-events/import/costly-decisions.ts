import { PacedTurns } from "../../../mixins/async/paced-turns.ts";
import { isCostly } from "../domain/import/imported-series.ts";
import type { ImportedEvent } from "../domain/import/imported-event.ts";

/** The wait is shorter than the time of a call, and the queue longer than what all imports of a process decide at once. */
const TURNS = { maxWaiting: 200, maxWaitMs: 2_000, restFactor: 2, maxRestMs: 250 } as const;

/**
 * Decides VEVENTs whose rules take tens of milliseconds one after the other, with pauses in which the process serves other
 * requests. New events would be decided in one turn of the event loop otherwise, a hundred in a call.
 */
export class CostlyDecisions {
  readonly #turns = new PacedTurns(TURNS);

  /** Decides at once if that is cheap; resolves with undefined if there is no turn in time. */
  decide<Decision>(imported: ImportedEvent, decide: () => Decision): Decision | Promise<Decision | undefined> {
    return isCostly(imported) ? this.#turns.run(async () => decide()) : decide();
  }
}
