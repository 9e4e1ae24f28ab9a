import { refuse, type Refusal } from "../../services/contracts/errors.ts";
import { settledOrTimedOut } from "../async/timeout.ts";
import { waitInQueue } from "../async/wait-in-queue.ts";

/** Writes of one document that wait for their turn, at most. */
const MAX_WAITING = 250;
/** Writes of all documents that are under way or wait, at most. */
const MAX_WRITES = 10_000;
/** How long a write waits for its turn. The rest of its time is for the write. */
const MAX_WAIT_MS = 4_000;
/** A write that is not answered gives its turn to the next one after this time: its deadline has passed. */
const MAX_TURN_MS = 6_000;

const MESSAGE = "Too many changes of one object at the same moment; try again when Retry-After has passed";

/**
 * Runs the writes of one document one after the other, in the order in which they came, and those of different
 * documents side by side. A write that finds the queue full, or that waited too long, is refused with 429 before it
 * begins.
 *
 * The queue is for speed: it keeps the writers of one process from conflicting. Writers of other replicas are kept
 * apart by the revision that each write names.
 */
export class WriteQueue {
  /** By document, while a write of it is under way: the turns that wait, the next one first. */
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
    const result = write();
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
