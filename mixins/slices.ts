import { setTimeout as pause } from "node:timers/promises";

/** Longest stretch of a long computation without a rest, in milliseconds. */
const SLICE_MS = 2;

/** Ends when every rest that was begun in this process is over. */
let restsOver: Promise<unknown> = Promise.resolve();

/**
 * A long computation in slices: the event loop serves others between them. A rest is as long as the slice before it, and
 * rests of all computations of a process follow each other, so that together they take half of its time at most.
 */
export class Slices {
  #began = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#began >= SLICE_MS;
  }

  /** Resolves when the next slice may begin. */
  async rest(): Promise<void> {
    const sliceMs = performance.now() - this.#began;
    const before = restsOver;
    restsOver = before.then(() => pause(sliceMs));
    await restsOver;
    this.#began = performance.now();
  }
}
