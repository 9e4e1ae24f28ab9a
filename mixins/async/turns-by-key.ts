import { PacedTurns, type PacedTurnsOptions } from "./paced-turns.ts";

/** Idle turns that stay in memory at most: as many keys have used them since the last deletion. */
const MAX_IDLE = 1_000;

/** Runs the work of one key, such as a guild, in turns of its own (`PacedTurns`), and that of different keys concurrently. */
export class TurnsByKey<Key> {
  readonly #options: PacedTurnsOptions;
  readonly #turns = new Map<Key, PacedTurns>();

  constructor(options: PacedTurnsOptions) {
    this.#options = options;
  }

  /** Number of keys in memory; for tests. */
  get size(): number {
    return this.#turns.size;
  }

  /** As `PacedTurns.run`, in a turn of the key. */
  run<Result>(
    key: Key,
    work: () => Promise<Result>,
    isHeavy?: (result: Result) => boolean,
  ): Promise<Result | undefined> {
    const known = this.#turns.get(key);
    if (known !== undefined) return known.run(work, isHeavy);
    if (this.#turns.size >= MAX_IDLE) this.#deleteIdle();
    const turns = new PacedTurns(this.#options);
    this.#turns.set(key, turns);
    return turns.run(work, isHeavy);
  }

  #deleteIdle(): void {
    for (const [key, turns] of this.#turns) if (turns.isIdle) this.#turns.delete(key);
  }
}
