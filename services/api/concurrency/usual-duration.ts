/** Durations that are compared. */
const KEPT = 31;
/** With fewer durations a slow one could be the median. */
const LEAST = 8;
/** Durations say nothing about the present this long after the last one. */
const OUTDATED_MS = 1_000;

/** The median of the last durations, in milliseconds: a few slow requests do not change it. 0 while there are too few. */
export class UsualDuration {
  readonly #clock: () => number;
  #durations: number[] = [];
  #addedAt = -Infinity;

  /** `clock` is monotonic, in milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  add(tookMs: number): void {
    this.#durations = this.#isOutdated() ? [tookMs] : [...this.#durations.slice(1 - KEPT), tookMs];
    this.#addedAt = this.#clock();
  }

  ms(): number {
    if (this.#durations.length < LEAST || this.#isOutdated()) return 0;
    const sorted = this.#durations.toSorted((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  }

  #isOutdated(): boolean {
    return this.#clock() - this.#addedAt > OUTDATED_MS;
  }
}
