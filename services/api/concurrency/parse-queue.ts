import { MAX_UNCOUNTED_BYTES } from "./body-memory.ts";

/**
 * Lets one large body be parsed in each iteration of the event loop. Parsing 64 KiB takes milliseconds: without the queue,
 * 900 large bodies at once would delay every other request by the time of all of them.
 */
export class ParseQueue {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Resolves when a body of this size may be parsed. */
  async waitForTurn(bytes: number): Promise<void> {
    if (bytes <= MAX_UNCOUNTED_BYTES) return;
    if (this.#isTaken) await new Promise<void>((begin) => this.#waiting.push(begin));
    this.#isTaken = true;
    setImmediate(() => {
      this.#isTaken = this.#waiting.length > 0;
      this.#waiting.shift()?.();
    });
  }
}
