import { setTimeout as pause } from "node:timers/promises";

/** Shorter than any `Retry-After`. */
const DELAY_MS = 200;
/** Each delayed response holds its request and its connection. */
const MAX_DELAYED = 1_000;

/**
 * Delays responses with status 429. A client that ignores `Retry-After` sends its next request as soon as it has the
 * response: without the delay, 48 connections of one such client took 4 000 responses a second and most of a core; with it
 * 240.
 */
export class TooManyRequestsDelay {
  #delayed = 0;

  /** Resolves when the response may be sent: at once for any other status, or if 1 000 responses are delayed already. */
  async wait({ status }: { readonly status: number }): Promise<void> {
    if (status !== 429 || this.#delayed >= MAX_DELAYED) return;
    this.#delayed += 1;
    await pause(DELAY_MS);
    this.#delayed -= 1;
  }
}
