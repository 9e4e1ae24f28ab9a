import { waitInQueue } from "./wait-in-queue.ts";

export interface PacedTurnsOptions {
  /** Work that finds so many others waiting gets no turn. */
  readonly maxWaiting: number;
  /** Longest wait for a turn, in milliseconds. */
  readonly maxWaitMs: number;
  /** The pause after heavy work, as a multiple of its duration. */
  readonly restFactor: number;
  readonly maxRestMs: number;
  /** Monotonic, in milliseconds. */
  readonly clock?: () => number;
}

/** Runs work one after the other, with pauses after heavy work, in which the process serves others. */
export class PacedTurns {
  readonly #options: PacedTurnsOptions;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(options: PacedTurnsOptions) {
    this.#options = options;
  }

  /** Whether nothing runs, rests or waits. */
  get isIdle(): boolean {
    return !this.#isTaken;
  }

  /**
   * Runs the work in its turn; undefined if it gets none.
   *
   * @param isHeavy - Whether a pause follows the work with this result.
   */
  async run<Result>(
    work: () => Promise<Result>,
    isHeavy: (result: Result) => boolean = () => true,
  ): Promise<Result | undefined> {
    const { maxWaiting, maxWaitMs, restFactor, maxRestMs, clock = () => performance.now() } = this.#options;
    if (this.#isTaken) {
      if (this.#waiting.length >= maxWaiting) return undefined;
      if (!(await waitInQueue(this.#waiting, maxWaitMs))) return undefined;
    }
    this.#isTaken = true;
    const beganAt = clock();
    let rests = false;
    try {
      const result = await work();
      rests = isHeavy(result);
      return result;
    } finally {
      const restMs = rests ? Math.min(maxRestMs, restFactor * (clock() - beganAt)) : 0;
      if (restMs > 0) setTimeout(() => this.#next(), restMs).unref();
      else this.#next();
    }
  }

  /** The turn passes on without becoming free, so that no later work overtakes the waiting work. */
  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
