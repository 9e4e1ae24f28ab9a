interface Due {
  readonly act: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does things at the end of the event loop's turn, all of the turn's one right after the other, in their order. What a
 * client library gathers and then writes to its socket is one system call for all that came together, not one each. Writes
 * to many sockets stay as many; but one wakes its reader, which is the dearer part, and the next finds it awake.
 */
export class EndOfTurn {
  #due: Due[] = [];

  /** Resolves when it was done; rejects with what it threw. */
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
