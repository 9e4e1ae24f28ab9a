/** Writes a line for the same thing at most every so often, with how often it happened since the line before. */
export class LimitedLog {
  readonly #write: (fields: object, text: string) => void;
  readonly #everyMs: number;
  readonly #clock: () => number;
  readonly #seen = new Map<string, { readonly at: number; times: number }>();

  /** `clock` is monotonic, in milliseconds. */
  constructor(
    write: (fields: object, text: string) => void,
    everyMs = 10_000,
    clock: () => number = () => performance.now(),
  ) {
    this.#write = write;
    this.#everyMs = everyMs;
    this.#clock = clock;
  }

  /** `what` names the thing, from a fixed set. */
  note(what: string, fields: object, text: string): void {
    const now = this.#clock();
    const seen = this.#seen.get(what);
    if (seen !== undefined && now - seen.at < this.#everyMs) return void (seen.times += 1);
    this.#seen.set(what, { at: now, times: 0 });
    this.#write({ ...fields, times: (seen?.times ?? 0) + 1 }, text);
  }
}
