interface LineLimit {
  /** Number of lines with one key in a time window. */
  readonly lines: number;
  readonly windowMs: number;
}

/**
 * Writes a limited number of lines with one key, counts further ones, and writes their number at the end of the
 * window.
 */
export class RateLimitedLog {
  readonly #write: (fields: object, text: string) => void;
  readonly #limit: LineLimit;
  readonly #windows = new Map<string, { readonly end: NodeJS.Timeout; readonly text: string; count: number }>();

  constructor(write: (fields: object, text: string) => void, limit: LineLimit = { lines: 1, windowMs: 10_000 }) {
    this.#write = write;
    this.#limit = limit;
  }

  /** @param key - The key of the line, one of a fixed set: each key in use takes memory. */
  note(key: string, fields: object, text: string): void {
    let window = this.#windows.get(key);
    if (window === undefined) {
      const end = setTimeout(() => this.#endWindow(key), this.#limit.windowMs).unref();
      window = { end, text, count: 0 };
      this.#windows.set(key, window);
    }
    window.count += 1;
    if (window.count <= this.#limit.lines) this.#write(fields, text);
  }

  /** Ends all windows, so that no counted line stays unreported. */
  flush(): void {
    for (const key of this.#windows.keys()) this.#endWindow(key);
  }

  #endWindow(key: string): void {
    const window = this.#windows.get(key);
    if (window === undefined) return;
    clearTimeout(window.end);
    this.#windows.delete(key);
    const suppressed = window.count - this.#limit.lines;
    if (suppressed > 0) this.#write({ key, suppressed }, `${window.text}: ${suppressed} more lines were suppressed`);
  }
}
