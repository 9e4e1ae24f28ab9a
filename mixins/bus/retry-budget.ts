/** Share of a retry that each call adds to the budget. */
const RETRIES_PER_CALL = 0.1;

/** Limits the retries of calls without an answer: a slow owner must not get twice the load. */
export class RetryBudget {
  readonly #max: number;
  #available: number;

  /** @param max - Size of the budget, which is full at the start. */
  constructor(max: number) {
    this.#max = max;
    this.#available = max;
  }

  /** Counts a call, which pays for a part of a retry. */
  add(): void {
    this.#available = Math.min(this.#max, this.#available + RETRIES_PER_CALL);
  }

  /** Takes one retry from the budget; false if there is none. */
  take(): boolean {
    if (this.#available < 1) return false;
    this.#available -= 1;
    return true;
  }
}
