interface LineLimit {
  /** How many lines about one thing are written in a window of time. */
  readonly lines: number;
  readonly windowMs: number;
}

/** Writes so many lines about one thing, counts further ones, and writes their number at the end of the window. */
export class RateLimitedLog {
  readonly #write: (fields: object, text: string) => void;
  readonly #limit: LineLimit;
  readonly #windows = new Map<string, { readonly end: NodeJS.Timeout; readonly text: string; count: number }>();

  constructor(write: (fields: object, text: string) => void, limit: LineLimit = { lines: 1, windowMs: 10_000 }) {
    this.#write = write;
    this.#limit = limit;
  }

  /** `what` names the thing, from a fixed set. */
  note(what: string, fields: object, text: string): void {
    let window = this.#windows.get(what);
    if (window === undefined) {
      const end = setTimeout(() => this.#endWindow(what), this.#limit.windowMs).unref();
      window = { end, text, count: 0 };
      this.#windows.set(what, window);
    }
    window.count += 1;
    if (window.count <= this.#limit.lines) this.#write(fields, text);
  }

  /** Ends all windows, so that nothing that was counted is left untold. */
  flush(): void {
    for (const what of this.#windows.keys()) this.#endWindow(what);
  }

  #endWindow(what: string): void {
    const window = this.#windows.get(what);
    if (window === undefined) return;
    clearTimeout(window.end);
    this.#windows.delete(what);
    const leftOut = window.count - this.#limit.lines;
    if (leftOut > 0) this.#write({ what, leftOut }, `${window.text}: ${leftOut} more lines are left out`);
  }
}
