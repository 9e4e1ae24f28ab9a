import { RETRY_POLICY } from "./retry-policy.ts";

/** Limits the retries of calls without a response: a slow owner must not get twice the load. */
export class RetryBudget {
  readonly #max: number;
  #available: number;

  /** @param max - Number of retries in the full budget. The budget is full at the start. */
  constructor(max: number) {
    this.#max = max;
    this.#available = max;
  }

  /** Adds the part of a retry that each call adds to the budget. */
  add(): void {
    this.#available = Math.min(this.#max, this.#available + RETRY_POLICY.retriesPerCall);
  }

  /** Takes one retry from the budget; false if there is none. */
  take(): boolean {
    if (this.#available < 1) return false;
    this.#available -= 1;
    return true;
  }
}
