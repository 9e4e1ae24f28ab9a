import { setTimeout as pause } from "node:timers/promises";

/** Longest stretch of a long computation without a rest, in milliseconds. */
const SLICE_MS = 2;

/** Longest rest: a process that had to wait for its processor has not computed all the time. */
const MAX_REST_MS = 10;

/** Ends when every rest that was begun in this process is over. */
let restsOver: Promise<unknown> = Promise.resolve();

/**
 * A long computation in slices: the event loop serves others between them. A rest is as long as the slice before it, and
 * rests of all computations of a process follow each other, so that together they take half of its time at most.
 */
export class Slices {
  #began = performance.now();

  /** A slice begins now: what the computation waited for before is no part of it. */
  begin(): void {
    this.#began = performance.now();
  }

  get isOver(): boolean {
    return performance.now() - this.#began >= SLICE_MS;
  }

  /** Resolves when the next slice may begin. */
  async rest(): Promise<void> {
    const restMs = Math.min(performance.now() - this.#began, MAX_REST_MS);
    const before = restsOver;
    restsOver = before.then(() => pause(restMs));
    await restsOver;
    this.begin();
  }
}
