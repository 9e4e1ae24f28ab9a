import { setTimeout as pause } from "node:timers/promises";

/** Longest time that a computation runs without a rest, in milliseconds. */
const SLICE_MS = 2;

/** Longest rest, in milliseconds: the measured time of a slice includes time in which the process had no CPU. */
const MAX_REST_MS = 10;

/** Resolves when every rest that has started in this process is over. */
let restsOver: Promise<unknown> = Promise.resolve();

/**
 * Splits a long computation into slices, between which the event loop serves other requests. A rest is as long as the
 * slice before it, up to MAX_REST_MS. The rests of all computations of a process follow each other, so that
 * computations use about half of the time of the process, however many there are.
 */
export class TimeSlice {
  #startedAt = performance.now();

  /** Starts a slice now: the time in which the computation waited does not count. */
  begin(): void {
    this.#startedAt = performance.now();
  }

  get isOver(): boolean {
    return performance.now() - this.#startedAt >= SLICE_MS;
  }

  /** Resolves when the next slice may begin. */
  async rest(): Promise<void> {
    const restMs = Math.min(performance.now() - this.#startedAt, MAX_REST_MS);
    const before = restsOver;
    restsOver = before.then(() => pause(restMs));
    await restsOver;
    this.begin();
  }
}
