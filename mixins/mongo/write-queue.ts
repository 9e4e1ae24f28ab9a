import { refuse, type Refusal } from "../../services/contracts/errors.ts";
import { settledOrTimedOut } from "../async/timeout.ts";
import { waitInQueue } from "../async/wait-in-queue.ts";

/** Largest number of writes of one document that wait. */
const MAX_WAITING = 250;
/** Largest number of writes of all documents that have a turn or wait for one. */
const MAX_WRITES = 10_000;
/** Longest time that a write waits for its turn: the write itself then has 1.5 s until its deadline (WRITE_DEADLINE_MS). */
const MAX_WAIT_MS = 4_000;
/** Longest turn. A write that has no response then no longer blocks the next one: its deadline has passed. */
const MAX_TURN_MS = 6_000;

const MESSAGE = "Too many changes of one object at the same moment; try again when Retry-After has passed";

/**
 * Runs the writes of one document one after the other, in the order of arrival, and those of different documents
 * concurrently. A write that finds the queue full, or has waited too long, is refused with 429 before it starts.
 *
 * The queue only avoids conflicts between the writes of one process. The revision that each write replaces protects from
 * the writes of other replicas.
 */
export class WriteQueue {
  /**
   * The writes that wait for a document, the next one first. A document is a key exactly while one of its writes has its turn.
   * `waitInQueue` adds a function that starts the turn, and removes it if it has waited too long.
   */
  readonly #waiting = new Map<string, (() => void)[]>();
  #writes = 0;

  async run<Result>(documentId: string, write: () => Promise<Result>): Promise<Result | Refusal> {
    const waiting = this.#waiting.get(documentId);
    if (this.#writes >= MAX_WRITES || (waiting?.length ?? 0) >= MAX_WAITING) return tooManyWrites();
    this.#writes += 1;
    if (waiting === undefined) this.#waiting.set(documentId, []);
    else if (!(await waitInQueue(waiting, MAX_WAIT_MS))) {
      this.#writes -= 1;
      return tooManyWrites();
    }
    const result = Promise.try(write);
    void settledOrTimedOut(result, MAX_TURN_MS).then(() => this.#endTurn(documentId));
    return result;
  }

  #endTurn(documentId: string): void {
    this.#writes -= 1;
    const next = this.#waiting.get(documentId)?.shift();
    if (next === undefined) this.#waiting.delete(documentId);
    else next();
  }
}

function tooManyWrites(): Refusal {
  return refuse("TOO_MANY_REQUESTS", undefined, MESSAGE);
}
