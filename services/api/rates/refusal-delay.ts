import { setTimeout as pause } from "node:timers/promises";

/** Shorter than any `Retry-After`. */
const DELAY_MS = 200;
/** Each holds its request and its connection. */
const MAX_DELAYED = 1_000;

/**
 * Delays answers with status 429. A client that ignores `Retry-After` sends its next request when it has the answer: 48
 * connections of one such client took 4 000 answers a second, most of a core, and take 240 with the delay.
 */
export class RefusalDelay {
  #delayed = 0;

  /** Resolves when the answer may be sent: at once unless its status is 429, or when 1 000 others are delayed. */
  async before({ status }: { readonly status: number }): Promise<void> {
    if (status !== 429 || this.#delayed >= MAX_DELAYED) return;
    this.#delayed += 1;
    await pause(DELAY_MS);
    this.#delayed -= 1;
  }
}
