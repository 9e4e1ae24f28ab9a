import type { ImportedOutcome, ImportEventsResult } from "../../contracts/event-import.contract.ts";

/**
 * The limit of events of a guild in a dry run (D52). No call of a dry run stores what the next one would count, so the import
 * as a whole counts what it would create.
 */
export class ForeseenLimit {
  #room = Infinity;
  #isKnown = false;

  /** The room of the guild, by the first call of the import. */
  begin({ room }: Pick<ImportEventsResult, "room">): void {
    if (this.#isKnown || room === undefined) return;
    this.#room = room;
    this.#isKnown = true;
  }

  /** The outcome that an import would have. */
  foresee(outcome: ImportedOutcome): ImportedOutcome {
    if (outcome.outcome !== "created") return outcome;
    if (this.#room <= 0) return { outcome: "skipped", skipped: "TOO_MANY_EVENTS" };
    this.#room -= 1;
    return outcome;
  }
}
