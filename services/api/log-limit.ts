const WINDOW_MS = 1_000;

interface LogLimitOptions {
  readonly linesPerSecond: number;
  /** Called once at the end of each second in which lines were left out, with their number. */
  readonly onLeftOut: (count: number) => void;
}

/** Bounds the log lines that a client can cause. What is left out is counted, and told within a second. */
export class LogLimit {
  readonly #options: LogLimitOptions;
  #written = 0;
  #leftOut = 0;
  #window: NodeJS.Timeout | undefined;

  constructor(options: LogLimitOptions) {
    this.#options = options;
  }

  /** Calls `write` unless the second has had its lines. */
  line(write: () => void): void {
    this.#window ??= setTimeout(() => this.end(), WINDOW_MS).unref();
    if (this.#written < this.#options.linesPerSecond) {
      this.#written += 1;
      write();
    } else this.#leftOut += 1;
  }

  /** Ends the current second early: tells what it left out. */
  end(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    const leftOut = this.#leftOut;
    this.#written = 0;
    this.#leftOut = 0;
    if (leftOut > 0) this.#options.onLeftOut(leftOut);
  }
}
