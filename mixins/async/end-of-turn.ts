interface QueuedFunction {
  readonly act: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs functions at the end of a turn of the event loop, one directly after the other, in order. A client library
 * that buffers its writes then makes one system call for all of them. Writes to many sockets remain separate calls,
 * but only the first one wakes the reading process, which is the more expensive part.
 */
export class EndOfTurn {
  #queue: QueuedFunction[] = [];

  /** Resolves after `act` has run; rejects with the error that it threw. */
  add(act: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#queue.push({ act, resolve, reject }) === 1) setImmediate(() => this.#runAll());
    });
  }

  #runAll(): void {
    const queue = this.#queue;
    this.#queue = [];
    for (const { act, resolve, reject } of queue) {
      try {
        act();
        resolve();
      } catch (error) {
        reject(error);
      }
    }
  }
}
