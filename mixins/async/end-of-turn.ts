interface Due {
  readonly act: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs functions at the end of a turn of the event loop, one directly after the other, in their order. A client library that
 * buffers its writes then makes one system call for all of them. Writes to many sockets remain separate calls, but only the
 * first one wakes the reading process, which is the more expensive part.
 */
export class EndOfTurn {
  #due: Due[] = [];

  /** Resolves after `act` has run; rejects with the error that it threw. */
  add(act: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#due.push({ act, resolve, reject }) === 1) setImmediate(() => this.#doAll());
    });
  }

  #doAll(): void {
    const due = this.#due;
    this.#due = [];
    for (const { act, resolve, reject } of due) {
      try {
        act();
        resolve();
      } catch (error) {
        reject(error);
      }
    }
  }
}
